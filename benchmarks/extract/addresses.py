"""US addresses: tokens with the fields of the ready schema, and scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from papers.ads import data
from partita.metrics import score_fields, tree_credit
from partita.text.extraction.schema import load_schema

__all__ = ["FIELDS", "Address", "Scores", "read_addresses", "score_labels"]

NO_FIELD = {
    *("AddressNumberPrefix", "AddressNumberSuffix", "StreetNamePreModifier"),
    *("StreetNamePostModifier", "ZipPlus4", "NotAddress"),
}
"""Labels without a field of the ready schema: Partita counts as wrong on their tokens."""
FIELDS = {name: field for name, field in data.ADDRESS_LABELS.items() if name not in NO_FIELD}
"""The field of the ready schema for each label of the data; other labels have none."""


class Address(NamedTuple):
    """Tokens of an address and the field of each, or the label of the data without a field."""

    words: tuple[str, ...]
    fields: tuple[str, ...]


class Scores(NamedTuple):
    """Token accuracy: the same field, weighted by the tree, and the same field at the top."""

    normal: float
    weighted: float
    top: float
    """Both labels rolled up to level 1 of the schema's tree, as `partita extract --level 1` does;
    a label without a field stays as it is."""


def read_addresses(name: str) -> list[Address]:
    """Read a part of the set: train, test or us50_test."""
    return [
        Address(tuple(words), tuple(FIELDS.get(label, label) for label in labels))
        for words, labels in zip(*data.read_addresses(name), strict=True)
    ]


def score_labels(truth: Sequence[str], guess: Sequence[str]) -> Scores:
    """Score the labels of all tokens, in the same way for all tools."""
    labels, codes = np.unique([truth, guess], return_inverse=True)
    true, guessed = codes.reshape(2, -1)
    credit = tree_credit(labels.tolist(), data.ADDRESS_PARENTS)
    weighted = score_fields(true, guessed, credit=credit).accuracy
    schema = load_schema("us_address")
    upper = np.array([schema.node_at(label, 1) for label in labels.tolist()])
    top = float((upper[true] == upper[guessed]).mean())
    return Scores(score_fields(true, guessed).accuracy, weighted, top)
