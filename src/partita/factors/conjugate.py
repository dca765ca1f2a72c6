"""The template of a conjugate mixture, and kernels on cluster statistics for proposals.

The score of an entity is the log marginal likelihood of its mentions, from statistics that commit
updates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from partita.errors import ModelError
from partita.factors.components import SLOTS, Component, Rows
from partita.factors.template import Cache, FastPaths, Template, count_one, feature_weights
from partita.kernel import Context, Delta, Ints, entry, kernel, push
from partita.states import Partition, Regroup
from partita.states.checks import fits, shown
from partita.states.partition import leaver

__all__ = ["Clusters", "build_clusters", "conjugate"]


class Conjugate(NamedTuple):
    """Values of the mentions, and statistics of the clusters."""

    data: Any
    rows: Rows


@dataclass(frozen=True)
class Clusters:
    """Kernels on the rows of statistics, for proposals that score whole clusters.

    Rows are numbered as entities; scratch rows follow the n-th. `clear(context, row)`;
    `add(context, row, i, sign)`; `gain(context, row, i)` is log p(x_i | row); `total(context, row)`
    is the log marginal likelihood, `kept(context, entity)` its value at the last change of the
    entity, and `joint(context, a, b)` that of two rows together. All are weighted as in the model.
    """

    clear: Any
    add: Any
    gain: Any
    total: Any
    kept: Any
    joint: Any


@kernel
def clear_row(rows: Rows, row: int) -> None:
    """Set the statistics of a row to zero."""
    for k in range(rows.sums.shape[1]):
        rows.sums[row, k] = 0.0


@kernel
def sum_rows(rows: Rows, a: int, b: int, sign: float, out: int) -> None:
    """out = a + sign * b."""
    for k in range(rows.sums.shape[1]):
        rows.sums[out, k] = rows.sums[a, k] + sign * rows.sums[b, k]


def _block(component: Component) -> Any:
    """Compile the statistics of the moved block in a scratch row."""
    add = component.add

    @kernel
    def block(table: Conjugate, state: Partition, move: Regroup) -> int:
        rows, row = table.rows, table.rows.total.size - SLOTS
        clear_row(rows, row)
        for k in range(move.many):
            add(table.data, rows, row, leaver(state, move, k), 1.0)
        return row

    return block


def _emit(component: Component) -> Any:
    gain, loss, derive, total = component.gain, component.loss, component.derive, component.total
    block = _block(component)

    @kernel(inline=False)
    def change(table: Conjugate, state: Partition, move: Regroup) -> float:
        rows, data = table.rows, table.data
        source, target = move.source, move.target
        moved, out = source, rows.total.size - SLOTS + 1
        score = -rows.total[source]
        if move.many < state.size[source]:
            moved = block(table, state, move)
            sum_rows(rows, source, moved, -1.0, out)
            derive(data, rows, out)
            score += total(data, rows, out)
        sum_rows(rows, target, moved, 1.0, out)
        derive(data, rows, out)
        return score + total(data, rows, out) - rows.total[target]

    @kernel
    def emit(table: Conjugate, state: Partition, move: Regroup, k: int, delta: Delta) -> float:
        if move.many > 1:
            return push(delta, 0, change(table, state, move))
        i = move.mention
        score = gain(table.data, table.rows, move.target, i)
        return push(delta, 0, score - loss(table.data, table.rows, move.source, i))

    return emit


def _commit(component: Component) -> Any:
    add, derive, total = component.add, component.derive, component.total
    block = _block(component)

    @kernel
    def commit(table: Conjugate, state: Partition, move: Regroup) -> None:
        rows, data = table.rows, table.data
        source, target = move.source, move.target
        if move.many == 1:
            add(data, rows, source, move.mention, -1.0)
            add(data, rows, target, move.mention, 1.0)
        else:
            moved = block(table, state, move)
            sum_rows(rows, source, moved, -1.0, source)
            sum_rows(rows, target, moved, 1.0, target)
        derive(data, rows, source)
        derive(data, rows, target)
        rows.total[source] = total(data, rows, source)
        rows.total[target] = total(data, rows, target)

    return commit


def _filler(component: Component) -> Any:
    """Compile the statistics of a whole partition, from rows of zeros."""
    add, derive, total = component.add, component.derive, component.total

    @entry
    def fill(data: Any, rows: Rows, entity: Ints, ids: Ints, live: int) -> None:
        n = entity.size
        derive(data, rows, n)
        for row in range(n + SLOTS):
            for k in range(rows.derived.shape[1]):
                rows.derived[row, k] = rows.derived[n, k]
        for i in range(n):
            add(data, rows, entity[i], i, 1.0)
        for k in range(live):
            derive(data, rows, ids[k])
            rows.total[ids[k]] = total(data, rows, ids[k])

    return fill


def conjugate(component: Component, *, weight: float = 1.0, name: str | None = None) -> Template:
    """Score each entity as a cluster of a conjugate mixture: log p(its mentions).

    With `ewens(alpha)` in the model, the model is a Dirichlet-process mixture (SDDS section 5.2).

    Parameters
    ----------
    component
        `bernoulli`, `categorical`, `multinomial` or `gaussian`, with the mentions' values. A model
        may have several, for columns of several types.
    weight
        1 is the model as written.
    """
    if not isinstance(component, Component):
        raise ModelError(f"{shown(component)} is not a component; give one, such as bernoulli(x)")
    title = name or component.name
    names, weights = feature_weights(title, ["log_likelihood"], weight)
    size, fill = component.n + SLOTS, _filler(component)

    def prepare(table: Conjugate, state: Partition) -> Conjugate:
        sums, derived = np.zeros((size, component.width)), np.zeros((size, component.extra))
        rows = Rows(sums, derived, np.zeros(size))
        fill(table.data, rows, state.entity, state.ids, int(state.live[0]))
        return Conjugate(table.data, rows)

    empty = np.zeros((0, 0))
    return Template(
        name=title,
        state=Partition,
        features=names,
        weights=weights,
        count=count_one,
        emit=_emit(component),
        table=Conjugate(component.data, Rows(empty, empty, np.zeros(0))),
        cache=Cache(
            commit=_commit(component),
            prepare=prepare,
        ),
        fast=FastPaths(
            clusters=_clusters(component),
        ),
        check=fits(title, component.n),
    )


def _clusters(component: Component) -> Clusters:
    """Bind the component's kernels to a template's own table."""
    inner_add, derive = component.add, component.derive
    inner_gain, inner_total, inner_joint = component.gain, component.total, component.joint

    @kernel
    def clear(table: Conjugate, row: int) -> None:
        clear_row(table.rows, row)
        derive(table.data, table.rows, row)

    @kernel
    def add(table: Conjugate, row: int, i: int, sign: float) -> None:
        inner_add(table.data, table.rows, row, i, sign)
        derive(table.data, table.rows, row)

    @kernel
    def gain(table: Conjugate, row: int, i: int) -> float:
        return inner_gain(table.data, table.rows, row, i)

    @kernel
    def total(table: Conjugate, row: int) -> float:
        return inner_total(table.data, table.rows, row)

    @kernel
    def kept(table: Conjugate, row: int) -> float:
        return table.rows.total[row]

    @kernel
    def joint(table: Conjugate, a: int, b: int) -> float:
        return inner_joint(table.data, table.rows, a, b)

    return Clusters(clear, add, gain, total, kept, joint)


@kernel
def no_clear(context: Context, row: int) -> None:
    """The end of the fold."""


@kernel
def no_add(context: Context, row: int, i: int, sign: float) -> None:
    """The end of the fold."""


@kernel
def no_score(context: Context, a: int, b: int) -> float:
    """The end of the fold."""
    return 0.0


@kernel
def no_total(context: Context, row: int) -> float:
    """The end of the fold."""
    return 0.0


def build_clusters(templates: Sequence[Template]) -> Clusters | None:
    """Combine the kernels of all templates with cluster statistics; None if no template has any."""
    kernels: Clusters | None = None
    for number in reversed(range(len(templates))):
        part = templates[number].fast.clusters
        if part is not None:
            rest = kernels or Clusters(no_clear, no_add, no_score, no_total, no_total, no_score)
            kernels = _fold(number, part, rest)
    return kernels


def _fold(number: int, part: Clusters, rest: Clusters) -> Clusters:
    """Combine one template's weighted kernels with those of the templates after it."""
    clear_one, clear_rest, add_one, add_rest = part.clear, rest.clear, part.add, rest.add

    @kernel
    def clear(context: Context, row: int) -> None:
        clear_one(context.tables[number], row)
        clear_rest(context, row)

    @kernel
    def add(context: Context, row: int, i: int, sign: float) -> None:
        add_one(context.tables[number], row, i, sign)
        add_rest(context, row, i, sign)

    return Clusters(
        clear,
        add,
        _weigh_pair(number, part.gain, rest.gain),
        _weigh(number, part.total, rest.total),
        _weigh(number, part.kept, rest.kept),
        _weigh_pair(number, part.joint, rest.joint),
    )


def _weigh(number: int, first: Any, rest: Any) -> Any:
    @kernel
    def both(context: Context, row: int) -> float:
        weight = context.deltas[number].weights[0]
        return weight * first(context.tables[number], row) + rest(context, row)

    return both


def _weigh_pair(number: int, first: Any, rest: Any) -> Any:
    @kernel
    def both(context: Context, a: int, b: int) -> float:
        weight = context.deltas[number].weights[0]
        return weight * first(context.tables[number], a, b) + rest(context, a, b)

    return both
