"""Stand-in data of ADS: hotel posts with a table of hotels, and US addresses with a tree."""

from __future__ import annotations

import json
from typing import Any, NamedTuple
from xml.etree import ElementTree

import numpy as np

from papers.samplerank.data import folder
from partita.kernel import Ints
from partita.text.extraction.schema import Schema, read_schema

__all__ = ["Lines", "post_schema", "read_addresses", "read_posts", "split_posts"]

FIELDS = ("hotelname", "starrating", "localarea")
CALENDAR = (
    "jan feb mar apr may jun jul aug sep oct nov dec january february march april june july august "
    "september october november december mon tue wed thu fri sat sun monday tuesday wednesday "
    "thursday friday saturday sunday"
)


class Lines(NamedTuple):
    """Words of each line, and the label of each word."""

    words: list[list[str]]
    labels: list[list[str]]

    def take(self, places: Ints) -> Lines:
        """Return the lines at these places."""
        return Lines([self.words[k] for k in places], [self.labels[k] for k in places])


def read_posts() -> Lines:
    """Read the hotel posts; tokens in no field are `other`."""
    rows = _read_jsonl("texts.jsonl")
    labels = [[tag[2:] if tag != "O" else "other" for tag in row["tags"]] for row in rows]
    return Lines([row["tokens"] for row in rows], labels)


def _read_jsonl(name: str) -> list[dict[str, Any]]:
    text = folder("bft", name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def split_posts(posts: Lines, seed: int, share: float = 0.6) -> tuple[Lines, Lines]:
    """Split posts at random into an unlabelled part and a test part."""
    order = np.random.default_rng(seed).permutation(len(posts.words))
    cut = int(share * len(order))
    return posts.take(order[:cut]), posts.take(order[cut:])


def post_schema() -> Schema:
    """Build the rules of hotel posts: the table of hotels as dictionaries, and patterns.

    No rule has a strength: all rates are estimated from the unlabelled posts.
    """
    rules: list[dict[str, Any]] = []
    for field in ("hotelname", "localarea"):
        words = _read_dictionary(field)
        for match in ("phrase", "tokens", "near"):
            entry = {"name": f"{field} {match}", "field": field, "words": words, "match": match}
            rules.append(entry)
    # posts abbreviate places ("dt" for downtown), but not the names of hotels
    words, match = _read_dictionary("localarea"), "abbreviation"
    rules.append({"name": "short area", "field": "localarea", "words": words, "match": match})
    rules += [
        {"name": "stars", "field": "starrating", "pattern": r"\d?(\.\d)?\*"},
        {"name": "price", "field": "other", "pattern": r"\+?\$.*"},
        {"name": "date", "field": "other", "pattern": r"\d+/\d+(/\d+)?"},
        {"name": "number", "field": "other", "pattern": r"\d+"},
        {"name": "calendar", "field": "other", "words": CALENDAR.split()},
        {"name": "sign", "field": "other", "pattern": r"[^\w\s*]+"},
    ]
    return read_schema({"fields": list(FIELDS), "rules": rules, "split": "spaces"})


def _read_dictionary(field: str) -> list[str]:
    """Return the values of a column of the table of hotels."""
    values = []
    for row in _read_jsonl("records.jsonl"):
        pairs = zip(row["tokens"], row["tags"], strict=True)
        values.append(" ".join(word for word, tag in pairs if tag.endswith(field)))
    return sorted({value for value in values if value})


def read_addresses(part: str) -> Lines:
    """Read a part of the addresses ("train", "test" or "us50_test"), with usaddress's labels."""
    tree = ElementTree.parse(folder("addresses_us", f"{part}.xml"))
    lines = Lines([], [])
    for address in tree.getroot():
        pairs = [
            (word, element.tag) for element in address for word in (element.text or "").split()
        ]
        if pairs:
            lines.words.append([word for word, _ in pairs])
            lines.labels.append([label for _, label in pairs])
    return lines


ADDRESS_LABELS = {
    "AddressNumber": "number",
    "AddressNumberPrefix": "number",
    "AddressNumberSuffix": "number",
    "StreetName": "name",
    "StreetNamePreDirectional": "pre_direction",
    "StreetNamePreModifier": "name",
    "StreetNamePreType": "pre_type",
    "StreetNamePostType": "type",
    "StreetNamePostDirectional": "post_direction",
    "StreetNamePostModifier": "name",
    "OccupancyType": "unit_type",
    "OccupancyIdentifier": "unit_id",
    "SubaddressType": "section_type",
    "SubaddressIdentifier": "section_id",
    "USPSBoxType": "box_type",
    "USPSBoxID": "box_id",
    "USPSBoxGroupType": "group_type",
    "USPSBoxGroupID": "group_id",
    "PlaceName": "city",
    "StateName": "state",
    "ZipCode": "zip",
    "ZipPlus4": "zip",
    "CountryName": "country",
    "Recipient": "recipient",
    "NotAddress": "recipient",
    "BuildingName": "building",
    "LandmarkName": "landmark",
    "IntersectionSeparator": "separator",
    "CornerOf": "separator",
}
"""Labels of usaddress as fields of the schema `us_address`."""
ADDRESS_PARENTS = {
    **dict.fromkeys(("pre_direction", "pre_type", "type", "post_direction"), "name"),
    **dict.fromkeys(("unit_type", "unit_id"), "unit"),
    **dict.fromkeys(("section_type", "section_id"), "section"),
    **dict.fromkeys(("box_type", "box_id", "group_type", "group_id"), "box"),
}
"""The tree of usaddress by its names: StreetNamePostType is a child of StreetName."""
