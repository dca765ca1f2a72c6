"""Groundings of rules: joins of sorted fact tables, never all pairs of entities.

A body is joined atom by atom. The facts of a relation are rows of a sparse matrix (sorted keys);
a bound term selects a row of the matrix or of its transpose, and two bound terms are a look-up.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.kernel import Ints, Rng
from partita.knowledge.rules import Atom, Rule, Term
from partita.knowledge.triples import Triples

__all__ = ["FactIndex", "Groundings", "find_groundings", "index_facts"]

MAX_GROUNDINGS = 2_000_000
"""Groundings of one rule; a larger join is sampled. Origin: 200 MB of memory."""


@dataclass(frozen=True, eq=False)
class FactIndex:
    """Facts sorted by (relation, head, tail) and by (relation, tail, head)."""

    triples: Triples
    forward: Ints
    backward: Ints

    def has(self, keys: Ints) -> NDArray[np.bool_]:
        """Return whether each key is a fact."""
        return np.isin(keys, self.forward)

    def counts(self) -> Ints:
        """Return the number of facts of each relation."""
        n = len(self.triples.entities)
        return np.bincount(self.forward // (n * n), minlength=len(self.triples.relations))


def index_facts(triples: Triples, keys: Iterable[int] | Ints) -> FactIndex:
    """Build the index of facts, by their keys."""
    forward = np.unique(np.asarray(keys, np.int64))
    facts = triples.facts_of(forward)
    reverse = triples.keys(facts[:, [2, 1, 0]])
    return FactIndex(triples, forward, np.sort(reverse))


class Groundings(NamedTuple):
    """Groundings of one rule: keys of the body's facts and of the head, and a share each."""

    body: Ints
    """One row for each grounding, one column for each atom."""
    head: Ints
    share: NDArray[np.float64]
    """1 / the ways to bind the variables outside the head, for one argument of the head."""
    sampled: float = 1.0
    """The share of the groundings that is listed."""


Binding = dict[str, Ints]


def find_groundings(
    rule: Rule,
    index: FactIndex,
    observed: FactIndex,
    rng: Rng,
    limit: int = MAX_GROUNDINGS,
) -> Groundings:
    """Find the bindings of a rule under which all atoms of its body are facts of the index.

    The share of a grounding counts bindings among the observed facts.
    """
    binding, sampled = _join(rule.body, rule.distinct, index, rng, limit)
    triples = index.triples
    body = np.stack([_keys(atom, binding, triples) for atom in rule.body], 1)
    head = _keys(rule.head, binding, triples)
    return Groundings(body, head, _shares(rule, binding, body, observed), sampled)


def _join(
    atoms: Sequence[Atom],
    distinct: Sequence[tuple[Term, Term]],
    index: FactIndex,
    rng: Rng,
    limit: int,
) -> tuple[Binding, float]:
    """Join the facts of several atoms; return the values of each variable and the kept share."""
    sizes, left = index.counts(), list(atoms)
    kinds = {name: k for k, name in enumerate(index.triples.relations)}
    binding: Binding = {}
    rows, weight = 1, 1.0

    def cost(atom: Atom) -> tuple[int, int]:
        free = sum(variable not in binding for variable in atom.variables)
        return free, int(sizes[kinds[atom.relation]])

    while left:
        connected = [atom for atom in left if set(atom.variables) & set(binding)] or left
        atom = min(connected, key=cost)
        left.remove(atom)
        low, high, column = _find_rows(atom, binding, index, rows)
        total = int((high - low).sum())
        if total > limit:
            share = limit / total
            chosen = np.flatnonzero(rng.random(rows) < share) if rows > 1 else np.zeros(1, np.int64)
            binding = {name: values[chosen] for name, values in binding.items()}
            low, high = low[chosen], high[chosen]
            if rows == 1:
                high = np.minimum(high, low + limit)
            rows, weight = len(chosen), weight * share
        binding, rows = _expand(atom, binding, low, high, column, index)
    for a, b in distinct:
        both = [_values(term, binding, index.triples, rows) for term in (a, b)]
        chosen = np.flatnonzero(both[0] != both[1])
        binding = {name: values[chosen] for name, values in binding.items()}
        rows = len(chosen)
    return binding, weight


def _values(term: Term, binding: Binding, triples: Triples, rows: int) -> Ints:
    if isinstance(term, str):
        return binding[term]
    return np.full(rows, triples.entities.index(term.name), np.int64)


def _is_bound(term: Term, binding: Binding) -> bool:
    return not isinstance(term, str) or term in binding


def _find_rows(
    atom: Atom, binding: Binding, index: FactIndex, rows: int
) -> tuple[Ints, Ints, NDArray[np.int64]]:
    """Find the range of matching facts of each binding, in the order that suits bound terms."""
    triples = index.triples
    n = len(triples.entities)
    base = triples.relations.index(atom.relation) * n
    first, second = (_is_bound(term, binding) for term in atom.terms)
    column = index.backward if second and not first else index.forward
    if not first and not second:
        low, high = np.searchsorted(column, [base * n, (base + n) * n])
        return np.full(rows, low), np.full(rows, high), column
    bound = atom.first if first else atom.second
    start = (base + _values(bound, binding, triples, rows)) * n
    if first and second:
        start = start + _values(atom.second, binding, triples, rows)
        stop = start + 1
    else:
        stop = start + n
    return np.searchsorted(column, start), np.searchsorted(column, stop), column


def _expand(
    atom: Atom, binding: Binding, low: Ints, high: Ints, column: Ints, index: FactIndex
) -> tuple[Binding, int]:
    """Repeat each binding for every matching fact, and bind the free variables of the atom."""
    counts = high - low
    source = np.repeat(np.arange(len(counts)), counts)
    begin = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int64)
    place = np.arange(len(source)) - begin[source] + low[source]
    longer = {name: values[source] for name, values in binding.items()}
    n = len(index.triples.entities)
    pair, last = np.divmod(column[place], n)
    head, tail = (last, pair % n) if column is index.backward else (pair % n, last)
    for term, values in zip(atom.terms, (head, tail), strict=True):
        if isinstance(term, str) and term not in longer:
            longer[term] = values
    if atom.first == atom.second and isinstance(atom.first, str):
        chosen = np.flatnonzero(head == tail)
        return {name: values[chosen] for name, values in longer.items()}, len(chosen)
    return longer, len(source)


def _keys(atom: Atom, binding: Binding, triples: Triples) -> Ints:
    rows = len(next(iter(binding.values()))) if binding else 1
    first, second = (_values(term, binding, triples, rows) for term in atom.terms)
    relation = np.full(rows, triples.relations.index(atom.relation), np.int64)
    return triples.keys(np.stack([first, relation, second], 1))


def _shares(rule: Rule, binding: Binding, body: Ints, observed: FactIndex) -> NDArray[np.float64]:
    """Return 1 / the number of ways to bind the variables outside the head, for one argument.

    The argument is the one with more distinct values among the observed facts of the relation. So
    a rule over neighbours counts the share of the neighbours that support its head. Ways through
    observed facts count, or all ways where there is none.
    """
    inner = sorted({v for atom in rule.body for v in atom.variables} - set(rule.head.variables))
    own = _determining(rule.head, observed)
    if not inner or own is None or not len(body):
        return np.ones(len(body))
    n = len(observed.triples.entities)
    way = binding[own]
    for variable in inner:
        # numbers of pairs, because NumPy sorts numbers much faster than rows
        way = np.unique(way * n + binding[variable], return_inverse=True)[1]
    counts = []
    for rows in (np.flatnonzero(observed.has(body).all(1)), np.arange(len(body))):
        first = rows[np.unique(way[rows], return_index=True)[1]]
        counts.append(np.bincount(binding[own][first], minlength=n)[binding[own]])
    return np.asarray(1.0 / np.where(counts[0] > 0, counts[0], counts[1]))


def _determining(head: Atom, observed: FactIndex) -> str | None:
    """Return the variable of the head with more distinct values; None if both are constants."""
    triples = observed.triples
    relation = triples.relations.index(head.relation)
    facts = triples.facts_of(observed.forward)
    own = facts[facts[:, 1] == relation]
    terms = (
        head.terms if np.unique(own[:, 0]).size >= np.unique(own[:, 2]).size else head.terms[::-1]
    )
    return next((term for term in terms if isinstance(term, str)), None)
