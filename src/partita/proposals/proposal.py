"""Proposal: draws a move and returns log q(back) - log q(forth)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from partita.errors import InputError, ModelError
from partita.kernel import COMPONENT, Context, Floats, NoTable, Rng, kernel

__all__ = ["Engine", "Proposal", "mixture", "simple"]


@dataclass(frozen=True)
class Engine:
    """Compiled kernels for a proposal that uses the model.

    `estimate` is the chain's own estimator and `exact` the exact one, both called as
    (rng, context, state, move); `apply`, `undo`, `idle` and `reverse` belong to the space.
    Aggregates are updated by `commit(tables, state, move)` after `apply`, and by
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
    """Kernels on statistics of whole clusters, if a template of the model has them."""
    split_scores: Any = None
    """Split scores, if all templates of the model have them."""
    gibbs_weights: Any = None
    """Batched Gibbs weights of the templates that have them."""
    other_estimate: Any = None
    """The estimate over the templates without batched Gibbs weights."""


@dataclass(frozen=True)
class Proposal:
    """Draws moves of one type of state.

    `bind(engine)` compiles `propose(rng, table, state, context, temperature)`, which returns a move
    and log q(back) - log q(forth) and leaves the state unchanged. A log ratio of +inf means
    that the proposal already accepted the move (Gibbs); `context.chosen_score` is its score.
    """

    name: str
    state: type
    bind: Callable[[Engine], Any]
    table: Any = field(default_factory=NoTable)
    parts: tuple[str, ...] = ()
    """Names under which acceptance is counted; for a mixture, one for each component."""
    check: Callable[[Any], None] = field(default=lambda state: None)
    prepare: Callable[[Any, Any], Any] | None = None
    """`prepare(table, state)` builds the table of one chain if it holds scratch."""
    canopies: Any = None
    """The canopies that the proposal never crosses, if any."""
    decides: bool = False
    """Whether the estimator's score itself decides the move (Gibbs), without an acceptance test."""
    blind: bool = False
    """Whether it uses the state only, and never the model."""
    map_only: bool = False
    """Whether its moves have no ratio that makes them reversible, so it can only search."""

    @property
    def counted(self) -> tuple[str, ...]:
        """The names under which acceptance is counted."""
        return self.parts or (self.name,)


def simple(
    name: str,
    state: type,
    draw: Any,
    table: Any = None,
    check: Callable[[Any], None] | None = None,
    canopies: Any = None,
) -> Proposal:
    """Build a proposal that uses the state only: `draw(rng, table, state)`."""

    def bind(engine: Engine) -> Any:
        @kernel
        def propose(rng: Rng, table: Any, state: Any, context: Context, temperature: float) -> Any:
            return draw(rng, table, state)

        return propose

    return Proposal(
        name,
        state,
        bind,
        table if table is not None else NoTable(),
        check=check or (lambda state: None),
        canopies=canopies,
        blind=True,
    )


class Mixed(NamedTuple):
    """Tables of the components and their cumulative probabilities."""

    tables: Any
    upto: Floats


def mixture(proposals: Sequence[Proposal], weights: Sequence[float] | None = None) -> Proposal:
    """Draw one of several proposals at each step, with fixed probabilities.

    The component does not depend on the state, so each component satisfies detailed balance on its
    own and its log ratio is that of the mixture.
    """
    parts = list(proposals)
    if not parts:
        raise ModelError("a mixture needs at least one proposal; none was given")
    kinds = sorted({part.state.__name__ for part in parts})
    if len(kinds) > 1:
        raise ModelError(
            f"the proposals of a mixture move {' and '.join(kinds)}; "
            "mix proposals of one type of state"
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
        def propose(
            rng: Rng, table: Mixed, state: Any, context: Context, temperature: float
        ) -> Any:
            return choice(rng, table, state, context, temperature, rng.random())

        return propose

    def prepare(table: Mixed, state: Any) -> Mixed:
        tables = tuple(
            part.prepare(own, state) if part.prepare else own
            for part, own in zip(parts, table.tables, strict=True)
        )
        return Mixed(tables, table.upto)

    def check(state: Any) -> None:
        for part in parts:
            part.check(state)

    return Proposal(
        name=" + ".join(part.name for part in parts),
        state=parts[0].state,
        bind=bind,
        table=Mixed(tuple(part.table for part in parts), upto),
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
            rng: Rng, table: Mixed, state: Any, context: Context, temperature: float, u: float
        ) -> Any:
            drawn = propose(rng, table.tables[number], state, context, temperature)
            # after the draw: a component may itself be a mixture and set its own number
            context.status[COMPONENT] = number
            return drawn

        return last

    @kernel
    def either(
        rng: Rng, table: Mixed, state: Any, context: Context, temperature: float, u: float
    ) -> Any:
        if u < table.upto[number]:
            drawn = propose(rng, table.tables[number], state, context, temperature)
            context.status[COMPONENT] = number
            return drawn
        return rest(rng, table, state, context, temperature, u)

    return either


def _shared(canopies: list[Any]) -> Any:
    first = canopies[0]
    return first if all(other is first for other in canopies) else None
