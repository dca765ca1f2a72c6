"""Worlds: unobserved facts as binary labels, and grounded rules as clauses over them.

A rule puts its heads into the world, bodies of latent facts included, round after round. Observed
facts are constants; a fact that no rule touches never enters.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import scipy
from numpy.typing import NDArray

from partita.factors import Model, clauses, unary
from partita.kernel import Floats, Ints, Rng
from partita.knowledge.groundings import Groundings, find_groundings, index_facts
from partita.knowledge.rules import Rule
from partita.knowledge.triples import Triples

__all__ = ["Clause", "World", "build_world"]

NONE = -1
"""In place of a variable: a constant."""
MAJORITY = 0.5
"""Share of a rule's groundings that must support a head for the embedding to be fitted to it."""
MAX_FACTS = 1_000_000
"""Latent facts at which no further round begins. Origin: 1 GB of draws."""


@dataclass(frozen=True, eq=False)
class Clause:
    """Grounded clauses, literal by literal, and the groundings behind them."""

    scope: Ints
    bad: Ints
    """The label of each literal's variable under which the clause is violated, if all have it."""
    lengths: Ints
    rule: Ints
    value: Floats
    body: list[Ints]
    """Keys of the body of each clause, by rule: clauses by atoms."""
    head: Ints

    @cached_property
    def owner(self) -> Ints:
        """The clause of each literal."""
        return np.repeat(np.arange(self.lengths.size), self.lengths)


@dataclass(frozen=True, eq=False)
class World:
    """Latent facts and the clauses between them."""

    triples: Triples
    rules: tuple[Rule, ...]
    keys: Ints
    """Keys of the latent facts in rising order: the variables."""
    clause: Clause
    conflicts: list[tuple[int, Ints, int]] = field(repr=False)
    """Rule, body and head of each grounding that the observed facts violate."""
    groundings: list[Groundings] = field(repr=False)

    @property
    def n(self) -> int:
        """The number of latent facts."""
        return int(self.keys.size)

    @property
    def facts(self) -> Ints:
        """The latent facts: head, relation, tail."""
        return self.triples.facts_of(self.keys)

    def model(self, log_odds: Floats, weights: Floats) -> Model:
        """Build the model: log-odds of each fact as unary factors, a factor for each clause.

        `weights` holds the bias, the weight of the log-odds, and one weight for each rule.
        """
        observed = np.stack([np.ones(self.n), log_odds], 1)
        names = [f"{k + 1}: {rule}" for k, rule in enumerate(self.rules)]
        parts = self.clause
        templates = [
            unary(
                observed,
                ["false", "true"],
                features=["bias", "embedding"],
                weights=[[0.0, 0.0], [weights[0], weights[1]]],
                name="fact",
            )
        ]
        if self.rules:
            templates.append(
                clauses(
                    *(parts.scope, parts.bad, parts.lengths),
                    rule=parts.rule,
                    rules=names,
                    values=parts.value,
                    weights=weights[2:],
                    name="rule",
                )
            )
        return Model(*templates)

    def literal_pulls(self, labels: NDArray[np.integer]) -> Floats:
        """Return the log-odds that each literal's clause adds to its fact per unit of weight.

        The other facts have the given labels: a clause pulls only where they leave it undecided.
        """
        parts, owner = self.clause, self.clause.owner
        is_bad = labels[parts.scope] == parts.bad
        bad = np.bincount(owner, is_bad, minlength=parts.lengths.size)
        decides = bad[owner] - is_bad == parts.lengths[owner] - 1
        sign = np.where(parts.bad == 0, 1.0, -1.0)
        return np.where(decides, sign * parts.value[owner], 0.0)

    def pulls(self, labels: NDArray[np.integer]) -> scipy.sparse.csr_array:
        """Return the log-odds that each rule adds to each fact per unit: facts by rules."""
        parts = self.clause
        places = parts.scope, parts.rule[parts.owner]
        shape = (self.n, len(self.rules))
        return scipy.sparse.coo_array((self.literal_pulls(labels), places), shape=shape).tocsr()

    def derive(self) -> Ints:
        """Return latent facts that a rule supports by at least half of its groundings.

        Bodies are observed. A rule counts unless its stated confidence is below one half.
        """
        observed = self.triples.keys(self.triples.facts)
        derived = []
        for rule, grounding in zip(self.rules, self.groundings, strict=True):
            if rule.negated or (rule.confidence is not None and rule.confidence < MAJORITY):
                continue
            full = np.isin(grounding.body, observed).all(1)
            heads, place = np.unique(grounding.head[full], return_inverse=True)
            support = np.bincount(place, grounding.share[full], minlength=heads.size)
            derived.append(heads[support > MAJORITY - 1e-9])
        keys = np.unique(np.concatenate([*derived, self.keys[:0]]))
        return self.triples.facts_of(np.intersect1d(keys, self.keys))

    def places(self, keys: Ints) -> Ints:
        """Return the variable of each key, or -1."""
        return _find(keys, self.keys)

    def place(self, key: int) -> int:
        """Return the variable of a key, or -1."""
        return int(self.places(np.array([key]))[0])


def build_world(
    triples: Triples,
    rules: Sequence[Rule],
    rng: Rng,
    *,
    queries: Iterable[int] | Ints = (),
    depth: int = 2,
    share: bool = True,
) -> World:
    """Ground the rules on observed and derived facts.

    Parameters
    ----------
    queries
        Keys of facts that enter the world even if no rule derives them.
    depth
        Rounds: the rules apply to observed facts, then also to heads of the round before.
    share
        Whether groundings that differ only outside the head share one unit, or each counts in full.
    """
    observed, false = triples.keys(triples.facts), triples.keys(triples.false)
    fixed = np.union1d(observed, false)
    latent = np.setdiff1d(np.asarray(queries, np.int64), fixed)
    known = index_facts(triples, observed)
    for _ in range(depth):
        index = index_facts(triples, np.union1d(observed, latent))
        heads = [
            find_groundings(rule, index, known, rng).head for rule in rules if not rule.negated
        ]
        fresh = np.setdiff1d(np.concatenate([*heads, latent[:0]]), fixed)
        longer = np.union1d(latent, fresh)
        if longer.size == latent.size or longer.size > MAX_FACTS:
            break
        latent = longer
    index = index_facts(triples, np.union1d(observed, latent))
    groundings = [find_groundings(rule, index, known, rng) for rule in rules]
    if not share:
        groundings = [
            grounding._replace(share=np.ones(len(grounding.head))) for grounding in groundings
        ]
    reduced = [
        _reduce(rule, grounding, latent, observed, false)
        for rule, grounding in zip(rules, groundings, strict=True)
    ]
    conflicts = [
        (number, groundings[number].body[row], int(groundings[number].head[row]))
        for number, part in enumerate(reduced)
        for row in part.conflicts
    ]
    return World(triples, tuple(rules), latent, _stack(reduced, groundings), conflicts, groundings)


@dataclass(frozen=True, eq=False)
class _Reduced:
    """Clauses of one rule after constants are removed."""

    rows: Ints
    """The groundings that are clauses."""
    variables: Ints
    """Clauses by literals; -1 where there is none."""
    bad: Ints
    conflicts: Ints


def _find(keys: Ints, latent: Ints) -> Ints:
    """Return the variable of each key, or -1."""
    if not latent.size:
        return np.full(keys.shape, NONE, np.int64)
    at = np.minimum(np.searchsorted(latent, keys), latent.size - 1)
    return np.where(latent[at] == keys, at, NONE)


def _reduce(
    rule: Rule, groundings: Groundings, latent: Ints, observed: Ints, false: Ints
) -> _Reduced:
    """Remove constants from the groundings of a rule; drop those that are always satisfied."""
    body, head = _find(groundings.body, latent), _find(groundings.head, latent)
    is_true, is_false = np.isin(groundings.head, observed), np.isin(groundings.head, false)
    if rule.negated:
        open_ = ~is_false & (is_true | (head != NONE))
    else:
        open_ = ~is_true & (is_false | (head != NONE))
    for k in range(1, body.shape[1]):
        repeated = (body[:, :k] == body[:, k : k + 1]).any(1)
        body[:, k] = np.where(repeated, NONE, body[:, k])
    own = (body == head[:, None]).any(1) & (head != NONE)
    if rule.negated:
        head = np.where(own, NONE, head)
    else:
        open_ &= ~own
    variables = np.concatenate([body, head[:, None]], 1)
    bad = np.ones_like(variables)
    bad[:, -1] = 1 if rule.negated else 0
    empty = (variables == NONE).all(1)
    rows = np.flatnonzero(open_ & ~empty)
    return _Reduced(rows, variables[rows], bad[rows], np.flatnonzero(open_ & empty))


def _stack(reduced: Sequence[_Reduced], groundings: Sequence[Groundings]) -> Clause:
    """Stack the clauses of all rules."""
    none = np.zeros(0, np.int64)
    used = [part.variables != NONE for part in reduced]
    return Clause(
        np.concatenate([none, *(p.variables[u] for p, u in zip(reduced, used, strict=True))]),
        np.concatenate([none, *(p.bad[u] for p, u in zip(reduced, used, strict=True))]),
        np.concatenate([none, *(u.sum(1) for u in used)]).astype(np.int64),
        np.concatenate([none, *(np.full(len(p.rows), k) for k, p in enumerate(reduced))]),
        np.concatenate(
            [np.zeros(0), *(m.share[p.rows] for p, m in zip(reduced, groundings, strict=True))]
        ),
        [m.body[p.rows] for p, m in zip(reduced, groundings, strict=True)],
        np.concatenate([none, *(m.head[p.rows] for p, m in zip(reduced, groundings, strict=True))]),
    )
