"""Spans: entities marked by IOB or IOBES labels, and how many of them are found."""

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
    """Type, first token and end of each entity; a run of I- without a B- counts as one.

    This is the reading of the CoNLL scorer, for IOB1 and IOB2 alike; in IOBES, E- ends an entity
    and S- is one of a single token.
    """
    found: list[tuple[str, int, int]] = []
    kind, begun = "", 0
    for i, label in enumerate([*labels, "O"]):
        mark, _, name = label.partition("-")
        if kind and (mark not in ("I", "E") or name != kind):
            found.append((kind, begun, i))
            kind = ""
        if mark in ("B", "I", "E", "S") and not kind:
            kind, begun = name, i
        if mark in ("E", "S"):
            found.append((kind, begun, i + 1))
            kind = ""
    return found


def iob2(labels: Sequence[str]) -> list[str]:
    """The same entities, each opened by a B- label."""
    made = ["O"] * len(labels)
    for kind, first, end in spans(labels):
        made[first:end] = [f"B-{kind}"] + [f"I-{kind}"] * (end - first - 1)
    return made


def iobes(labels: Sequence[str]) -> list[str]:
    """The same entities with their last token marked E-, and single tokens S-."""
    made = ["O"] * len(labels)
    for kind, first, end in spans(labels):
        inside = [f"I-{kind}"] * (end - first - 2)
        made[first:end] = [f"B-{kind}", *inside, f"E-{kind}"] if end - first > 1 else [f"S-{kind}"]
    return made


def span_score(truth: Sequence[Sequence[str]], guess: Sequence[Sequence[str]]) -> SpanScore:
    """Precision, recall and F1 of entities over all sequences."""
    if len(truth) != len(guess):
        raise InputError(
            f"there are {len(truth)} true and {len(guess)} guessed sequences; give one for each"
        )
    right = asked = given = 0
    for mine, theirs in zip(truth, guess, strict=True):
        true, found = set(spans(mine)), set(spans(theirs))
        right += len(true & found)
        asked += len(true)
        given += len(found)
    precision = right / given if given else 0.0
    recall = right / asked if asked else 0.0
    both = precision + recall
    return SpanScore(precision, recall, 2 * precision * recall / both if both else 0.0)
