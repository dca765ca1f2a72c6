"""Topics of records: how similar a document is to the training documents that mention a record.

The similarity of two documents is the square of the cosine of their words (TF-IDF). The lift of a
key (a record, a word of a title, a type without a record) is the mean similarity of a document to
the training documents with the key, divided by its mean similarity to all training documents.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy

from partita.kernel import Floats, Ints
from partita.knowledge.mention_links import LinkOptions, feature, list_names, title_tail
from partita.knowledge.name_table import NameTable
from partita.text.coreference.attributes import normalise_name
from partita.text.coreference.documents import Document

__all__ = ["Topics", "add_topics", "fit_topics"]

WIDTH = 4
"""Features of an option at most."""
MAX_LIFT = 4.0
"""Logarithm of a lift at most. Origin: a choice."""
MIN_LIFT = -3.0
"""Logarithm of a lift at least. Origin: a choice."""
DIGITS = 4
"""Decimals of numbers in a file."""
UNKNOWN = 99
"""The class of an unknown lift."""
MIN_DOCUMENTS = 2
"""Training documents of a word at least. Origin: a choice."""
PRIOR_DOCUMENTS = 1.0
"""Documents of mean similarity that every key has beside its own. Origin: a choice."""


def list_words(text: str) -> list[str]:
    """The words of a text that have more than two letters and no digits."""
    return [word for word in re.findall(r"[^\W\d]+", text.lower()) if len(word) > 2]


def kind_keys(tail: str, type: str) -> list[str]:
    """The keys of the kind of a record: the words of its title beside the name, or the type."""
    words = [f"word {word}" for word in list_words(tail)]
    return words or [f"tail {tail} {type}"]


class Topics(NamedTuple):
    """Training documents as vectors of words, and which documents have each key."""

    words: dict[str, int]
    idf: Floats
    vectors: scipy.sparse.csr_array
    """Documents by words, rows of length 1."""
    keys: dict[str, int]
    documents: scipy.sparse.csr_array
    """Keys by documents."""

    def lift(self, document: Document, left_out: Ints | None = None) -> Floats:
        """The logarithm (base 2) of the lift of each key without some training documents.

        It is not a number for a key without documents, and for a document without known words.
        """
        row = _count_words([document], self.words, self.idf)
        kernel = np.square((self.vectors @ row.T).toarray().reshape(-1))
        present = np.ones(kernel.size)
        if left_out is not None:
            kernel[left_out], present[left_out] = 0.0, 0.0
        if not kernel.any():
            return np.full(len(self.keys), np.nan)
        mean = kernel.sum() / present.sum()
        mass, count = self.documents @ kernel, self.documents @ present
        lift = np.log2((mass / mean + PRIOR_DOCUMENTS) / (count + PRIOR_DOCUMENTS))
        return np.where(count > 0, lift, np.nan)

    def mean_lift(self, keys: Sequence[str], lift: Floats) -> float:
        """The mean of the lifts of known keys; not a number without any."""
        known = [lift[self.keys[key]] for key in keys if key in self.keys]
        known = [float(value) for value in known if not math.isnan(value)]
        return sum(known) / len(known) if known else math.nan

    def encode(self) -> dict[str, Any]:
        """The content as JSON: words and keys by number, and both matrices by row."""
        return {
            "words": list(self.words),
            "idf": np.round(self.idf, DIGITS).tolist(),
            "vectors": [matrix_part.tolist() for matrix_part in _split(self.vectors)],
            "keys": list(self.keys),
            "documents": [matrix_part.tolist() for matrix_part in _split(self.documents)],
        }

    @classmethod
    def decode(cls, content: Mapping[str, Any]) -> Topics:
        """Read the content of `encode`."""
        words, keys = ({text: k for k, text in enumerate(content[n])} for n in ("words", "keys"))
        n = len(content["vectors"][2]) - 1
        vectors = scipy.sparse.csr_array(tuple(content["vectors"]), shape=(n, len(words)))
        documents = scipy.sparse.csr_array(tuple(content["documents"]), shape=(len(keys), n))
        return cls(words, np.array(content["idf"]), vectors, keys, documents)


def _split(matrix: scipy.sparse.csr_array) -> tuple[Floats, Ints, Ints]:
    return np.round(matrix.data, DIGITS), matrix.indices, matrix.indptr


def _count_words(
    documents: Sequence[Document], words: dict[str, int], idf: Floats
) -> scipy.sparse.csr_array:
    """TF-IDF vectors of length 1."""
    rows, columns, values = [], [], []
    for k, document in enumerate(documents):
        counts = Counter(word for word in list_words(document.text) if word in words)
        cells = [(words[w], (1 + math.log(n)) * idf[words[w]]) for w, n in counts.items()]
        norm = math.sqrt(sum(value * value for _, value in cells)) or 1.0
        rows += [k] * len(cells)
        columns += [column for column, _ in cells]
        values += [value / norm for _, value in cells]
    return scipy.sparse.csr_array((values, (rows, columns)), shape=(len(documents), len(words)))


def fit_topics(documents: Sequence[Document], table: NameTable) -> Topics:
    """Count the words and the keys of training documents with annotated links."""
    frequency = Counter(word for d in documents for word in set(list_words(d.text)))
    kept = sorted(word for word, count in frequency.items() if count >= MIN_DOCUMENTS)
    words = {word: k for k, word in enumerate(kept)}
    idf = np.array([math.log(len(documents) / frequency[word]) for word in kept])
    keys: dict[str, int] = {}
    pairs: dict[tuple[int, int], None] = {}
    for k, document in enumerate(documents):
        for key in _list_keys(document, table):
            pairs[keys.setdefault(key, len(keys)), k] = None
    cells = np.array(list(pairs), np.int64).reshape(-1, 2)
    incidence = scipy.sparse.csr_array(
        (np.ones(len(cells)), (cells[:, 0], cells[:, 1])), shape=(len(keys), len(documents))
    )
    return Topics(words, idf, _count_words(documents, words, idf), keys, incidence)


def _list_keys(document: Document, table: NameTable) -> Iterable[str]:
    for mention in document.mentions:
        if not mention.link:
            yield f"nil {mention.type}"
            continue
        record = table.number.get(mention.link)
        title = mention.link if record is None else table.titles[record]
        yield f"record {mention.link}"
        yield from kind_keys(title_tail(title, normalise_name(mention.text)), mention.type)


def add_topics(
    documents: Sequence[Document],
    table: NameTable,
    options: LinkOptions,
    topics: Topics,
    folds: Ints | None = None,
) -> LinkOptions:
    """Add features of the lift of each option.

    With the fold of each document, the documents are those of the topics, and each is compared with
    the documents of other folds.
    """
    added = np.zeros((len(options.features), WIDTH), np.int32)
    first = 0
    for k, document in enumerate(documents):
        lift = topics.lift(document, None if folds is None else np.flatnonzero(folds == folds[k]))
        known: dict[tuple[str, str], list[list[int]]] = {}
        for name, mention in zip(list_names(document), document.mentions, strict=True):
            begin, end = int(options.start[first]), int(options.start[first + 1])
            first += 1
            key = (name, mention.type)
            if key not in known:
                records = options.record[begin + 1 : end].tolist()
                known[key] = list(_describe_options(*key, records, table, topics, lift))
            for place, row in enumerate(known[key], begin):
                added[place, : len(row)] = row
    return options._replace(features=np.concatenate([options.features, added], 1))


def _describe_options(
    name: str, type: str, records: list[int], table: NameTable, topics: Topics, lift: Floats
) -> Iterator[list[int]]:
    """The features of NIL and of each record of a name."""
    kinds, owns = [], []
    for record in records:
        keys = kind_keys(title_tail(table.titles[record], name), type)
        kinds.append(topics.mean_lift(keys, lift))
        owns.append(topics.mean_lift([f"record {table.ids[record]}"], lift))
    best_kind, best = (np.nanmax([MIN_LIFT, *values]) for values in (kinds, owns))
    yield [
        feature("nil lift", type, lift_level(topics.mean_lift([f"nil {type}"], lift))),
        feature("nil lift kind", type, lift_level(best_kind)),
        feature("nil lift record", type, lift_level(best)),
    ]
    for kind, own in zip(kinds, owns, strict=True):
        yield [
            feature("lift kind", lift_level(kind)),
            feature("lift kind best", lift_level(kind - best_kind)),
            feature("lift record", lift_level(own)),
            feature("lift record best", lift_level(own - best), lift_level(kind)),
        ]


def lift_level(value: float) -> int:
    """The class of the logarithm of a lift: halves."""
    return UNKNOWN if math.isnan(value) else round(2 * min(max(value, MIN_LIFT), MAX_LIFT))
