"""Rates of rules: how often each rule is right, estimated from agreement with the other rules.

A rule that fires at a token states a set of labels. Its rate is the probability that the token's
label is in the set. The labels are hidden; EM alternates between the probability of each label of
each token, given the rules that fire there and the neighbouring words, and the rates. A firing
without other evidence changes no rate: its probability equals the present rate of its rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from partita.kernel import Floats, Ints
from partita.text.extraction.decoding import Decoded
from partita.text.extraction.rules import Rules

__all__ = [
    "PRIOR_RATE",
    "RuleRate",
    "estimate_rates",
    "judge_rules",
    "measure_rates",
    "name_doubtful",
]

PRIOR_RATE = 0.8
"""The rate of a rule before the data; users write rules that they expect to be mostly right."""
PRIOR_CASES = 10.0
"""Cases that the prior rate counts for."""
ROUNDS = 30
"""Rounds of EM; rates change by less than 0.01 afterwards on generated lines."""
CONTEXT_POWER = 0.5
"""Power of the neighbouring words' likelihood, below 1 because neighbours depend on each other."""
SMOOTHING = 1.0
"""Cases added to each word of a label's distribution of neighbours."""
POSITIONS = 8
"""Equal parts of a line; the part of a token is evidence for its label."""
DOUBTFUL_RATE = 0.5
"""Rate below which a rule is reported as doubtful."""
SHOWN_LINES = 3
"""Lines to look at for each doubtful rule."""


class RuleRate(NamedTuple):
    """The estimated or measured rate of one rule."""

    rule: str
    cases: int
    """Firings; for a rule about segments the segments or lines that it concerns."""
    rate: float
    """The share of cases in which the rule seems right; NaN without cases."""
    doubtful: tuple[int, ...] = ()
    """Lines in which the rule seems wrong, the most certain first."""


class TokenFirings(NamedTuple):
    """Firings spread over their tokens."""

    firing: Ints
    token: Ints
    rule: Ints


def spread_firings(rules: Rules) -> TokenFirings:
    """Return one row for each token of each firing."""
    rule, _, start, stop = rules.firings
    sizes = stop - start
    firing = np.repeat(np.arange(rule.size), sizes)
    offset = np.arange(firing.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return TokenFirings(firing, start[firing] + offset, rule[firing])


def estimate_rates(rules: Rules) -> tuple[Floats, Floats]:
    """Estimate the rate of each rule and the probability of each label of each token.

    A rule with a strength keeps it as its rate. Rates of structural rules are NaN.
    """
    spread = spread_firings(rules)
    schema = rules.schema
    fixed = np.array([np.nan if r.strength is None else r.strength for r in schema.rules], float)
    rates = np.where(np.isnan(fixed), PRIOR_RATE, fixed)
    features = _describe_context(rules)
    covered = np.unique(spread.token)
    base = np.full((rules.tokens.n, len(schema.labels)), 1.0 / len(schema.labels))
    share = np.full(len(schema.labels), 1.0 / len(schema.labels))
    labels = base
    for _ in range(ROUNDS):
        labels = _label_tokens(rules, spread, rates, base, share)
        agreement = (labels[spread.token] * rules.allowed[spread.rule]).sum(1)
        right = np.bincount(spread.rule, agreement, len(schema.rules))
        cases = np.bincount(spread.rule, minlength=len(schema.rules))
        updated = (right + PRIOR_RATE * PRIOR_CASES) / (cases + PRIOR_CASES)
        rates = np.where(np.isnan(fixed), updated, fixed)
        if covered.size:
            share = (labels[covered].sum(0) + 1.0) / (covered.size + len(schema.labels))
            base = _score_context(features, labels, covered, share)
    structural = [rule.is_structural for rule in schema.rules]
    return np.where(structural, np.nan, rates), labels


def _label_tokens(
    rules: Rules, spread: TokenFirings, rates: Floats, base: Floats, share: Floats
) -> Floats:
    """Return the probability of each label of each token, given the firings and the context."""
    inside = np.clip(rules.allowed @ share, 1e-6, 1 - 1e-6)
    rate = np.clip(rates, 1e-3, 1 - 1e-3)
    # a single firing at a token without context has the probability `rate` of its labels
    agree, differ = np.log(rate / inside), np.log((1 - rate) / (1 - inside))
    weight = np.where(rules.allowed, agree[:, None], differ[:, None])
    scores = np.log(base)
    for label in range(scores.shape[1]):
        scores[:, label] += np.bincount(
            spread.token, weight[spread.rule, label], minlength=scores.shape[0]
        )
    scores -= scores.max(1, keepdims=True, initial=-np.inf)
    labels = np.exp(scores)
    return np.asarray(labels / labels.sum(1, keepdims=True))


def _describe_context(rules: Rules) -> list[tuple[Ints, int]]:
    """Return the features of each token's context and their numbers of values.

    The token's own word is no feature, since rules fire by words and would confirm themselves.
    """
    tokens = rules.tokens
    line = tokens.line_of()
    shapes: dict[str, int] = {}
    shape = np.array([shapes.setdefault(_shape(w), len(shapes)) for w in tokens.words], np.int64)
    features = []
    for by in (-1, 1):
        place = np.arange(tokens.n) + by
        inside = (place >= 0) & (place < tokens.n)
        inside[inside] = line[place[inside]] == line[inside]
        near = tokens.word[np.where(inside, place, 0)] if tokens.n else tokens.word
        features.append((np.where(inside, near + 1, 0), len(tokens.words) + 1))
        features.append((np.where(inside, shape[near] + 1, 0), len(shapes) + 1))
    sizes = np.diff(tokens.start)[line]
    part = (np.arange(tokens.n) - tokens.start[line]) * POSITIONS // np.maximum(sizes, 1)
    features.append((part, POSITIONS))
    return features


def _shape(word: str) -> str:
    """Return the kind of a word: its first character's class and whether it is one character."""
    first = word[0]
    kind = "0" if first.isdigit() else "A" if first.isupper() else "a" if first.isalpha() else first
    return kind if len(word) == 1 else f"{kind}+"


def _score_context(
    features: Sequence[tuple[Ints, int]], labels: Floats, covered: Ints, share: Floats
) -> Floats:
    """Return the probability of each label given the context, fitted on tokens with firings."""
    scores = np.tile(np.log(share), (labels.shape[0], 1))
    for values, size in features:
        counts = np.stack(
            [np.bincount(values[covered], column, size) for column in labels[covered].T], 1
        )
        # smoothed towards the distribution of all labels together, so that a rare word is neutral
        total = counts.sum(1, keepdims=True)
        expected = (counts + SMOOTHING * share) / (total + SMOOTHING)
        scores += CONTEXT_POWER * np.log(expected / share)[values]
    scores -= scores.max(1, keepdims=True, initial=-np.inf)
    base = np.exp(scores)
    return np.asarray(base / base.sum(1, keepdims=True))


def judge_rules(rules: Rules, decoded: Decoded) -> list[RuleRate]:
    """Judge all rules by a model: token rules by probabilities, others by the segmentations."""
    spread = spread_firings(rules)
    agreement = (decoded.p_label[spread.token] * rules.allowed[spread.rule]).sum(1)
    n = rules.firings.rule.size
    size = np.bincount(spread.firing, minlength=n)
    right = np.bincount(spread.firing, agreement, n) / np.maximum(size, 1)
    judged = measure_rates(rules, decoded.first, decoded.label)
    for k, rule in enumerate(rules.schema.rules):
        if rule.is_structural:
            continue
        own = np.flatnonzero(rules.firings.rule == k)
        rate = float(right[own].mean()) if own.size else float("nan")
        wrong = own[np.argsort(right[own], kind="stable")]
        lines = dict.fromkeys(rules.firings.line[wrong[right[wrong] < DOUBTFUL_RATE]].tolist())
        judged[k] = RuleRate(rule.name, int(own.size), rate, tuple(lines)[:SHOWN_LINES])
    return judged


def name_doubtful(rates: Sequence[RuleRate]) -> list[str]:
    """Return a sentence for each rule that seems wrong in most cases."""
    return [
        f"rule {rate.rule!r} seems right in {rate.rate:.0%} of {rate.cases:,} cases; look at "
        f"{'line' if len(rate.doubtful) == 1 else 'lines'} "
        f"{', '.join(str(line + 1) for line in rate.doubtful)}, or remove the rule"
        for rate in rates
        if rate.doubtful and rate.rate < DOUBTFUL_RATE
    ]


def measure_rates(rules: Rules, first: Ints, label: Ints) -> list[RuleRate]:
    """Measure all rules in segmentations: `first` token and `label` of each token's segment."""
    begins = np.flatnonzero(first == np.arange(first.size))
    ends = np.append(begins[1:], first.size)
    kinds, lines = label[begins], rules.tokens.line_of()[begins]
    measured = {k: _measure_firings(rules, k, first, label) for k in range(len(rules.schema.rules))}
    for once in rules.once:
        chosen = once.mask[kinds]
        _, counts = np.unique(
            lines[chosen] * len(rules.schema.labels) + kinds[chosen], return_counts=True
        )
        measured[once.rule] = (counts.size, int((counts == 1).sum()))
    for order in rules.order:
        measured[order.rule] = _measure_order(order.rank[kinds], lines)
    for boundary in rules.boundary:
        # the first segment of a line begins everywhere
        chosen = boundary.mask[kinds] & ~np.isin(begins, rules.tokens.start)
        measured[boundary.rule] = (int(chosen.sum()), int(boundary.may_begin[begins[chosen]].sum()))
    for length in rules.length:
        sizes = (ends - begins)[length.mask[kinds]]
        fits = (sizes >= length.fewest) & (sizes <= length.most)
        measured[length.rule] = (sizes.size, int(fits.sum()))
    return [
        RuleRate(
            rule.name,
            measured[k][0],
            measured[k][1] / measured[k][0] if measured[k][0] else float("nan"),
        )
        for k, rule in enumerate(rules.schema.rules)
    ]


def _measure_firings(rules: Rules, rule: int, first: Ints, label: Ints) -> tuple[int, int]:
    """Count the firings of a rule, and those whose tokens all have a label that it states."""
    own = rules.firings.take(rules.firings.rule == rule)
    right = 0
    for _, _, start, stop in zip(*own, strict=True):
        fits = rules.allowed[rule][label[start:stop]].all()
        if fits and rules.schema.rules[rule].is_whole:
            follows = stop < first.size and first[stop] == stop
            fits = first[stop - 1] == start and (follows or stop == first.size)
        right += bool(fits)
    return int(own.rule.size), right


def _measure_order(rank: Ints, lines: Ints) -> tuple[int, int]:
    """Count lines with two ordered fields, and those whose first segments are in order."""
    cases = right = 0
    chosen = np.flatnonzero(rank >= 0)
    for places in np.split(chosen, np.flatnonzero(np.diff(lines[chosen])) + 1):
        ranks = list(dict.fromkeys(rank[places].tolist()))
        if len(ranks) > 1:
            cases += 1
            right += ranks == sorted(ranks)
    return cases, right
