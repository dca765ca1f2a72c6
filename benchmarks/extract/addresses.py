"""US addresses: tokens with their parts, the tree of the parts, and scores."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

from partita.errors import InputError

__all__ = ["FIELDS", "PARENTS", "Address", "Scores", "read_addresses", "score_labels"]

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("PARTITA_DATA", ROOT.parent / "shared" / "data")) / "addresses_us"
FIELDS = {
    "AddressNumber": "number",
    "StreetNamePreDirectional": "pre_direction",
    "StreetNamePreType": "pre_type",
    "StreetName": "name",
    "StreetNamePostType": "type",
    "StreetNamePostDirectional": "post_direction",
    "OccupancyType": "unit_type",
    "OccupancyIdentifier": "unit_id",
    "SubaddressType": "section_type",
    "SubaddressIdentifier": "section_id",
    "USPSBoxType": "box_type",
    "USPSBoxID": "box_id",
    "USPSBoxGroupType": "group_type",
    "USPSBoxGroupID": "group_id",
    "BuildingName": "building",
    "LandmarkName": "landmark",
    "PlaceName": "city",
    "StateName": "state",
    "ZipCode": "zip",
    "CountryName": "country",
    "Recipient": "recipient",
    "IntersectionSeparator": "separator",
    "CornerOf": "separator",
}
"""The field of the ready schema for each label of the data; other labels have none."""
PARENTS = {
    **dict.fromkeys(("pre_direction", "pre_type", "type", "post_direction"), "name"),
    **{"unit_type": "unit", "unit_id": "unit", "section_type": "section", "section_id": "section"},
    **{"box_type": "box", "box_id": "box", "group_type": "box", "group_id": "box"},
}
"""The tree by the names of the data's labels: StreetName is the parent of StreetNamePostType."""
RELATIVE = {"parent": 0.5, "sibling": 0.25}
"""Weighted scores of ADS: half for parent or child, a quarter for siblings."""


class Address(NamedTuple):
    """Tokens of an address and the field of each, or the label of the data without a field."""

    words: tuple[str, ...]
    fields: tuple[str, ...]


class Scores(NamedTuple):
    """Token accuracy: the same field, and weighted by the tree."""

    normal: float
    weighted: float


def read_addresses(name: str) -> list[Address]:
    """Read a part of the set: train, test or us50_test."""
    path = DATA / f"{name}.xml"
    if not path.exists():
        raise InputError(f"{path} is missing; set PARTITA_DATA to the folder of the data sets")
    addresses = []
    for line in ElementTree.parse(path).getroot():
        parts = [(part.text.strip(), part.tag) for part in line if part.text and part.text.strip()]
        words, tags = zip(*parts, strict=True)
        addresses.append(Address(words, tuple(FIELDS.get(tag, tag) for tag in tags)))
    return addresses


def score_labels(truth: Sequence[str], guess: Sequence[str]) -> Scores:
    """Score the labels of all tokens."""
    normal = weighted = 0.0
    for mine, theirs in zip(truth, guess, strict=True):
        if mine == theirs:
            normal += 1
            weighted += 1
        elif theirs in (PARENTS.get(mine), mine) or PARENTS.get(theirs) == mine:
            weighted += RELATIVE["parent"]
        elif mine in PARENTS and PARENTS[mine] == PARENTS.get(theirs):
            weighted += RELATIVE["sibling"]
    return Scores(normal / len(truth), weighted / len(truth))
