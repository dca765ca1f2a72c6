"""US addresses: tokens with the fields of the ready schema, and scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from papers.ads import data
from partita.metrics import score_fields, tree_credit
from partita.text.extraction.schema import load_schema

__all__ = ["FIELDS", "Address", "Scores", "read_addresses", "refine_truth", "score_labels"]

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


def refine_truth(truth: Sequence[str], leaves: Sequence[str]) -> list[str]:
    """Return the truth at the leaves of the tree: what a tool without an error labels.

    A part of the set that never uses a field below a parent labels whole streets by the parent. A
    token of such a parent has its field in `leaves` if that field is below the parent. Every other
    token keeps its true field.

    >>> refine_truth(["number", "name", "name", "city"], ["number", "name", "type", "type"])
    ['number', 'name', 'type', 'city']
    >>> refine_truth(["number", "name", "type"], ["number", "type", "type"])
    ['number', 'name', 'type']
    """
    parents = data.ADDRESS_PARENTS
    refined = {parents.get(field) for field in truth}
    return [
        leaf if field not in refined and parents.get(leaf) == field else field
        for field, leaf in zip(truth, leaves, strict=True)
    ]
