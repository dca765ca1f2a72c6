"""The data of SAMPLERANK: CoNLL-2003 sentences and Mulan's multi-label sets, read from a folder."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.errors import InputError
from partita.text.sequences import iob2

__all__ = ["MultiLabelSet", "Sentences", "folder", "multilabel_set", "paper_features", "sentences"]

FOLDER = Path(__file__).parents[3] / "shared" / "data"


def folder(*names: str) -> Path:
    """A file below the folder of data, which PARTITA_DATA names."""
    path = Path(os.environ.get("PARTITA_DATA", FOLDER)).joinpath(*names)
    if not path.exists():
        raise InputError(f"{path} is not there; set PARTITA_DATA to the folder of the data")
    return path


class Sentences(NamedTuple):
    """Words of each sentence, and their labels in IOB2."""

    words: list[list[str]]
    labels: list[list[str]]


def sentences(part: str, most: int | None = None) -> Sentences:
    """One part of CoNLL-2003 ("train", "testa" or "testb"), without marks of documents."""
    corpus = Sentences([], [])
    text = folder("conll2003", f"eng.{part}").read_text(encoding="utf-8")
    for block in text.split("\n\n"):
        rows = [line.split() for line in block.splitlines() if line.strip()]
        rows = [row for row in rows if row[0] != "-DOCSTART-"]
        if rows:
            corpus.words.append([row[0] for row in rows])
            corpus.labels.append(iob2([row[-1] for row in rows]))
    return Sentences(corpus.words[:most], corpus.labels[:most])


def paper_features(sentence: list[str], i: int) -> list[str]:
    """The word, the word in lower case, a capital, a sentence in lower case, the first word."""
    word = sentence[i]
    features = ["bias", f"word={word}", f"lower={word.lower()}"]
    if word[0].isupper():
        features.append("capital")
    if not any(map(str.isupper, "".join(sentence))):
        features.append("sentence in lower case")
    if i == 0:
        features.append("first")
    return features


class MultiLabelSet(NamedTuple):
    """Features and labels of the training and the test examples of one set."""

    name: str
    observed: NDArray[np.float64]
    truth: NDArray[np.int64]
    test_observed: NDArray[np.float64]
    test_truth: NDArray[np.int64]


def multilabel_set(name: str, labels: int) -> MultiLabelSet:
    """One of Mulan's sets; features are centred by the means of the training examples."""
    parts = []
    for part in ("train", "test"):
        text = folder("multilabel", name, f"{name}-{part}.arff").read_text()
        rows = text.split("@data", 1)[1].split()
        table = np.array([row.split(",") for row in rows], float)
        parts += [table[:, :-labels], table[:, -labels:].astype(np.int64)]
    mean = parts[0].mean(0)
    return MultiLabelSet(name, parts[0] - mean, parts[1], parts[2] - mean, parts[3])
