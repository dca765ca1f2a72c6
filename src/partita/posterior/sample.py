"""`sample`: run chains of a model and return what they say."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from partita.errors import ModelError
from partita.estimators import Estimator, exact
from partita.factors import Model
from partita.learning import Learner, Objective, build_training_spec
from partita.posterior.posterior import Posterior
from partita.proposals import Proposal, flip, move_to_entity
from partita.states import Labels, Partition
from partita.walks import Settings, TrainingSpec, run_chains

__all__ = ["sample"]

DEFAULTS: dict[type, Callable[[], Proposal]] = {Labels: flip, Partition: move_to_entity}


def sample(
    model: Model,
    start: Any,
    *,
    proposal: Proposal | None = None,
    estimator: Estimator | None = None,
    mode: str = "posterior",
    draws: int = 1000,
    tune: int = 1000,
    chains: int = 4,
    cores: int | None = None,
    random_seed: int | None = None,
    progressbar: bool = True,
    thin: int | None = None,
    temperature: float | Sequence[float] | Callable[[float], float] = 1.0,
    sweep: str = "random",
    steps: int | None = None,
    seconds: float | None = None,
    factors: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_every: float = 30.0,
    record: bool = True,
    ramp: Mapping[str, float] | None = None,
    learner: Learner | None = None,
    objective: Objective | None = None,
) -> Posterior:
    """Sample a model's posterior, or search for its best state.

    Parameters
    ----------
    model
        What is sampled.
    start
        A state, or a list with one for each chain.
    proposal
        How moves are drawn; by default `move_to_entity()` for partitions, `flip()` for labels.
    estimator
        How many of the touched factors are examined; by default all of them.
    mode
        "posterior" draws from the model; "map" searches for its best state, usually with a
        falling temperature, and refuses to give probabilities.
    draws, tune, chains, cores, random_seed, progressbar
        As in PyMC: kept draws and draws thrown away before them in each chain, the number of
        chains, how many run at once, one seed for all, and a bar on the terminal.
    thin
        Steps between two draws; by default as many as there are variables (or `steps` shared out).
    temperature
        A number; in a search also a row of numbers or a function of the fraction done, such as
        `cooling(1.0, 0.01)`.
    sweep
        "random" order, or "canopies" one after the other: in a search each to its own convergence,
        otherwise in whole rounds of n (2 + log2 n) steps for a canopy of n mentions.
    steps, seconds, factors
        Budgets of each chain: it stops at the first that is spent. A budget of seconds does not
        give the same result twice.
    checkpoint, checkpoint_every
        A folder where chains save themselves, and every how many seconds. The same call resumes
        them, and ends with the draws of a run that was never stopped.
    record
        Whether states are kept; scalar traces always are.
    ramp
        Features whose weight rises while the chain tunes, by name, each from the given multiple of
        its own weight: {"uniform.score": 0.0} begins without that factor. From half of tuning on,
        the weights are the model's.
    learner, objective
        To learn weights inside the walk; each chain ends with weights of its own.
    """
    training_spec = _training_spec(learner, objective)
    settings = Settings(
        mode=mode,
        draws=draws,
        tune=tune,
        thin=thin,
        chains=chains,
        cores=cores,
        seed=random_seed,
        temperature=temperature,
        sweep=sweep,
        steps=steps,
        seconds=seconds,
        factors=factors,
        checkpoint=checkpoint,
        checkpoint_every=checkpoint_every,
        record=record,
        ramp=ramp,
        progressbar=progressbar,
    )
    run = run_chains(
        model,
        start,
        proposal or _default(model),
        estimator or exact(),
        settings,
        training_spec,
    )
    return Posterior(run)


def _training_spec(learner: Learner | None, objective: Objective | None) -> TrainingSpec | None:
    """How a walk learns, if it does; one of the two alone says nothing."""
    if learner is not None and objective is not None:
        return build_training_spec(learner, objective)
    alone = learner or objective
    if alone is None:
        return None
    missing = "objective" if learner else "learner"
    raise ModelError(f"there is {alone.name!r} but no {missing}; give both to learn")


def _default(model: Model) -> Proposal:
    if model.state not in DEFAULTS:
        raise ModelError(f"there is no default proposal for {model.state.__name__}; pass proposal=")
    return DEFAULTS[model.state]()
