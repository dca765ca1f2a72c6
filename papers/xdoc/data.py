"""The data of XDOC: John Smith articles, and people of AIDA-CoNLL whose names are hidden."""

from __future__ import annotations

import csv
import json
import os
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from partita.errors import InputError
from partita.kernel import Ints

__all__ = ["Mentions", "contexts", "folder", "john_smith", "people", "person_x"]

FOLDER = Path(__file__).parents[3] / "shared" / "data"

WINDOW = 50
"""Words on either side of a name that are its context, where a document names many people."""


class Mentions(NamedTuple):
    """Contexts as rows of unit length, and the true entity of each."""

    rows: sparse.csr_array
    truth: Ints


def folder(*names: str) -> Path:
    """A file below the folder of data, which PARTITA_DATA names."""
    path = Path(os.environ.get("PARTITA_DATA", FOLDER)).joinpath(*names)
    if not path.exists():
        raise InputError(f"{path} is not there; set PARTITA_DATA to the folder of the data")
    return path


def contexts(bags: Sequence[Counter[str]]) -> sparse.csr_array:
    """Rows of unit length, of words that two or more have.

    A word weighs (1 + log count) log((n + 1) / documents).
    """
    frequency = Counter(word for bag in bags for word in bag)
    kept = {w: k for k, w in enumerate(sorted(w for w, n in frequency.items() if n > 1))}
    rows, columns, values = [], [], []
    for i, bag in enumerate(bags):
        weighed = {
            kept[word]: (1 + np.log(n)) * np.log((len(bags) + 1) / frequency[word])
            for word, n in bag.items()
            if word in kept
        }
        length = np.sqrt(sum(x * x for x in weighed.values())) or 1.0
        rows += [i] * len(weighed)
        columns += list(weighed)
        values += [x / length for x in weighed.values()]
    shape = (len(bags), max(1, len(kept)))
    return sparse.csr_array((np.array(values, float), (rows, columns)), shape=shape)


def near(words: Sequence[str], places: Sequence[tuple[int, int]], hidden: set[str]) -> Counter[str]:
    """The words around some spans, without those that are hidden."""
    kept: set[int] = set()
    for first, last in places:
        kept.update(range(max(0, first - WINDOW), min(len(words), last + WINDOW)))
    lower = (words[k].lower() for k in kept)
    return Counter(word for word in lower if word.isalpha() and word not in hidden)


def john_smith() -> Mentions:
    """197 articles of the New York Times about one John Smith each (Bagga and Baldwin 1998).

    The context is the whole article.
    """
    csv.field_size_limit(1 << 24)
    with folder("john_smith", "records.csv").open(newline="", encoding="utf-8") as file:
        records = list(csv.DictReader(file))
    bags = []
    for record in records:
        words = re.findall(r"[A-Za-z]+", record["text"])
        bags.append(near(words, [(0, len(words))], {"john", "smith"}))
    truth = np.unique([record["entity"] for record in records], return_inverse=True)[1]
    return Mentions(contexts(bags), truth.astype(np.int64).reshape(-1))


def people() -> dict[str, list[list[tuple[Any, int, int]]]]:
    """The mentions of each linked person of AIDA-CoNLL, by document.

    A mention is the words of its document, its first token, and the one after its last.
    """
    mentions: dict[str, list[list[tuple[Any, int, int]]]] = defaultdict(list)
    with folder("aida_conll", "aida_conll.jsonl").open(encoding="utf-8") as file:
        for line in file:
            document = json.loads(line)
            words = [word for sentence in document["sentences"] for word in sentence]
            here: dict[str, list[tuple[Any, int, int]]] = defaultdict(list)
            for mention in document["mentions"]:
                if mention["type"] == "PER" and mention["wiki"]:
                    here[mention["wiki"]].append((words, mention["start"], mention["end"]))
            for person, places in here.items():
                mentions[person].append(places)
    return mentions


def person_x(names: Sequence[str], *, by_document: bool = False) -> Mentions:
    """Mentions of some people, their names hidden: every one of them, or all of a document as one.

    All words of a person's own mentions are hidden in its contexts.
    """
    known, bags, truth = people(), [], []
    for number, name in enumerate(names):
        spans = [span for places in known[name] for span in places]
        hidden = {word.lower() for words, a, b in spans for word in words[a:b]}
        for places in known[name]:
            groups = [places] if by_document else [[place] for place in places]
            for group in groups:
                words = group[0][0]
                bags.append(near(words, [(a, b) for _, a, b in group], hidden))
                truth.append(number)
    return Mentions(contexts(bags), np.array(truth, np.int64))
