"""Grounded clauses over Labels: a factor for each, with one shared weight for each rule.

A clause is violated where every variable of its scope has its `bad` label, such as a true body
with a false head. score = - sum over clauses of w[rule] * value * [violated]   (Richardson and
Domingos 2006, equation 3, up to a constant).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from partita.errors import InputError
from partita.factors.fields import count_listed
from partita.factors.template import Cache, Template, feature_weights, finite
from partita.kernel import Delta, Floats, Ints, kernel, push
from partita.states import Labels, Relabel
from partita.states.checks import integers

__all__ = ["clauses"]


class Clauses(NamedTuple):
    """Clauses by variable, and the variables, bad labels, rule and value of each clause."""

    start: Ints
    clause: Ints
    scope_start: Ints
    scope: Ints
    bad: Ints
    rule: Ints
    value: Floats


@kernel
def clause_emit(table: Clauses, state: Labels, move: Relabel, k: int, delta: Delta) -> float:
    """Push the change of the violation, which is none where another variable satisfies it."""
    c = table.clause[table.start[move.variable] + k]
    bad = 0
    for at in range(table.scope_start[c], table.scope_start[c + 1]):
        variable = table.scope[at]
        if variable == move.variable:
            bad = table.bad[at]
        elif state.label[variable] != table.bad[at]:
            return 0.0
    if move.old == bad:
        return push(delta, table.rule[c], table.value[c])
    if move.new == bad:
        return push(delta, table.rule[c], -table.value[c])
    return 0.0


def clauses(
    scope: ArrayLike,
    bad: ArrayLike,
    lengths: ArrayLike,
    *,
    rule: ArrayLike | None = None,
    rules: Sequence[str] = ("rule",),
    values: ArrayLike | float = 1.0,
    weights: float | ArrayLike = 1.0,
    name: str = "clauses",
) -> Template:
    """Build one factor for each grounded clause; the clauses of a rule share one weight.

    Parameters
    ----------
    scope
        The variables of all clauses, clause after clause; a clause names each at most once.
    bad
        The label of each of these variables under which its clause is violated, if all have it.
    lengths
        The number of variables of each clause.
    rule
        The number of each clause's rule; by default all clauses have rule 0.
    rules
        The names of the rules.
    values
        The size of each clause's feature: its penalty is the weight of the rule times the value.
    """
    features, start_weights = feature_weights(name, rules, weights)
    table = _build_table(scope, bad, lengths, rule, values, len(features), name)
    n = table.start.size - 1
    largest = np.zeros(len(features))
    np.maximum.at(largest, table.rule, np.abs(table.value))

    def prepare(table: Clauses, state: Labels) -> Clauses:
        # variables without clauses may follow the last variable with a clause
        missing = state.label.size - (table.start.size - 1)
        return table._replace(start=np.pad(table.start, (0, missing), mode="edge"))

    def check(state: Labels) -> None:
        if state.label.size < n:
            raise InputError(
                f"{name} was built for {n} variables but the start has {state.label.size}; "
                "give both the same variables"
            )

    return Template(
        name,
        Labels,
        features,
        start_weights,
        count_listed,
        clause_emit,
        table,
        cache=Cache(prepare=prepare),
        bound=lambda w: float((np.abs(w) * largest).max(initial=0.0)),
        check=check,
    )


def _build_table(
    scope: ArrayLike,
    bad: ArrayLike,
    lengths: ArrayLike,
    rule: ArrayLike | None,
    values: ArrayLike | float,
    rules: int,
    name: str,
) -> Clauses:
    variables, labels = integers(scope, f"{name}: the scope"), integers(bad, f"{name}: bad labels")
    sizes = integers(lengths, f"{name}: lengths")
    count = sizes.size
    if labels.shape != variables.shape or sizes.sum() != variables.size or (sizes < 1).any():
        raise InputError(
            f"{name}: there are {variables.size} variables, {labels.size} bad labels and lengths "
            f"of {sizes.sum()} in all; give each clause a variable, and each variable a label"
        )
    if (variables < 0).any():
        raise InputError(
            f"{name}: a clause names the variable {variables.min()}; number variables from 0"
        )
    owner = np.repeat(np.arange(count), sizes)
    order = np.lexsort((owner, variables))
    same = (np.diff(owner[order]) == 0) & (np.diff(variables[order]) == 0)
    if same.any():
        twice = int(variables[order][1:][same][0])
        raise InputError(f"{name}: a clause names the variable {twice} twice; name it once")
    kinds = np.zeros(count, np.int64) if rule is None else integers(rule, f"{name}: the rules")
    if kinds.shape != (count,) or ((kinds < 0) | (kinds >= rules)).any():
        raise InputError(f"{name}: give each of {count} clauses a rule in 0..{rules - 1}")
    value = finite(values, f"values of {name}")
    if value.shape not in ((), (count,)):
        raise InputError(
            f"{name}: there are {value.size} values for {count} clauses; give one each"
        )
    start = np.concatenate([[0], np.cumsum(np.bincount(variables))]).astype(np.int64)
    scope_start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    filled = np.array(np.broadcast_to(value, count))
    return Clauses(start, owner[order], scope_start, variables, labels, kinds, filled)
