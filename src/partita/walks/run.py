"""The shell: settings checked at the edge, chains on threads, budgets, checkpoints, Ctrl-C."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from partita.errors import InputError, ModelError
from partita.estimators import Estimator, exact
from partita.factors import Model
from partita.kernel import Rng, fingerprint, generators
from partita.progress import Bars
from partita.proposals import Proposal
from partita.states import SPACES
from partita.states.checks import positive, shown, whole
from partita.walks.chain import Chain
from partita.walks.checkpoint import Checkpoint, digest
from partita.walks.driver import Driver, round_steps
from partita.walks.ramp import ramp_of
from partita.walks.record import Run
from partita.walks.schedule import Schedule, schedule
from partita.walks.training import TrainingSpec
from partita.walks.walk import Compiled, compile_chain

__all__ = ["Settings", "run_chains", "start_chain"]

CHECKED = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Fractions of a run at which temperatures are checked before it begins."""

MOST_BYTES = 4 << 30
"""Draws of a run are held in memory up to this size."""


@dataclass(frozen=True)
class Settings:
    """Length, budgets and mode of a run; `partita.sample` documents each setting."""

    mode: str = "posterior"
    draws: int = 1000
    tune: int = 1000
    thin: int | None = None
    chains: int = 4
    cores: int | None = None
    seed: int | None = None
    temperature: Any = 1.0
    sweep: str = "random"
    steps: int | None = None
    seconds: float | None = None
    factors: int | None = None
    checkpoint: str | os.PathLike[str] | None = None
    checkpoint_every: float = 30.0
    record: bool = True
    ramp: Mapping[str, float] | None = None
    progressbar: bool = True
    measured: bool = True
    """Whether the start is scored; otherwise scores are counted from it on, if that can be."""
    stop: threading.Event = field(default_factory=threading.Event, compare=False)

    def checked(self, model: Model, proposal: Proposal, estimator: Estimator) -> Schedule:
        """Raise an InputError for the first setting that cannot be; returns the temperatures."""
        if self.mode not in ("posterior", "map"):
            raise InputError(f"mode is {self.mode!r}; give 'posterior' or 'map'")
        if self.sweep not in ("random", "canopies"):
            raise InputError(f"sweep is {self.sweep!r}; give 'random' or 'canopies'")
        for name, least in (("draws", 1), ("tune", 0), ("chains", 1)):
            whole(getattr(self, name), name, least)
        for name in ("thin", "cores", "steps", "factors"):
            if getattr(self, name) is not None:
                whole(getattr(self, name), name)
        if self.seconds is not None:
            positive(self.seconds, "seconds")
        positive(self.checkpoint_every, "checkpoint_every")
        if self.sweep == "canopies" and proposal.canopies is None:
            raise InputError(
                f"sweep='canopies' needs a proposal that stays within canopies; {proposal.name!r} "
                "does not: use pair_move(canopies) or split_merge(canopies)"
            )
        self._whole_rounds(proposal)
        self._settled_by_the_first_draw(model, estimator)
        plan = self._temperatures(estimator)
        if self.mode == "posterior" and plan(0.0) != 1.0 and model.unknown:
            raise InputError(
                f"the parameters of {model.unknown[0]!r} are sampled at temperature 1 only; leave "
                "the temperature at 1, or give a template whose parameters are fixed"
            )
        return plan

    def _whole_rounds(self, proposal: Proposal) -> None:
        """A draw of a sweep is at least one round over all canopies."""
        if self.sweep != "canopies" or self.mode != "posterior" or self.steps is None:
            return
        needed = round_steps(proposal.canopies) * (self.tune + self.draws)
        if self.steps < needed:
            raise InputError(
                f"steps is {self.steps} but {self.tune + self.draws} draws of whole rounds over "
                f"the canopies take {needed}; raise steps, or lower tune and draws"
            )

    def _settled_by_the_first_draw(self, model: Model, estimator: Estimator) -> None:
        """Draws made with the early settings of a schedule would be biased."""
        if self.mode != "posterior" or not estimator.moving:
            return
        first = self.tune / (self.tune + self.draws)
        if (estimator.parameters(model, first) != estimator.parameters(model, 1.0)).any():
            raise InputError(
                f"{estimator.name} still changes at the first of {self.draws} draws, after "
                f"{self.tune} of tuning; raise tune, or end the schedule by {first:.2f} of the run"
            )

    def _temperatures(self, estimator: Estimator) -> Schedule:
        plan = schedule(self.temperature)
        values = {plan(progress) for progress in CHECKED}
        if self.mode == "posterior" and len(values) > 1:
            raise InputError(
                "a changing temperature does not sample the posterior; use mode='map' to search, "
                "or give one temperature"
            )
        if estimator.unit_temperature and values != {1.0}:
            raise InputError(
                f"the estimator {estimator.name} is exact at temperature 1 only; "
                "leave the temperature at 1, or use exact()"
            )
        return plan


def run_chains(
    model: Model,
    start: Any,
    proposal: Proposal,
    estimator: Estimator,
    settings: Settings,
    training_spec: TrainingSpec | None = None,
    *,
    compiled: Compiled | None = None,
    watch: Callable[[int, Chain], bool | None] | None = None,
) -> Run:
    """Run all chains of a run, resuming those that a checkpoint holds.

    Parameters
    ----------
    compiled
        Machine code of an earlier run with the same kernels; by default it is compiled.
    watch
        Called with the number of the chain and the chain after each draw, tuning included; a chain
        ends where it returns True.
    """
    for value, kind, example in (
        (model, Model, "Model(affinity(...))"),
        (proposal, Proposal, "move_to_entity()"),
        (estimator, Estimator, "exact()"),
    ):
        if not isinstance(value, kind):
            raise ModelError(f"{shown(value)} is no {kind.__name__}; give one, such as {example}")
    temperatures = settings.checked(model, proposal, estimator)
    starts = list(start) if isinstance(start, list) else [start] * settings.chains
    _fit(model, proposal, estimator, starts, settings, training_spec)
    _fits_in_memory(model, starts[0], settings)
    ramp = ramp_of(model, settings.ramp, settings.mode, settings.tune)
    compiled = compiled or compile_chain(model, proposal, estimator, training_spec)
    clock = time.monotonic()
    with Bars([f"chain {k}" for k in range(settings.chains)], settings.progressbar) as bars:
        drivers = []
        for k, rng in enumerate(generators(settings.seed, settings.chains)):
            chain = Chain(model, proposal, estimator, compiled, starts[k], rng, training_spec, ramp)
            saved = None
            if settings.checkpoint is not None:
                identity = _identity(model, proposal, estimator, starts[k], settings, training_spec)
                identity["code"] = fingerprint(compiled.walk)
                identity["temperature"] = [temperatures(p) for p in CHECKED]
                saved = Checkpoint(settings.checkpoint, k, identity)
            drivers.append(Driver(k, chain, settings, temperatures, saved, bars.show, watch))
        records = _all(drivers, settings)
    return Run(
        chains=records,
        mode=settings.mode,
        tune=settings.tune,
        parts=proposal.counted,
        estimator=estimator.name,
        exact=estimator.exact,
        proposal=proposal.name,
        start=starts[0],
        recorded=settings.record,
        components={name: block.components for name, _, block in model.blocks()},
        seconds=time.monotonic() - clock,
    )


def start_chain(
    model: Model,
    start: Any,
    proposal: Proposal,
    *,
    rng: Rng | int,
    estimator: Estimator | None = None,
    compiled: Compiled | None = None,
    training_spec: TrainingSpec | None = None,
) -> Chain:
    """Make one chain at its start, for callers that run it in their own portions.

    `rng` is a generator, or a seed that gives the same chain as `run_chains` with one chain.
    """
    estimator = estimator or exact()
    compiled = compiled or compile_chain(model, proposal, estimator, training_spec)
    own = generators(rng, 1)[0] if isinstance(rng, int | np.integer) else rng
    return Chain(model, proposal, estimator, compiled, start, own, training_spec)


def _fit(
    model: Model,
    proposal: Proposal,
    estimator: Estimator,
    starts: list[Any],
    settings: Settings,
    training_spec: TrainingSpec | None,
) -> None:
    if len(starts) != settings.chains:
        raise InputError(
            f"there are {len(starts)} starts for {settings.chains} chains; give one for each"
        )
    if proposal.state is not model.state:
        raise ModelError(
            f"the proposal {proposal.name!r} moves {proposal.state.__name__} but the model scores "
            f"{model.state.__name__}; give a proposal for {model.state.__name__}"
        )
    if settings.mode == "posterior":
        _reversible(model, proposal)
    for start in starts:
        model.check(start)
        proposal.check(start)
    if proposal.decides and estimator.unit_temperature:
        raise ModelError(
            f"{estimator.name} is an acceptance test and cannot weigh the moves of "
            f"{proposal.name!r}; use it with a proposal such as pair_move() or flip()"
        )
    if training_spec is None:
        return
    if model.unknown:
        raise ModelError(
            f"the parameters of {model.unknown[0]!r} are sampled, so weights cannot be learned "
            "beside them; give a template whose parameters are fixed"
        )
    if not estimator.learns:
        raise ModelError(
            f"weights cannot be learned with the estimator {estimator.name}; use exact()"
        )
    if training_spec.state not in (None, model.state):
        raise ModelError(
            f"{training_spec.name} judges {training_spec.state.__name__} but the model has "
            f"{model.state.__name__}; give an objective for {model.state.__name__}"
        )
    for start in starts:
        training_spec.check(start)


def _reversible(model: Model, proposal: Proposal) -> None:
    """Refuse templates and proposals that can search but not sample."""
    if proposal.map_only:
        raise ModelError(
            f"the proposal {proposal.name!r} has no ratio of probabilities and cannot sample a "
            "posterior; pass mode='map', or a proposal that has one, such as tree_moves()"
        )
    for name, template in zip(model.names, model.templates, strict=True):
        if template.map_only:
            raise ModelError(
                f"the template {name!r} changes the score by approximate amounts and has no "
                "posterior; pass mode='map', or a template with true deltas, such as child_parent()"
            )


def _fits_in_memory(model: Model, start: Any, settings: Settings) -> None:
    if not settings.record or settings.mode == "map":
        return
    row = 4 * SPACES[model.state].sites(start)
    row += sum(block.read(model.templates[k].table).nbytes for _, k, block in model.blocks())
    size = settings.chains * settings.draws * row
    if size > MOST_BYTES:
        raise InputError(
            f"{settings.chains} chains of {settings.draws} draws would hold {size / 1e9:.1f} GB; "
            f"keep at most {MOST_BYTES / 1e9:.0f} GB by fewer draws or chains, or pass record=False"
        )


def _identity(
    model: Model,
    proposal: Proposal,
    estimator: Estimator,
    start: Any,
    settings: Settings,
    training_spec: TrainingSpec | None,
) -> dict[str, Any]:
    """Everything that must agree for a resumed run to be the same run."""
    tables = tuple(template.table for template in model.templates)
    return {
        "mode": settings.mode,
        "random_seed": settings.seed,
        "draws": settings.draws,
        "tune": settings.tune,
        "thin": settings.thin,
        "chains": settings.chains,
        "steps": settings.steps,
        "factors": settings.factors,
        "sweep": settings.sweep,
        "record": settings.record,
        "ramp": sorted((settings.ramp or {}).items()),
        "proposal": proposal.name,
        "estimator": estimator.name,
        "features": digest((np.array(model.features),)),
        "weights": digest((model.weights,)),
        "data": digest(tables),
        "candidates": digest(proposal.table),
        "settings of the estimator": digest(tuple(estimator.parameters(model, p) for p in CHECKED)),
        "learner": training_spec.name if training_spec else None,
        "truth": digest((training_spec.learner_state.truth,)) if training_spec else None,
        "parameters": _components(model),
        "start": digest((SPACES[model.state].observe(start),)),
    }


def _components(model: Model) -> str | None:
    """A hash of the names of all unknown parameters; None for a model without."""
    names = [f"{name}: {part}" for name, _, block in model.blocks() for part in block.components]
    return digest((np.array(names),)) if names else None


def _all(drivers: list[Driver], settings: Settings) -> list[Any]:
    """Run drivers on threads; Ctrl-C or an error stops them all, saved."""
    cores = settings.cores or os.cpu_count() or 1
    first = drivers[0]
    first.prime()  # compiles once, before the threads start
    with ThreadPoolExecutor(min(cores, len(drivers))) as pool:
        futures = [pool.submit(driver.run) for driver in drivers]
        try:
            # the first error ends the run, whichever chain it comes from
            done, _ = wait(futures, return_when=FIRST_EXCEPTION)
            for future in done:
                future.result()
            return [future.result() for future in futures]
        except BaseException:
            settings.stop.set()
            raise
