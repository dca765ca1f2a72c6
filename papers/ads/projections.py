"""Three ways of training from expectation constraints, on the hotel posts and the same rules.

Batch projections are the trainer's: they estimate the rate of each rule. Online projections and the
walk need targets, which the paper's user states; here the targets are the rates of batch.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from papers.ads.data import Lines, post_schema, read_posts, split_posts
from papers.ads.experiments import Row, number_labels
from partita.kernel import Floats
from partita.metrics import score_fields
from partita.text.extraction.expectations import read_lines
from partita.text.extraction.online import OnlineSettings, project_online
from partita.text.extraction.rules import Rules, compile_rules
from partita.text.extraction.schema import Schema
from partita.text.extraction.segment_model import SegmentModel
from partita.text.extraction.segment_walk import train_two_chains
from partita.text.extraction.structure import LENGTH_LIMIT
from partita.text.extraction.tokens import Tokens
from partita.text.extraction.trainer import find_free_weights, fit_segments

__all__ = ["PROJECTIONS", "run_projections", "train_three_ways"]

PROJECTIONS = f"posts, segments of at most {LENGTH_LIMIT} tokens"
"""Name of the table; the walk needs a limit of the length."""
WARM_UP_POSTS = 3
"""Posts of a first run, which compiles the kernels before the clock starts."""


def train_three_ways(rules: Rules) -> Iterator[tuple[str, SegmentModel, float]]:
    """Yield the name, the model and the CPU seconds of each way of training, without labels."""
    began = time.process_time()
    batch = fit_segments(rules)
    yield "batch projections", batch, time.process_time() - began
    lines = read_lines(rules, batch.layout, batch.vocabulary)
    free = find_free_weights(lines)
    ways: dict[str, Callable[[], tuple[Floats, Floats]]] = {
        "online projections, one post a step": lambda: project_online(
            lines, batch.rates, free, OnlineSettings(batch=1)
        ),
        "walk, two persistent chains": lambda: train_two_chains(lines, batch.rates, free),
    }
    for name, train in ways.items():
        began = time.process_time()
        weights, duals = train()
        model = replace(batch, weights=weights, duals=duals)
        yield name, model, time.process_time() - began


def run_projections(splits: int, seed: int) -> Iterator[Row]:
    """Train three ways on random splits of the hotel posts; the test part is never seen."""
    schema, posts = replace(post_schema(), max_length=LENGTH_LIMIT), read_posts()
    for _ in train_three_ways(_compile(schema, posts.take(np.arange(WARM_UP_POSTS)))):
        pass
    for split in range(splits):
        train, test = split_posts(posts, seed + split)
        matched, truth = _compile(schema, test), number_labels(schema, test)
        for name, model, seconds in train_three_ways(_compile(schema, train)):
            guess = model.posterior(matched).label
            scores = score_fields(truth, guess, len(schema.labels) - 1)
            yield Row(PROJECTIONS, name, split, scores, seconds=seconds)


def _compile(schema: Schema, lines: Lines) -> Rules:
    return compile_rules(schema, Tokens.from_words(lines.words))
