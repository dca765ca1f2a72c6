"""The claims of ADS on stand-in data: constraints against dictionaries, more posts, the tree."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from papers.ads.data import (
    ADDRESS_LABELS,
    ADDRESS_PARENTS,
    Lines,
    post_schema,
    read_addresses,
    read_posts,
    split_posts,
)
from partita.kernel import Ints
from partita.metrics import FieldScores, score_fields, tree_credit
from partita.text.extraction.rules import Rules, compile_rules
from partita.text.extraction.schema import Schema, load_schema
from partita.text.extraction.tokens import Tokens
from partita.text.extraction.trainer import TrainingSettings, fit_segments

__all__ = ["SHARES", "Row", "guess_by_dictionary", "guess_by_vote", "run_addresses", "run_posts"]

SHARES = (0.1, 0.3, 1.0)
"""Shares of the unlabelled posts."""
MAX_PARTS = 3
"""Disjoint parts of the posts for each share: the scores of one small part vary."""


class Row(NamedTuple):
    """Scores of one method on one split."""

    data: str
    method: str
    split: int
    scores: FieldScores
    weighted: FieldScores | None = None
    seconds: float | None = None
    """CPU seconds of the training, where they are measured."""


def number_labels(schema: Schema, lines: Lines) -> Ints:
    """Return the number of the label of each token."""
    places = {name: k for k, name in enumerate(schema.labels)}
    return np.array([places[label] for row in lines.labels for label in row])


def guess_by_dictionary(rules: Rules) -> Ints:
    """Return the labels of exact dictionary matches, else `other`: the paper's baseline."""
    schema = rules.schema
    guess = np.full(rules.tokens.n, len(schema.labels) - 1)
    for rule, _, start, stop in zip(*rules.firings, strict=True):
        if schema.rules[rule].words and schema.rules[rule].match == "phrase":
            guess[start:stop] = np.argmax(rules.allowed[rule])
    return guess


def guess_by_vote(rules: Rules) -> Ints:
    """Return the label with most firings at each token, and the last label without a firing."""
    votes = rules.votes()
    return np.where(votes.sum(1) > 0, votes.argmax(1), votes.shape[1] - 1)


def run_posts(splits: int, seed: int) -> Iterator[Row]:
    """Run all methods on hotel posts; the test part is never seen in training."""
    schema, posts = post_schema(), read_posts()
    other = len(schema.labels) - 1
    for split in range(splits):
        train, test = split_posts(posts, seed + split)
        rules = compile_rules(schema, Tokens.from_words(test.words))
        truth = number_labels(schema, test)

        def row(method: str, guess: Ints, truth: Ints = truth, split: int = split) -> Row:
            return Row("posts", method, split, score_fields(truth, guess, other))

        yield row("dictionary", guess_by_dictionary(rules))
        yield row("majority vote of the rules", guess_by_vote(rules))
        for share in SHARES:
            size = int(share * len(train.words))
            for part in range(min(MAX_PARTS, int(1 / share))):
                some = train.take(np.arange(part * size, (part + 1) * size))
                model = fit_segments(compile_rules(schema, Tokens.from_words(some.words)))
                yield row(f"constraints, {share:.0%} of the posts", model.posterior(rules).label)
        known = compile_rules(schema, Tokens.from_words(train.words))
        supervised = fit_segments(known, train.labels)
        yield row("supervised, all labels", supervised.posterior(rules).label)


def run_addresses() -> Iterator[Row]:
    """Train on addresses without labels, with and without the tree, and score two test sets."""
    schema = load_schema("us_address")
    train = read_addresses("train")
    rules = compile_rules(schema, Tokens.from_words(train.words))
    credit = tree_credit(schema.labels, ADDRESS_PARENTS)
    models = {
        "flat": fit_segments(rules, settings=TrainingSettings(tree=False)),
        "tree": fit_segments(rules, settings=TrainingSettings(tree=True)),
    }
    for name in ("test", "us50_test"):
        lines = read_addresses(name)
        labels = [[ADDRESS_LABELS[label] for label in row] for row in lines.labels]
        truth = number_labels(schema, Lines(lines.words, labels))
        matched = compile_rules(schema, Tokens.from_words(lines.words))
        guesses = {"majority vote of the rules": guess_by_vote(matched)}
        guesses |= {
            f"constraints, {kind}": model.posterior(matched).label for kind, model in models.items()
        }
        for method, guess in guesses.items():
            scores = score_fields(truth, guess), score_fields(truth, guess, credit=credit)
            yield Row(f"addresses {name}", method, 0, *scores)
