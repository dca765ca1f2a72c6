"""`sample`: run chains of a model and return their draws."""

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
        The model to sample.
    start
        A state, or a list with one for each chain.
    proposal
        The proposal of moves; by default `move_to_entity()` for partitions, `flip()` for labels.
    estimator
        The estimator of scores; by default `exact()`, which examines all touched factors.
    mode
        "posterior" draws from the model; "map" searches for its best state, usually with a
        falling temperature, and gives no probabilities.
    draws, tune, chains, cores, random_seed, progressbar
        As in PyMC: kept draws and discarded earlier draws of each chain, number of chains, number
        of parallel chains, one seed for all, and a progress bar on the terminal.
    thin
        Steps between two draws; by default the number of variables (or `steps` divided by draws).
    temperature
        A number; in a search also a sequence, or a function of the completed fraction, such as
        `cooling(1.0, 0.01)`.
    sweep
        "random" order, or "canopies" in sequence: in a search each to its own convergence,
        otherwise in whole rounds of n (2 + log2 n) steps for a canopy of n mentions.
    steps, seconds, factors
        Budgets of each chain, which stops when one is spent. With a budget of seconds, results are
        not reproducible.
    checkpoint, checkpoint_every
        A folder for checkpoints, and the seconds between two. The same call resumes the chains and
        returns the draws of an uninterrupted run.
    record
        Whether states are recorded; scalar traces always are.
    ramp
        Features whose weight rises while the chain tunes, by name, each from the given multiple of
        its own weight: {"uniform.score": 0.0} begins without that factor. From half of tuning on,
        the weights are the model's.
    learner, objective
        Learn weights inside the walk; each chain ends with its own weights.
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
    """Build the training spec; learner and objective are given together or not at all."""
    if learner is not None and objective is not None:
        return build_training_spec(learner, objective)
    alone = learner or objective
    if alone is None:
        return None
    missing = "an objective" if learner else "a learner"
    raise ModelError(f"{alone.name!r} is given without {missing}; give both to learn")


def _default(model: Model) -> Proposal:
    if model.state not in DEFAULTS:
        raise ModelError(f"there is no default proposal for {model.state.__name__}; pass proposal=")
    return DEFAULTS[model.state]()
