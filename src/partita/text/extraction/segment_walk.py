"""The segment model in the walk: a Model over Segments, and two persistent chains that train it.

The walk serves models that are no chain, such as rules across segments. Its expectations equal the
exact sums of `semi_markov` where both apply.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from partita.errors import InputError
from partita.estimators import exact
from partita.factors import Model, adjacent_segments, segment_attributes, token_attributes
from partita.kernel import Floats, generators
from partita.proposals import Proposal, gibbs_recut
from partita.states import Segments
from partita.text.extraction.expectations import Lines
from partita.text.extraction.segment_weights import Parts
from partita.walks import Chain, compile_chain, start_chain

__all__ = ["WalkSettings", "build_walk_model", "train_two_chains"]


@dataclass(frozen=True)
class WalkSettings:
    """Settings of training by two persistent chains."""

    updates: int = 200
    """Updates of weights and duals."""
    sweeps: int = 1
    """Steps per token between two updates."""
    rate: float = 0.5
    """First learning rate, per line; update t has the rate divided by sqrt(t + 1)."""
    l2: float = 1.0
    """Precision of the Gaussian prior of the weights."""
    seed: int = 0


def build_walk_model(lines: Lines, parts: Parts) -> tuple[Model, Segments]:
    """Build the model of lines over Segments with the weights of labels, and a start."""
    layout, attributes = lines.layout, lines.attributes
    if not layout.is_limited:
        raise InputError("the walk has segments of a limited length only; set max_length")
    labels, lengths, tokens = layout.labels, layout.lengths, attributes.inside.shape[0]
    first = np.repeat(np.arange(tokens), lengths)
    size = np.tile(np.arange(lengths), tokens)
    # segments beyond the end of a line never occur, so their last token has no effect
    last = np.minimum(first + size, tokens - 1)
    rows = sparse.hstack(
        [
            attributes.opening[first],
            attributes.closing[last],
            attributes.whole,
            sparse.csr_array(np.eye(lengths)[size]),
            sparse.csr_array(lines.structure.opening[first]),
        ],
        format="csr",
    )
    weights = [parts.opening, parts.closing, parts.whole, parts.length, np.eye(labels)]
    model = Model(
        token_attributes(attributes.inside, labels, weights=parts.inside.T),
        segment_attributes(rows, labels, lengths, weights=np.vstack(weights).T),
        adjacent_segments(labels, weights=parts.steps),
    )
    return model, Segments.of(attributes.start, labels, list(layout.longest))


def train_two_chains(
    lines: Lines,
    rates: Floats,
    free: Floats,
    settings: WalkSettings | None = None,
    proposal: Proposal | None = None,
) -> tuple[Floats, Floats]:
    """Fit weights and duals to target rates of rules by two persistent chains; return both.

    One chain samples p, the other q. theta moves along G(state of q) - G(state of p), and lambda
    along u - G'(state of q), as in online alternating projections with exact sums.
    """
    settings = settings or WalkSettings()
    move = proposal or gibbs_recut()
    weights, duals = np.zeros(lines.layout.size), np.zeros(rates.size)
    rngs = generators(settings.seed, 2)
    model, start = build_walk_model(lines, lines.weigh(weights))
    compiled = compile_chain(model, move, exact())
    states = [start, start]
    count, steps = lines.attributes.start.size - 1, settings.sweeps * start.first.size
    total_weights, total_duals = np.zeros_like(weights), np.zeros_like(duals)
    for update in range(settings.updates):
        sides: list[tuple[Floats, Floats]] = []
        for side, parts in enumerate((lines.weigh(weights), lines.weigh(weights, duals))):
            model.set_weights(flatten_parts(parts))
            chain: Chain = start_chain(
                model, states[side], move, rng=rngs[side], estimator=exact(), compiled=compiled
            )
            chain.run(steps)
            states[side] = chain.state
            sides.append(count_state(lines, chain.state))
        (at_p, _), (at_q, held) = sides
        rate = settings.rate / count / np.sqrt(update + 1.0)
        weights += rate * (at_q - at_p - settings.l2 * weights) * free
        target = rates * lines.fired * lines.statistics.active
        duals = np.maximum(0.0, duals + rate * (target - held))
        if 2 * update >= settings.updates:
            total_weights += weights
            total_duals += duals
    averaged = settings.updates - (settings.updates + 1) // 2
    return total_weights / max(1, averaged), total_duals / max(1, averaged)


def flatten_parts(parts: Parts) -> Floats:
    """Return the weights of labels in the order of the walk's model."""
    labels = parts.steps.shape[1]
    whole = np.vstack([parts.opening, parts.closing, parts.whole, parts.length, np.eye(labels)])
    return np.concatenate([parts.inside.T.ravel(), whole.T.ravel(), parts.steps.ravel()])


def count_state(lines: Lines, state: Segments) -> tuple[Floats, Floats]:
    """Return the features of a state, and the statistics of the rules."""
    layout = lines.layout
    tokens = np.arange(state.first.size)
    opens = state.first == tokens
    segments = np.zeros((tokens.size, layout.lengths, layout.labels))
    size = state.last - state.first
    segments[tokens[opens], size[opens], state.label[opens]] = 1.0
    left = np.full(tokens.size, layout.labels)
    left[1:] = state.label[:-1]
    left[tokens == state.begin] = layout.labels
    steps = np.zeros((layout.labels + 1, layout.labels))
    np.add.at(steps, (left[opens], state.label[opens]), 1.0)
    counts = layout.count_segments(lines.attributes, segments, steps)
    return layout.pack(counts), lines.count_stated(counts)
