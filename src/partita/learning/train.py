"""Train: one weight vector from many instances, each with a model, a start and a truth."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from partita.errors import InputError, ModelError
from partita.estimators import Estimator, exact
from partita.factors import Model
from partita.kernel import Floats, Rng, fingerprint, generators
from partita.learning.learner import (
    CHANGED,
    PREFERRED,
    STEPS,
    UPDATED,
    Learner,
    Memory,
    begin_average,
    build_training_spec,
    clear_distance,
    replace_weights,
)
from partita.learning.objectives import Objective
from partita.proposals import Proposal
from partita.states import Partition, space_of
from partita.states.checks import shown, whole
from partita.walks import Chain, TrainingSpec, compile_chain, start_chain
from partita.walks.schedule import Schedule, schedule

__all__ = ["Instance", "Trained", "train"]

RESTARTS = ("truth", "singletons", "start", "never")


@dataclass(frozen=True)
class Instance:
    """One training example: a model of its data, a start state, and an objective."""

    model: Model
    start: Any
    objective: Objective
    proposal: Proposal


@dataclass(frozen=True)
class Trained:
    """Learned weights, and counts of the learner's steps."""

    weights: Floats
    features: list[str]
    steps: int
    preferred: int
    """Steps at which the objective preferred a side."""
    updates: int

    def named(self) -> dict[str, float]:
        """Return all weights by feature name."""
        return dict(zip(self.features, self.weights.tolist(), strict=True))


def train(
    instances: Instance | Sequence[Instance],
    learner: Learner,
    *,
    epochs: int = 1,
    steps: int | None = None,
    restart: str = "start",
    rate: float | Sequence[float] | Callable[[float], float] = 1.0,
    l2: float = 0.0,
    temperature: float | Sequence[float] | Callable[[float], float] = 1.0,
    settle: float = 0.0,
    estimator: Estimator | None = None,
    parts: int = 1,
    cores: int | None = None,
    random_seed: int | None = None,
) -> Trained:
    """Learn one weight vector inside the walks of all instances (SAMPLERANK, Algorithm 1).

    Parameters
    ----------
    instances
        Their models must have the same features; the weights of the first are the start.
    epochs, steps
        Number of visits of each instance, in random order, and steps per visit; by default as many
        steps as the instance has mentions or variables.
    restart
        Start of each visit: the "truth", "singletons", the instance's own "start", or "never": the
        visit continues where the last one ended.
    rate, temperature
        The rate multiplies the learner's own; the temperature is the walk's. Each is a number, a
        sequence of numbers, or a function of the completed fraction, such as `cooling(1, 0.1)`.
    settle
        The share of the epochs, from the first, that averaged weights leave out.
    l2
        Strength of the penalty: a step shrinks all weights by rate * l2, applied after a visit.
    parts
        Number of groups of instances that learn in parallel; weights are averaged after every
        epoch. The result depends on `parts` but not on `cores`.
    """
    listed = [instances] if isinstance(instances, Instance) else list(instances)
    _check_settings(listed, learner, epochs, steps, restart, l2, settle)
    shares = min(whole(parts, "parts"), len(listed))
    plan = Plan(
        epochs,
        steps,
        restart,
        schedule(rate),
        float(l2),
        schedule(temperature),
        int(settle * epochs),
    )
    workers = _workers(listed, learner, plan, estimator or exact(), shares, random_seed)
    workers[0].chains[0].compile()
    with ThreadPoolExecutor(min(cores or os.cpu_count() or 1, shares)) as pool:
        for epoch in range(epochs):
            list(pool.map(Worker.epoch, workers, [epoch] * shares))
            _mix(workers)
            if epoch == 0:
                _check_progress(workers, listed[0].model)
    return _result(workers, listed[0].model)


@dataclass(frozen=True)
class Plan:
    """Settings of the epochs."""

    epochs: int
    steps: int | None
    restart: str
    rate: Schedule
    l2: float
    temperature: Schedule
    settled: int
    """The epoch at which averages begin."""


class Worker:
    """A group of instances whose chains learn one weight vector with one memory."""

    def __init__(
        self,
        instances: list[Instance],
        chains: list[Chain],
        learner: Learner,
        plan: Plan,
        order: Rng,
    ) -> None:
        self.instances, self.chains, self.plan, self.order = instances, chains, plan, order
        for chain in chains[1:]:
            chain.join(chains[0])
        self.memory: Memory = chains[0].learner_state.memory
        self.rate = float(learner.memory.rate[0])
        self.fresh = plan.restart != "never" or (learner.with_truth and not learner.stays)
        self.ways: list[Any] = [None] * len(chains)
        """For each running chain, its distance from the truth at the end of its last visit."""

    def epoch(self, epoch: int) -> None:
        """Visit every instance once, in random order."""
        if epoch == self.plan.settled:
            begin_average(self.memory)
        order = self.order.permutation(len(self.chains))
        for done, k in enumerate(order):
            progress = (epoch + done / order.size) / self.plan.epochs
            self.visit(int(k), epoch, progress)

    def visit(self, k: int, epoch: int, progress: float) -> None:
        """Run one instance's chain for its steps."""
        chain, plan = self.chains[k], self.plan
        if plan.restart != "never" or epoch == 0:
            chain.restart(_start(self.instances[k], plan.restart))
        self._return_to(k)
        rate = self.rate * plan.rate(progress)
        self.memory.rate[0] = rate
        steps = plan.steps or space_of(chain.state).sites(chain.state)
        chain.run(steps, plan.temperature(progress))
        self._leave(k)
        if plan.l2:
            shrunk = self.memory.weights * max(0.0, 1.0 - rate * plan.l2 * steps)
            replace_weights(self.memory, shrunk)

    def _return_to(self, k: int) -> None:
        """Set the memory's distance from the truth to that of this chain."""
        if not self.fresh:
            return
        clear_distance(self.memory)
        way = self.ways[k]
        if self.plan.restart == "never" and way is not None:
            way.restore(self.memory)

    def _leave(self, k: int) -> None:
        if self.fresh and self.plan.restart == "never" and self.memory.far.size:
            self.ways[k] = Distance(self.memory)


class Distance:
    """Read a chain's distance from the truth."""

    def __init__(self, memory: Memory) -> None:
        self.where = np.flatnonzero(memory.far)
        self.far = memory.far[self.where].copy()
        self.lost = memory.lost.copy()

    def restore(self, memory: Memory) -> None:
        """Write it to a cleared memory."""
        n = self.where.size
        memory.far[self.where] = self.far
        memory.marked[self.where] = 1
        memory.where[:n] = self.where
        memory.clock[CHANGED] = n
        memory.lost[:] = self.lost


def _start(instance: Instance, restart: str) -> Any:
    if restart == "truth":
        assert instance.objective.right is not None
        return instance.objective.right(instance.start)
    if restart == "singletons":
        return space_of(instance.start).origin(instance.start)
    return instance.start


def _workers(
    instances: list[Instance],
    learner: Learner,
    plan: Plan,
    estimator: Estimator,
    shares: int,
    seed: int | None,
) -> list[Worker]:
    """Build the workers: groups of instances with their chains and one generator each."""
    specs = [build_training_spec(learner, instance.objective) for instance in instances]
    for instance, training_spec in zip(instances, specs, strict=True):
        _check_instance(instance, training_spec, plan.restart)
    chains = _chains(instances, specs, estimator, seed)
    orders = generators(None if seed is None else seed + 1, shares)
    return [
        Worker(instances[k::shares], chains[k::shares], learner, plan, order)
        for k, order in enumerate(orders)
    ]


def _chains(
    instances: list[Instance],
    specs: list[TrainingSpec],
    estimator: Estimator,
    seed: int | None,
) -> list[Chain]:
    """Build one chain per instance; instances with the same kernels share machine code."""
    code: dict[Any, Any] = {}
    chains = []
    rngs = generators(seed, len(instances))
    for instance, training_spec, rng in zip(instances, specs, rngs, strict=True):
        templates = instance.model.templates
        kernels = [(t.count, t.emit, t.cache.commit, t.cache.room) for t in templates]
        key: Any = (
            *kernels,
            instance.proposal.bind,
            training_spec.gain,
            training_spec.kept,
            training_spec.judge,
            training_spec.learn,
        )
        if key not in code:
            compiled = compile_chain(instance.model, instance.proposal, estimator, training_spec)
            code[key] = code.setdefault(fingerprint(compiled.walk) or id(compiled), compiled)
        shared = {"estimator": estimator, "compiled": code[key], "training_spec": training_spec}
        parts = instance.model, instance.start, instance.proposal
        chains.append(start_chain(*parts, rng=rng, **shared))
    return chains


def _mix(workers: list[Worker]) -> None:
    """Set every worker's weights to the mean of all (iterative parameter mixing)."""
    if len(workers) > 1:
        mean = np.mean([worker.memory.weights for worker in workers], axis=0)
        for worker in workers:
            replace_weights(worker.memory, mean)


def _result(workers: list[Worker], model: Model) -> Trained:
    clocks = np.sum([worker.memory.clock for worker in workers], axis=0)
    weights = np.mean([worker.chains[0].learned for worker in workers], axis=0)
    counts = (int(clocks[cell]) for cell in (STEPS, PREFERRED, UPDATED))
    return Trained(weights, model.features, *counts)


def _check_progress(workers: list[Worker], model: Model) -> None:
    """Check after the first epoch that the objective preferred a side and that features differ."""
    clocks = np.sum([worker.memory.clock for worker in workers], axis=0)
    if clocks[PREFERRED] == 0:
        raise InputError(
            f"in {clocks[STEPS]} steps the objective never preferred a side; take more steps, or "
            "check that the truth differs from the start and is not one class only"
        )
    same = all(np.array_equal(worker.memory.weights, model.weights) for worker in workers)
    if clocks[UPDATED] and same:
        raise InputError(
            f"{clocks[UPDATED]} updates did not change any weight: every feature is constant; "
            "give features that differ between states"
        )


def _check_settings(
    instances: list[Instance],
    learner: Learner,
    epochs: int,
    steps: int | None,
    restart: str,
    l2: float,
    settle: float,
) -> None:
    if not instances:
        raise InputError("there are no training instances; give at least one")
    for instance in instances:
        if not isinstance(instance, Instance):
            raise ModelError(
                f"{shown(instance)} is not an instance; give Instance(model, start, ...)"
            )
    if not isinstance(learner, Learner) or not isinstance(learner.memory, Memory):
        raise ModelError(f"{shown(learner)} is not a learner; use perceptron() or mira()")
    whole(epochs, "epochs")
    if steps is not None:
        whole(steps, "steps")
    if restart not in RESTARTS:
        raise InputError(f"restart is {restart!r}; give one of {', '.join(RESTARTS)}")
    if isinstance(l2, bool) or not isinstance(l2, int | float) or not 0 <= l2 < np.inf:
        raise InputError(f"l2 is {l2!r}; give a number of at least 0")
    if isinstance(settle, bool) or not isinstance(settle, int | float) or not 0 <= settle < 1:
        raise InputError(f"settle is {settle!r}; give a share of at least 0 and below 1")
    features = instances[0].model.features
    for k, instance in enumerate(instances):
        if instance.model.features is not features and instance.model.features != features:
            raise ModelError(
                f"instance {k} has other features than the first; build all models alike"
            )


def _check_instance(instance: Instance, training_spec: TrainingSpec, restart: str) -> None:
    model, start = instance.model, instance.start
    model.check(start)
    if training_spec.state not in (None, model.state) or instance.proposal.state is not model.state:
        judged = training_spec.state.__name__ if training_spec.state else "anything"
        raise ModelError(
            f"the objective judges {judged} and "
            f"the proposal {instance.proposal.name!r} moves {instance.proposal.state.__name__}, "
            f"but the model scores {model.state.__name__}; give all three the same"
        )
    instance.objective.check(start)
    if restart == "singletons" and model.state is not Partition:
        raise InputError("restart is 'singletons', which only partitions have; give 'start'")
    if restart == "truth" and instance.objective.right is None:
        raise InputError(
            f"restart is 'truth', which {instance.objective.name!r} does not define; "
            "give the objective its `right` state, or restart at 'start'"
        )
    first = _start(instance, restart)
    instance.proposal.check(first)
    training_spec.check(first)
