"""The pairwise model of mentions: how similar the contents of one person's records are.

    S = log-odds of the pair of names + TEMPER * sum_q log(m_q(l) / u_q(l))

u comes from random pairs with different names, which are non-matches. Candidates are a mixture of
matches and of persons with equal names; EM estimates m and the share of matches at each level of
the names. A pair of names with many records has a share of its own, shrunk to that of its level
(`name_shares`). Columns of one paper depend on each other, so their sum is tempered.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from partita.comparison.comparisons import Comparisons
from partita.kernel import Floats, Ints, logistic
from partita.linkage.authors.name_shares import (
    NameGroups,
    NamePairs,
    estimate_name_odds,
    group_by_names,
)
from partita.linkage.pairwise.level_rates import count_rates, make_decreasing
from partita.linkage.pairwise.model import Levels, PairModel, PairScores
from partita.linkage.pairwise.term_frequency import TermFrequency, no_adjustment

__all__ = ["MentionModel", "estimate_share", "fit_mentions"]

TEMPER = 0.4
"""Weight of the summed contents. Chosen among .3, .4, .5 and 1 on ten variants of three open sets,
as are the next four."""
STEPS = 20
"""EM steps; chosen among 4, 8 and 20."""
FIRST_SHARES = (0.5, 0.05)
"""Shares of matches at which EM begins where the contents do not determine them: of equal names,
and of similar names. Origin: a choice."""
AGREEMENT_RATE = 0.05
"""Share of non-matches that agree in a column at most, where agreement is a yes or no.
Origin: a choice."""
ZERO = 0.5
"""Nats added to every pair: EM takes matches of unlike content for non-matches, and underestimates
the share of matches. Chosen among -1, -.5, 0, .5 and 1."""
RANDOM_PAIRS = 200_000
"""Random pairs from which u is estimated. A limit of CPU seconds."""
SMOOTHING = 5.0
"""Pairs by which m is drawn to u. Origin: a choice."""
NAME = 0
"""The place of the names among the compared columns."""


@dataclass(frozen=True, eq=False)
class MentionModel(PairModel):
    """A pairwise model whose log-odds of two names depend on the names."""

    name_adjustment: TermFrequency = field(kw_only=True)
    """The adjustment of equal names, and an upper bound of that of unequal names, by name."""
    name_pairs: NamePairs = field(kw_only=True)
    """The adjustment of each pair of unequal names."""

    def term_frequencies(self, comparisons: Comparisons) -> list[TermFrequency]:
        """The adjustment of equal names and a bound of that of unequal ones; contents have none."""
        rest = (no_adjustment(column.many) for column in comparisons.columns[NAME + 1 :])
        return [self.name_adjustment, *rest]

    def score(
        self,
        comparisons: Comparisons,
        pairs: ArrayLike,
        *,
        levels: Levels | None = None,
        term_frequencies: Sequence[TermFrequency] | None = None,
    ) -> PairScores:
        """Score pairs; the adjustment of unequal names is that of their pair."""
        known = term_frequencies or self.term_frequencies(comparisons)
        names = TermFrequency(known[NAME].equal, np.zeros(known[NAME].fuzzy.size))
        scores = super().score(
            comparisons, pairs, levels=levels, term_frequencies=[names, *known[NAME + 1 :]]
        )
        codes = comparisons.columns[NAME].codes.astype(np.int64)
        added = self.name_pairs.find(codes[np.asarray(pairs, np.int64).reshape(-1, 2)])
        scores.term_frequency[:, NAME] += added
        return replace(scores, total=scores.total + added)


def fit_mentions(
    comparisons: Comparisons, pairs: Ints, levels: Levels, ordered: Sequence[bool], seed: int
) -> MentionModel:
    """Fit the model to candidate pairs; `ordered` marks columns of ordered levels."""
    names = comparisons.columns[NAME]
    u = _estimate_u(comparisons, seed)
    groups = group_by_names(names.codes.astype(np.int64)[pairs], names.many, levels[:, NAME])
    odds, extra, weights, q = _run_em(levels, groups, u, ordered)
    n = comparisons.n
    lam = float(np.clip(q.sum() / max(1.0, n * (n - 1) / 2), 1e-9, 0.5))
    name_weights = odds + ZERO - np.log(lam / (1 - lam))
    everything = [name_weights, *weights]
    unequal = groups.list_unequal(extra)
    return MentionModel(
        names=comparisons.names,
        column_types=comparisons.column_types,
        comparisons=comparisons.comparisons,
        level_names=comparisons.level_names,
        m=[rates * np.exp(weight) for rates, weight in zip(u, everything, strict=True)],
        u=u,
        common=[1.0] * len(u),
        lam=lam,
        edges=[],
        household=None,
        converged=True,
        steps=STEPS,
        warnings=[],
        name_adjustment=TermFrequency(groups.list_equal(extra), unequal.largest()),
        name_pairs=unequal,
    )


def _run_em(
    levels: Levels, groups: NameGroups, u: Sequence[Floats], ordered: Sequence[bool]
) -> tuple[Floats, Floats, list[Floats], Floats]:
    """Log-odds of the levels of names and of the pairs of names, weights of contents, and q.

    q is the probability that a pair is a match, before `ZERO` is added.
    """
    weight, level = groups.weight, levels[:, NAME]
    equal = level == 0
    first = (
        estimate_share(levels[mask], weight[mask], u, share)
        for mask, share in zip((equal, ~equal), FIRST_SHARES, strict=True)
    )
    q: Floats = np.where(equal, *first)
    odds, extra, weights = np.zeros(0), np.zeros(0), list[Floats]()
    for _ in range(STEPS):
        weights = [
            _weights_of(levels[:, k], q * weight, u[k], ordered[k]) for k in range(1, len(u))
        ]
        odds, extra = estimate_name_odds(groups, level, q, len(u[NAME]))
        total = odds[level] + extra[groups.place]
        for k, row in enumerate(weights, start=1):
            total += np.append(row, 0.0)[levels[:, k]]
        q = logistic(total)
    return odds, extra, weights, q


def _estimate_u(comparisons: Comparisons, seed: int) -> list[Floats]:
    """Rates of levels among random pairs of records with different names."""
    rng = np.random.default_rng(seed)
    pairs = rng.integers(0, comparisons.n, (RANDOM_PAIRS, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    last = len(comparisons.level_names[NAME]) - 1
    pairs = pairs[comparisons.columns[NAME].levels(pairs) == last]
    levels = comparisons.levels(pairs)
    sizes = map(len, comparisons.level_names)
    return [count_rates(levels[:, k], size, 1.0) for k, size in enumerate(sizes)]


def estimate_share(levels: Levels, weight: Floats, u: Sequence[Floats], default: float) -> float:
    """The share of matches among pairs, from the dependence of their contents.

    Two columns are independent given match or non-match, and non-matches agree at the rates u.
    With rates a and b of agreement, their covariance c and e = (a - u_a)(b - u_b), the share of
    matches is e / (e + c). The estimate is the median over all pairs of columns. Columns of one
    paper depend on each other among matches, so that the estimate is too low: .52 instead of .92
    on citeseerx_penn_14names, .43 instead of .57 on dblp_xml_680. EM starts from it.
    """
    total = max(float(weight.sum()), 1.0)
    agrees, rates, excess = [], [], []
    for k in range(NAME + 1, len(u)):
        reached = np.cumsum(u[k])
        last = int((reached <= AGREEMENT_RATE).sum()) - 1
        if last >= 0:
            column = (levels[:, k] >= 0) & (levels[:, k] <= last)
            agrees.append(column)
            rates.append(float(weight @ column) / total)
            excess.append(rates[-1] - reached[last])
    shares = []
    for a, b in combinations(range(len(agrees)), 2):
        product = excess[a] * excess[b]
        both = float(weight @ (agrees[a] & agrees[b])) / total
        covariance = both - rates[a] * rates[b]
        if min(excess[a], excess[b]) > 0 and covariance > 0:
            shares.append(product / (product + covariance))
    return float(np.median(shares)) if shares else default


def _weights_of(level: NDArray[np.int8], q: Floats, u: Floats, ordered: bool) -> Floats:
    """Tempered weights of a column, falling from level to level where levels are ordered."""
    m = count_rates(level, u.size, SMOOTHING * u, q)
    weights = np.log(m / u)
    return TEMPER * (make_decreasing(weights, m + u) if ordered else weights)
