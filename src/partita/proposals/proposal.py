"""Proposal: draws a move and returns log q(back) - log q(forth)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from partita.errors import InputError, ModelError
from partita.kernel import WHICH, Floats, Rng, World, kernel

__all__ = ["Engine", "NoGuide", "Proposal", "mixture", "simple"]


@dataclass(frozen=True)
class Engine:
    """What a proposal that looks at the model may use, all compiled.

    `estimate` is the chain's own estimator and `exact` the exact one, both called as
    (rng, world, state, move); `apply`, `undo`, `idle` and `reverse` are the space's. Aggregates
    follow the state by `commit(tables, state, move)` after `apply`, and by
    `commit(tables, state, reverse(move))` after `undo`.
    """

    apply: Any
    undo: Any
    idle: Any
    reverse: Any
    commit: Any
    estimate: Any
    exact: Any
    clusters: Any = None
    """Kernels on statistics of whole clusters, if a template of the model keeps such."""
    sides: Any = None
    """Kernels on two groups formed beside the state, if all templates of the model have them."""
    pull: Any = None
    """What draws a mention to all entities at once, by the templates that can tell;"""
    unpulled: Any = None
    """and the estimate of all others."""


class NoGuide(NamedTuple):
    """A proposal without data."""


@dataclass(frozen=True)
class Proposal:
    """A way to draw moves of one kind of state.

    `bind(engine)` compiles `propose(rng, guide, state, world, temperature)`, which returns a move
    and log q(back) - log q(forth) and leaves the state as it was. A log ratio of +inf says that
    the move has been decided by its score already (Gibbs), which then stands in `world.found`.
    """

    name: str
    state: type
    bind: Callable[[Engine], Any]
    guide: Any = field(default_factory=NoGuide)
    parts: tuple[str, ...] = ()
    """Names under which acceptance is counted; of a mixture, one for each component."""
    check: Callable[[Any], None] = field(default=lambda state: None)
    prepare: Callable[[Any, Any], Any] | None = None
    """Makes the guide of one chain where it holds scratch: prepare(guide, state)."""
    canopies: Any = None
    """The canopies within which the proposal stays, if it does."""
    decides: bool = False
    """Whether the estimator's score itself decides the move (Gibbs), without an acceptance test."""
    blind: bool = False
    """Whether it looks at the state only, and never at the model."""
    map_only: bool = False
    """Whether its moves have no ratio that makes them reversible, so that it can only search."""

    @property
    def counted(self) -> tuple[str, ...]:
        """The names under which acceptance is counted."""
        return self.parts or (self.name,)


def simple(
    name: str,
    state: type,
    draw: Any,
    guide: Any = None,
    check: Callable[[Any], None] | None = None,
    canopies: Any = None,
) -> Proposal:
    """A proposal that looks at the state only: `draw(rng, guide, state)`."""

    def bind(engine: Engine) -> Any:
        @kernel
        def propose(rng: Rng, guide: Any, state: Any, world: World, temperature: float) -> Any:
            return draw(rng, guide, state)

        return propose

    return Proposal(
        name,
        state,
        bind,
        guide if guide is not None else NoGuide(),
        check=check or (lambda state: None),
        canopies=canopies,
        blind=True,
    )


class Mixed(NamedTuple):
    """Guides of the components and their cumulative probabilities."""

    guides: Any
    upto: Floats


def mixture(proposals: Sequence[Proposal], weights: Sequence[float] | None = None) -> Proposal:
    """At each step one of several proposals, drawn with fixed probabilities.

    A component is drawn without looking at the state, so each satisfies detailed balance on its
    own and its log ratio is that of the mixture.
    """
    parts = list(proposals)
    if not parts:
        raise ModelError("a mixture needs at least one proposal; none was given")
    kinds = sorted({part.state.__name__ for part in parts})
    if len(kinds) > 1:
        raise ModelError(
            f"the proposals of a mixture move {' and '.join(kinds)}; mix those of one kind of state"
        )
    shares = np.asarray([1.0] * len(parts) if weights is None else weights, float)
    if shares.shape != (len(parts),) or not np.isfinite(shares).all() or (shares <= 0).any():
        raise InputError(
            f"the weights of the mixture are {shares.tolist()} for {len(parts)} proposals; "
            "give one positive number for each"
        )
    upto = np.cumsum(shares) / shares.sum()
    upto[-1] = math.inf

    def bind(engine: Engine) -> Any:
        choice: Any = None
        for number in reversed(range(len(parts))):
            choice = _either(number, parts[number].bind(engine), choice)

        @kernel
        def propose(rng: Rng, guide: Mixed, state: Any, world: World, temperature: float) -> Any:
            return choice(rng, guide, state, world, temperature, rng.random())

        return propose

    def prepare(guide: Mixed, state: Any) -> Mixed:
        guides = tuple(
            part.prepare(own, state) if part.prepare else own
            for part, own in zip(parts, guide.guides, strict=True)
        )
        return Mixed(guides, guide.upto)

    def check(state: Any) -> None:
        for part in parts:
            part.check(state)

    return Proposal(
        name=" + ".join(part.name for part in parts),
        state=parts[0].state,
        bind=bind,
        guide=Mixed(tuple(part.guide for part in parts), upto),
        parts=tuple(part.name for part in parts),
        check=check,
        prepare=prepare,
        canopies=_shared([part.canopies for part in parts]),
        decides=any(part.decides for part in parts),
        map_only=any(part.map_only for part in parts),
    )


def _either(number: int, propose: Any, rest: Any) -> Any:
    if rest is None:

        @kernel
        def last(
            rng: Rng, guide: Mixed, state: Any, world: World, temperature: float, u: float
        ) -> Any:
            drawn = propose(rng, guide.guides[number], state, world, temperature)
            # after the draw: a component may be a mixture and count for itself
            world.alarm[WHICH] = number
            return drawn

        return last

    @kernel
    def either(
        rng: Rng, guide: Mixed, state: Any, world: World, temperature: float, u: float
    ) -> Any:
        if u < guide.upto[number]:
            drawn = propose(rng, guide.guides[number], state, world, temperature)
            world.alarm[WHICH] = number
            return drawn
        return rest(rng, guide, state, world, temperature, u)

    return either


def _shared(found: list[Any]) -> Any:
    first = found[0]
    return first if all(one is first for one in found) else None
