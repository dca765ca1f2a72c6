"""Estimated rates of rules against their rates by labels, on sets that training sees unlabelled."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from papers.ads.data import ADDRESS_LABELS, post_schema, read_addresses, read_posts
from papers.cdrank.data import read_citations
from partita.text.extraction.rates import judge_rules, measure_rates
from partita.text.extraction.rules import compile_rules
from partita.text.extraction.schema import Schema, load_schema
from partita.text.extraction.tokens import Tokens
from partita.text.extraction.trainer import fit_segments

__all__ = ["RateScores", "compare_rates", "rank_correlation"]

MIN_CASES = 10
"""Firings of a rule whose rate by labels is compared."""


class RateScores(NamedTuple):
    """Errors of the estimated rates of one set."""

    data: str
    rules: int
    error: float
    """Mean absolute error over rules."""
    bias: float
    """Mean of estimate less rate by labels."""
    correlation: float
    """Spearman's rank correlation."""


def read_sets() -> Iterator[tuple[str, Schema, Sequence[Sequence[str]], Sequence[Sequence[str]]]]:
    """Yield name, schema, words and labels of each set; parts for tests are left out."""
    posts = read_posts()
    yield "hotel posts", post_schema(), posts.words, posts.labels
    train, development = read_citations()[:2]
    words, labels = train.words + development.words, train.labels + development.labels
    yield "citations", load_schema("citation"), words, labels
    addresses = read_addresses("train")
    fields = [[ADDRESS_LABELS[label] for label in row] for row in addresses.labels]
    yield "addresses", load_schema("us_address"), addresses.words, fields


def compare_rates() -> Iterator[RateScores]:
    """Estimate the rates of all sets without labels; yield their errors."""
    for name, schema, words, labels in read_sets():
        rules = compile_rules(replace(schema, examples=()), Tokens.from_words(words))
        judged = judge_rules(rules, fit_segments(rules).posterior(rules))
        places = {label: k for k, label in enumerate(schema.labels)}
        label = np.array([places[field] for row in labels for field in row])
        begins = np.diff(label, prepend=-1) != 0
        begins[rules.tokens.start[:-1]] = True
        first = np.maximum.accumulate(np.where(begins, np.arange(label.size), 0))
        known = measure_rates(rules, first, label)
        pairs = np.array(
            [
                (estimate.rate, true.rate)
                for rule, estimate, true in zip(schema.rules, judged, known, strict=True)
                if true.cases >= MIN_CASES and not rule.is_structural
            ]
        )
        gap = pairs[:, 0] - pairs[:, 1]
        scores = float(np.abs(gap).mean()), float(gap.mean()), rank_correlation(*pairs.T)
        yield RateScores(name, len(pairs), *scores)


def rank_correlation(a: Sequence[float], b: Sequence[float]) -> float:
    """Return Spearman's rank correlation; equal values have their mean rank.

    >>> round(rank_correlation([1, 2, 3, 3], [2, 4, 9, 8]), 3)
    0.949
    """
    ranks = []
    for values in (a, b):
        _, place, count = np.unique(values, return_inverse=True, return_counts=True)
        ranks.append((np.cumsum(count) - (count - 1) / 2)[place])
    return float(np.corrcoef(*ranks)[0, 1])
