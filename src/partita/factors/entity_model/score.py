"""Scores of one field of one entity, from the distinct values that it shows.

J = log sum_y f(y) prod_b [Gamma(c_b + w_by) / Gamma(w_by)] - log [Gamma(theta + n) / Gamma(theta)]
with w_by = theta K(b|y); J = log f for one record and 0 for none. The LLR of an entity is J less
the cost of its records alone, which no move changes in sum. `gain` and `loss` are the changes of J
by one record: with the shares p_y of the latent values, adding x gives log [sum_y p_y (c_x + w_xy)
/ (theta + n)].
"""

from __future__ import annotations

import math

from partita.factors.entity_model.cache import (
    COUNT,
    DISTINCT,
    FRESH,
    MOST_LATENT,
    PLACE,
    STATUS,
    Shown,
    find,
)
from partita.factors.entity_model.table import CAP, FAR, LOG_SAME, SAME, THETA, Near, factor
from partita.kernel import Floats, kernel

__all__ = ["gain", "joint", "loss", "refresh"]

FEW = 16
"""Up to as many copies a rising product is multiplied out."""

TINY, HUGE = 1e-150, 1e150


@kernel
def log_rise(w: float, count: int) -> float:
    """log of w (w + 1) ... (w + count - 1)."""
    return math.lgamma(w + count) - math.lgamma(w)


@kernel
def rise(w: float, count: int) -> float:
    """w (w + 1) ... (w + count - 1), for few."""
    product = w
    for j in range(1, count):
        product *= w + j
    return product


@kernel
def raised(old: float, new: float, count: int, more: int) -> float:
    """Rising product of `new` over count + more, by that of `old` over count; more is 1 or -1."""
    if old == new:
        return new + count if more > 0 else 1.0 / (new + count - 1)
    return math.exp(log_rise(new, count + more) - log_rise(old, count))


@kernel
def ranks_above(count: int, value: int, other_count: int, other_value: int) -> bool:
    """Whether a value comes before another as a latent one: the commoner, then by number."""
    return count > other_count or (count == other_count and value < other_value)


@kernel
def list_latent(shown: Shown, start: int, distinct: int) -> int:
    """List the commonest distinct values in scratch; returns how many."""
    if distinct <= MOST_LATENT:
        for k in range(distinct):
            shown.latent[k] = k
        return distinct
    for k in range(distinct):
        shown.parts[start + 2 * k + 1] = -1.0
    for a in range(MOST_LATENT):
        best = -1
        for k in range(distinct):
            at = start + 2 * k
            if shown.parts[at + 1] < 0.0 and (
                best < 0 or shown.cells[at + 1] > shown.cells[start + 2 * best + 1]
            ):
                best = k
        shown.latent[a] = best
        shown.parts[start + 2 * best + 1] = 0.0
    return MOST_LATENT


@kernel
def log_latent(
    near: Near, rate: Floats, shown: Shown, start: int, distinct: int, latent: int
) -> float:
    """log f(y) prod_b [Gamma(c_b + w_by) / Gamma(w_by)] of one distinct value y."""
    y = shown.cells[start + 2 * latent]
    product, total = shown.parts[start + 2 * latent], 0.0
    for k in range(distinct):
        at = start + 2 * k
        count, w = shown.cells[at + 1], rate[SAME]
        if k != latent:
            w = min(rate[CAP], factor(near, rate[FAR], y, shown.cells[at]) * shown.parts[at])
        if count > FEW:
            total += log_rise(w, count)
        else:
            product *= rise(w, count)
        if product < TINY or product > HUGE:
            total += math.log(product)
            product = 1.0
    return total + math.log(product)


@kernel(inline=False)
def refresh(near: Near, rate: Floats, shown: Shown, row: int) -> None:
    """Compute shares and score of the latent values of a row with a block from its counts."""
    start, distinct = shown.head[row, PLACE], shown.head[row, DISTINCT]
    many, top, total = list_latent(shown, start, distinct), -math.inf, 0.0
    for a in range(many):
        shown.score[a] = log_latent(near, rate, shown, start, distinct, shown.latent[a])
        top = max(top, shown.score[a])
    for a in range(many):
        total += math.exp(shown.score[a] - top)
    top += math.log(total)
    for a in range(many):
        shown.parts[start + 2 * shown.latent[a] + 1] = math.exp(shown.score[a] - top)
    shown.level[row] = top
    shown.head[row, STATUS] = FRESH


@kernel
def alone(rate: Floats, frequency: float, count: int) -> float:
    """J of `count` records with one value."""
    if count <= 1:
        return math.log(frequency) if count == 1 else 0.0
    return math.log(frequency) + log_rise(rate[SAME], count) - log_rise(rate[THETA], count)


@kernel(inline=False)
def joint(near: Near, rate: Floats, shown: Shown, row: int) -> float:
    """J of a row whose frequencies are known."""
    count = shown.head[row, COUNT]
    if shown.head[row, DISTINCT] <= 1:
        return alone(rate, shown.level[row], count)
    if shown.head[row, STATUS] != FRESH:
        refresh(near, rate, shown, row)
    return shown.level[row] - log_rise(rate[THETA], count)


@kernel
def becomes_latent(shown: Shown, start: int, distinct: int, value: int, count: int) -> bool:
    """Whether a value with this count ranks above one of the latent values."""
    for k in range(distinct):
        at = start + 2 * k
        if shown.parts[at + 1] >= 0.0 and ranks_above(
            count, value, shown.cells[at + 1], shown.cells[at]
        ):
            return True
    return False


@kernel
def gain_copy(
    near: Near, rate: Floats, shown: Shown, row: int, x: int, frequency: float, at: int
) -> float:
    """J after by before, but for theta + n, when x is at `at`; negative: do it the long way."""
    start, distinct = shown.head[row, PLACE], shown.head[row, DISTINCT]
    old, count = shown.parts[start + 2 * at], shown.cells[start + 2 * at + 1]
    hidden = shown.parts[start + 2 * at + 1] < 0.0
    if hidden and becomes_latent(shown, start, distinct, x, count + 1):
        return -1.0
    new, total = max(old, frequency), 0.0
    for k in range(distinct):
        share = shown.parts[start + 2 * k + 1]
        if k == at and not hidden:
            total += share * (count + rate[SAME]) * (new / old)
        elif share > 0.0:
            by = factor(near, rate[FAR], x, shown.cells[start + 2 * k])
            w = min(rate[CAP], by * new)
            total += share * raised(min(rate[CAP], by * old), w, count, 1)
    return total


@kernel
def gain_variant(
    near: Near, rate: Floats, shown: Shown, row: int, x: int, frequency: float
) -> float:
    """The same when no record shows x yet."""
    start, distinct = shown.head[row, PLACE], shown.head[row, DISTINCT]
    joins = distinct < MOST_LATENT
    if not joins and becomes_latent(shown, start, distinct, x, 1):
        return -1.0
    total, product, log_new = 0.0, frequency * rate[SAME], -shown.level[row]
    for k in range(distinct):
        at = start + 2 * k
        share = shown.parts[at + 1]
        if not joins and share <= 0.0:
            continue
        by = factor(near, rate[FAR], x, shown.cells[at])
        total += share * min(rate[CAP], by * frequency)
        if joins:
            w, count = min(rate[CAP], by * shown.parts[at]), shown.cells[at + 1]
            if count > FEW:
                log_new += log_rise(w, count)
            else:
                product *= rise(w, count)
    if not joins:
        return total
    log_new += math.log(product)
    return total + math.exp(log_new) if log_new < 300.0 else -1.0


@kernel
def gain_many(near: Near, rate: Floats, shown: Shown, row: int, x: int, frequency: float) -> float:
    """Share of J after in J before, but for theta + n, of a row with a block; or negative."""
    if shown.head[row, STATUS] != FRESH:
        refresh(near, rate, shown, row)
    start, distinct = shown.head[row, PLACE], shown.head[row, DISTINCT]
    at = find(shown, start, distinct, x)
    if at < distinct and shown.cells[start + 2 * at] == x:
        return gain_copy(near, rate, shown, row, x, frequency, at)
    return gain_variant(near, rate, shown, row, x, frequency)


@kernel(inline=False)
def gain(near: Near, rate: Floats, shown: Shown, row: int, x: int, frequency: float) -> float:
    """Change of J by one more record with x; not a number where it must be done the long way."""
    count = shown.head[row, COUNT]
    if count == 0:
        return math.log(frequency)
    if shown.head[row, DISTINCT] > 1:
        more = gain_many(near, rate, shown, row, x, frequency)
        return math.log(more / (rate[THETA] + count)) if more > TINY else math.nan
    other, old, same = shown.head[row, PLACE], shown.level[row], rate[SAME]
    # J of one record is log f, without the K(y|y) of the formula
    first = rate[LOG_SAME] if count == 1 else 0.0
    if other == x:
        more = (same + count) * (max(old, frequency) / old)
    else:
        by = factor(near, rate[FAR], x, other)
        w, more = min(rate[CAP], by * old), same * (frequency / old)
        if count > FEW:
            more *= math.exp(log_rise(w, count) - log_rise(same, count))
        else:
            more *= rise(w, count) / rise(same, count)
        more += min(rate[CAP], by * frequency)
    return first + math.log(more / (rate[THETA] + count))


@kernel(inline=False)
def loss(near: Near, rate: Floats, shown: Shown, row: int, x: int, frequency: float) -> float:
    """Change of J by one record with x less; `frequency` is then that of x (if any is left).

    Not a number where it must be done the long way.
    """
    n, distinct = shown.head[row, COUNT], shown.head[row, DISTINCT]
    before = joint(near, rate, shown, row)
    if distinct == 1:
        return alone(rate, frequency, n - 1) - before
    start = shown.head[row, PLACE]
    at = find(shown, start, distinct, x)
    count = shown.cells[start + 2 * at + 1]
    if distinct == 2 and count == 1:
        return alone(rate, shown.parts[start + 2 - 2 * at], n - 1) - before
    if distinct > MOST_LATENT and shown.parts[start + 2 * at + 1] >= 0.0:
        return math.nan
    old, total = shown.parts[start + 2 * at], 0.0
    for k in range(distinct):
        share = shown.parts[start + 2 * k + 1]
        if k == at:
            if count > 1 and share > 0.0:
                total += share * (frequency / old) / (rate[SAME] + count - 1)
        elif share > 0.0:
            by = factor(near, rate[FAR], x, shown.cells[start + 2 * k])
            w = min(rate[CAP], by * old)
            if count == 1:
                total += share / w
            else:
                total += share * raised(w, min(rate[CAP], by * frequency), count, -1)
    return math.log(total * (rate[THETA] + n - 1)) if total > TINY else math.nan
