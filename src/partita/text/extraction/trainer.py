"""Training of the segment model from rules, with or without labelled lines.

Alternating projections: the duals of the rules give q, then p is fitted to q's expected features.
The rate of a rule is unknown, with a Beta prior. Its estimate is the share of its firings that
hold under q, which contains the other rules, the labels and the model, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from partita.errors import InputError
from partita.kernel import Floats, Ints
from partita.text.extraction.attributes import read_vocabulary
from partita.text.extraction.expectations import Lines, Statistics, read_lines
from partita.text.extraction.rates import estimate_rate, expect_rates
from partita.text.extraction.rules import Rules
from partita.text.extraction.segment_model import SegmentModel
from partita.text.extraction.segment_weights import Layout
from partita.text.extraction.structure import read_longest

__all__ = ["TrainingSettings", "fit_segments"]

SILENT_RATE = 0.5
"""Share of `other` among tokens without a firing; the paper's "OTHER is the commonest label"."""
MAX_RATE = 0.99
"""Upper limit of a rate: no rule is certain."""


@dataclass(frozen=True)
class TrainingSettings:
    """Settings of alternating projections."""

    rounds: int = 2
    """Rounds of projection and fit."""
    iterations: int = 25
    """L-BFGS iterations of each fit."""
    l2: float = 1.0
    """Precision of the Gaussian prior of the weights."""
    tree: bool = True
    """Whether labels share the weights of their ancestors in the tree of fields."""


def fit_segments(
    rules: Rules,
    labels: Sequence[Sequence[str] | None] | None = None,
    settings: TrainingSettings | None = None,
) -> SegmentModel:
    """Fit a segment model to lines with compiled rules.

    Parameters
    ----------
    rules
        The rules of a schema, compiled against the lines.
    labels
        For each line, the label of each of its tokens, or None. Labelled lines are clamped: q has
        these labels, also against the rules.
    settings
        Settings of alternating projections.
    """
    settings = settings or TrainingSettings()
    schema = rules.schema
    longest = read_longest(rules)
    vocabulary = read_vocabulary(rules, max(1, *longest), own_forms=labels is not None)
    ancestry = schema.ancestry() if settings.tree else np.eye(len(schema.labels))
    layout = Layout(vocabulary.widths, longest, ancestry)
    lines = read_lines(rules, layout, vocabulary, _read_labels(rules, labels))
    stated = np.array([rule.strength or np.nan for rule in schema.rules] + [SILENT_RATE])
    prior = expect_rates(lines.statistics.allowed)
    rates = np.where(np.isnan(stated), prior, stated)
    weights, free = np.zeros(layout.size), find_free_weights(lines)
    for _ in range(settings.rounds):
        duals = find_duals(lines.statistics, rates)
        weights = fit_weights(lines, duals, weights, free, settings)
        held = lines.count(weights, duals).rules
        estimate = estimate_rate(held, lines.fired, prior)
        rates = np.where(np.isnan(stated), estimate, stated)
    duals = find_duals(lines.statistics, rates)
    return SegmentModel(schema, vocabulary, layout, weights, duals, rates)


def find_duals(statistics: Statistics, rates: Floats) -> Floats:
    """Return the log-odds of rules: of the labels that a rule states against the others."""
    stated, labels = statistics.allowed.sum(1), statistics.allowed.shape[1]
    rates = np.clip(rates, 1 - MAX_RATE, MAX_RATE)
    odds = np.log(rates / (1 - rates))
    chance = np.log(np.maximum(labels - stated, 1) / np.maximum(stated, 1))
    return np.where(statistics.active, odds + chance, 0.0)


def find_free_weights(lines: Lines) -> Floats:
    """Return 1 for weights that are fitted and 0 for those of rules.

    The rules enter q alone; p predicts the same tokens without them.
    """
    layout = lines.layout
    nodes = layout.ancestry.shape[1]
    parts = [np.ones((rows, nodes)) for rows in layout.rows]
    parts[0][lines.vocabulary.rule_rows] = 0.0
    parts[3][:] = 0.0
    return np.concatenate([part.ravel() for part in parts])


def fit_weights(
    lines: Lines, duals: Floats, start: Floats, free: Floats, settings: TrainingSettings
) -> Floats:
    """Fit p without the rules to q with the rules, by L-BFGS.

    The loss is sum(log Z_p - log Z_q), with the gradient E_p[G] - E_q[G]. Unlike a fit to fixed
    soft counts of q, the gradient is 0 at tokens without a rule, where q equals p.
    """

    def value(weights: Floats) -> tuple[float, Floats]:
        p, q = lines.count(weights), lines.count(weights, duals)
        loss = p.log_z - q.log_z + 0.5 * settings.l2 * weights @ weights
        return float(loss), (p.features - q.features + settings.l2 * weights) * free

    options = {"maxiter": settings.iterations, "maxcor": 6}
    fit = minimize(value, start * free, jac=True, method="L-BFGS-B", options=options)
    return np.asarray(fit.x)


def _read_labels(rules: Rules, labels: Sequence[Sequence[str] | None] | None) -> Ints | None:
    """Return the number of the known label of each token, -1 for unlabelled lines."""
    if labels is None:
        return None
    tokens, places = rules.tokens, {name: k for k, name in enumerate(rules.schema.labels)}
    if len(labels) != len(tokens.lines):
        raise InputError(
            f"there are {len(tokens.lines):,} lines and {len(labels):,} rows of labels; give one "
            "for each line, or None"
        )
    known = np.full(tokens.n, -1)
    for line, row in enumerate(labels):
        if row is None:
            continue
        first, last = tokens.start[line], tokens.start[line + 1]
        if len(row) != last - first:
            raise InputError(
                f"line {line + 1:,} has {last - first} tokens and {len(row)} labels; give one each"
            )
        for at, name in enumerate(row):
            if name not in places:
                raise InputError(
                    f"line {line + 1:,} has the label {name!r}; give one of {', '.join(places)}"
                )
            known[first + at] = places[name]
    return known
