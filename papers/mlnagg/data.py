"""The data of MLNAGG: citations by section or fold, and papers of people of the same name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from papers.samplerank.data import folder
from partita.comparison.strings import bags_of_grams, bags_of_words, cosine
from partita.data import Records, read
from partita.kernel import Floats, Ints

__all__ = ["Problem", "citeseer", "cora", "dblp", "problem"]

SECTIONS = ("constraint", "reinforcement", "face", "reasoning")
FOLDS = 3
NAMES, POOL = 3, 8
"""How many of the most ambiguous names are tested, and of how many the others are learned from."""
CITATION = {"title": "grams", "author": "grams", "venue": "grams"}
PAPER = {
    **{"title": "words", "authors": "items", "venue": "grams", "keyword": "items"},
    **{"abstract": "words"},
}
RARE = 0.05
"""A rare word is in more than one record, and in at most this share of them."""


@dataclass(frozen=True, eq=False)
class Problem:
    """Records to resolve, and the similarity of any two by field."""

    name: str
    truth: Ints
    alike: dict[str, Floats]
    """Similarities of 0 to 1, and NaN where a field is empty."""
    words: dict[str, list[list[str]]]
    least: float
    """Pairs with a lower mean similarity are in no common canopy."""

    @property
    def n(self) -> int:
        """The number of records."""
        return int(self.truth.size)

    @cached_property
    def pairs(self) -> Ints:
        """All pairs of records."""
        return np.stack(np.triu_indices(self.n, 1), 1).astype(np.int64)

    @cached_property
    def average(self) -> Floats:
        """The mean similarity of each pair over the fields that both have: the weak comparison."""
        a, b = self.pairs.T
        rows = np.stack([matrix[a, b] for name, matrix in self.alike.items() if name != "year"])
        known = ~np.isnan(rows)
        return np.asarray(np.nansum(rows, 0) / np.maximum(known.sum(0), 1))

    @cached_property
    def near(self) -> Ints:
        """Pairs in a common canopy."""
        return self.pairs[self.average >= self.least]


def items(text: str) -> list[str]:
    """The items of a list."""
    return [item.strip().lower() for item in text.replace(",", ";").split(";") if item.strip()]


def words(text: str) -> list[str]:
    """The words of a text."""
    return text.lower().split()


SPLIT: dict[str, Callable[[str], list[str]]] = {"grams": words, "words": words, "items": items}


def texts(records: Records, name: str) -> list[str]:
    """A column as it came; empty where nothing is there."""
    return [str(text or "") for text in records.table.column(name).to_pylist()]


def matrix(values: Sequence[str], kind: str) -> Floats:
    """Cosines of all pairs of texts; 1 is kept for texts that are equal."""
    kinds, code = np.unique(np.array([value.lower() for value in values]), return_inverse=True)
    split = SPLIT[kind]
    distinct = [str(text) for text in kinds]
    parts = [split(text) for text in distinct]
    bags = bags_of_grams(distinct) if kind == "grams" else bags_of_words(parts)
    a, b = (side.astype(np.int64) for side in np.triu_indices(len(kinds), 1))
    table = np.eye(len(kinds))
    table[a, b] = table[b, a] = np.clip(cosine(bags, a, b), 0.0, 0.999)
    empty = np.array([not text for text in parts])
    table[empty] = table[:, empty] = np.nan
    return table[np.ix_(code.reshape(-1), code.reshape(-1))]


def rare(rows: list[list[str]]) -> list[list[str]]:
    """The rare words alone."""
    times = Counter(word for row in rows for word in set(row))
    most = max(2.0, RARE * len(rows))
    return [[word for word in row if 2 <= times[word] <= most] for row in rows]


def problem(
    name: str, records: Records, fields: dict[str, str], rows: Sequence[int], least: float
) -> Problem:
    """Some of the records, compared in their fields."""
    own = Records(records.original(rows), records.names, records.ids.take(np.asarray(rows)))
    alike = {field: matrix(texts(own, field), kind) for field, kind in fields.items()}
    split = {
        field: [SPLIT[kind](text) for text in texts(own, field)] for field, kind in fields.items()
    }
    if "year" in own.names:
        years = np.array([float(year or "nan") for year in texts(own, "year")])
        alike["year"] = np.exp(-np.abs(years[:, None] - years) / 5.0)
    columns = {f"{field} words": row for field, row in split.items()}
    columns |= {f"rare {field} words": rare(row) for field, row in split.items()}
    truth = np.unique(np.array(texts(own, "entity")), return_inverse=True)[1].reshape(-1)
    return Problem(name, truth, alike, columns, least)


def grouped(keys: Sequence[Any]) -> dict[Any, list[int]]:
    """The rows of each key."""
    groups: dict[Any, list[int]] = {}
    for row, key in enumerate(keys):
        groups.setdefault(key, []).append(row)
    return groups


def citeseer(most: int | None = None) -> list[Problem]:
    """The four sections."""
    records = read(str(folder("citeseer_pd_1563", "records.csv")), id="id")
    rows = grouped(texts(records, "section"))
    return [problem(name, records, CITATION, rows[name][:most], 0.2) for name in SECTIONS]


def cora(most: int | None = None) -> list[Problem]:
    """Three folds that share no entity."""
    records = read(str(folder("cora_alchemy_1295", "records.csv")), id="id")
    entities = texts(records, "entity")
    names = sorted(set(entities))
    places = np.random.default_rng(0).permutation(len(names)) % FOLDS
    fold = dict(zip(names, places.tolist(), strict=True))
    rows = grouped([fold[entity] for entity in entities])
    return [
        problem(f"cora, fold {k + 1}", records, CITATION, rows[k][:most], 0.2) for k in range(FOLDS)
    ]


def dblp(most: int | None = None) -> list[Problem]:
    """The names that most people share: those to be tested, then others to learn from."""
    records = read(str(folder("dblp_xml_680", "records.csv")), id="id")
    entities, rows = texts(records, "entity"), grouped(texts(records, "block"))

    def ambiguity(name: str) -> tuple[int, int, str]:
        return -len({entities[row] for row in rows[name]}), -len(rows[name]), name

    return [
        problem(name.replace("_", " "), records, PAPER, rows[name][:most], 0.1)
        for name in sorted(rows, key=ambiguity)[:POOL]
    ]
