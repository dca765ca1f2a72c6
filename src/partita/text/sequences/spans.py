"""Spans: entities marked by IOB or IOBES labels, and their precision and recall."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from partita.errors import InputError

__all__ = ["SpanScore", "iob2", "iobes", "span_score", "spans"]


class SpanScore(NamedTuple):
    """Exact matches of spans with their type."""

    precision: float
    recall: float
    f1: float


def spans(labels: Sequence[str]) -> list[tuple[str, int, int]]:
    """Return type, first token and end of each entity; a run of I- without a B- counts as one.

    This is the definition of the CoNLL scorer, for IOB1 and IOB2 alike; in IOBES, E- ends an entity
    and S- is an entity of a single token.
    """
    entities: list[tuple[str, int, int]] = []
    kind, begun = "", 0
    for i, label in enumerate([*labels, "O"]):
        mark, _, name = label.partition("-")
        if kind and (mark not in ("I", "E") or name != kind):
            entities.append((kind, begun, i))
            kind = ""
        if mark in ("B", "I", "E", "S") and not kind:
            kind, begun = name, i
        if mark in ("E", "S"):
            entities.append((kind, begun, i + 1))
            kind = ""
    return entities


def iob2(labels: Sequence[str]) -> list[str]:
    """Encode the same entities with a B- label at the start of each."""
    tags = ["O"] * len(labels)
    for kind, first, end in spans(labels):
        tags[first:end] = [f"B-{kind}"] + [f"I-{kind}"] * (end - first - 1)
    return tags


def iobes(labels: Sequence[str]) -> list[str]:
    """Encode the same entities with their last token marked E-, and single tokens S-."""
    tags = ["O"] * len(labels)
    for kind, first, end in spans(labels):
        inside = [f"I-{kind}"] * (end - first - 2)
        tags[first:end] = [f"B-{kind}", *inside, f"E-{kind}"] if end - first > 1 else [f"S-{kind}"]
    return tags


def span_score(truth: Sequence[Sequence[str]], guess: Sequence[Sequence[str]]) -> SpanScore:
    """Score entities over all sequences: precision, recall and F1."""
    if len(truth) != len(guess):
        raise InputError(
            f"there are {len(truth)} true and {len(guess)} guessed sequences; give one for each"
        )
    right = true_total = guessed_total = 0
    for mine, theirs in zip(truth, guess, strict=True):
        true, guessed = set(spans(mine)), set(spans(theirs))
        right += len(true & guessed)
        true_total += len(true)
        guessed_total += len(guessed)
    precision = right / guessed_total if guessed_total else 0.0
    recall = right / true_total if true_total else 0.0
    both = precision + recall
    return SpanScore(precision, recall, 2 * precision * recall / both if both else 0.0)
