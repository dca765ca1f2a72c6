"""Sequences: tokens as sparse rows of attributes, from columns or from a user's function."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from scipy import sparse

from partita.errors import InputError
from partita.kernel import Floats, Ints
from partita.states.checks import shown, whole

__all__ = [
    "UNKNOWN",
    "Encoder",
    "Sequences",
    "Task",
    "check_labelled",
    "columns",
    "encoded",
    "take",
]

UNKNOWN = -1
"""The label of a token in a sequence without labels."""

Attributes = Iterable[str] | Mapping[str, float]
Function = Callable[[Any, int], Attributes]


class Sequences(NamedTuple):
    """Concatenated tokens: starts of sequences and rows, and the attributes of each row."""

    start: Ints
    row: Ints
    attribute: Ints
    value: Floats
    label: Ints
    """The true label of each token, or -1 in a sequence without labels; empty if none is known."""

    def matrix(self, width: int) -> sparse.csr_array:
        """Tokens by attributes."""
        shape = (self.row.size - 1, width)
        return sparse.csr_array((self.value, self.attribute, self.row), shape=shape)


def columns(names: Sequence[str]) -> Function:
    """Build attributes `column=value` for tokens that are mappings, or rows in this order.

    A number is the value of the attribute `column`; None or an empty string gives no attribute.
    """
    named = list(names)
    if not named or isinstance(names, str):
        raise InputError(f"columns are {names!r}; give a list of at least one name")

    def function(sentence: Any, i: int) -> Mapping[str, float]:
        token = sentence[i]
        attributes: dict[str, float] = {}
        for k, name in enumerate(named):
            value = token.get(name) if isinstance(token, Mapping) else token[k]
            if value is None or value == "":
                continue
            if isinstance(value, int | float) and not isinstance(value, bool):
                attributes[name] = float(value)
            else:
                attributes[f"{name}={value}"] = 1.0
        return attributes

    return function


@dataclass(frozen=True)
class Encoder:
    """Maps tokens to attribute numbers, and labels to label numbers."""

    features: Function
    names: tuple[str, ...]
    """Attributes by number; empty if numbers are hashes."""
    buckets: int
    """Number of hash buckets of attributes; 0 if every attribute has its own number."""
    labels: tuple[str, ...]

    @property
    def width(self) -> int:
        """The number of attributes."""
        return self.buckets or len(self.names)

    def attribute_names(self) -> list[str]:
        """Return a name for each attribute number."""
        return list(self.names) or [f"bucket {k}" for k in range(self.buckets)]

    def encode(self, sentences: Sequence[Any], truth: Sequence[Any] | None = None) -> Sequences:
        """Encode all tokens as sparse rows; attributes absent from training are left out."""
        places = None if self.buckets else {name: k for k, name in enumerate(self.names)}
        rows = _rows(sentences, self.features)
        encoded_rows = _numbered(rows, places, self.buckets)
        return _sequences(sentences, encoded_rows, _coded(sentences, truth, self.labels))


@dataclass(frozen=True)
class Task:
    """Training data: an encoder and the encoded training sequences."""

    encoder: Encoder
    sequences: Sequences


def encoded(
    sentences: Sequence[Any],
    truth: Sequence[Sequence[str] | None],
    features: Function | Sequence[str],
    *,
    labels: Sequence[str] | None = None,
    hashed: int | None = None,
    least: int = 1,
) -> Task:
    """Number the labels and attributes of training sequences.

    Parameters
    ----------
    sentences, truth
        Sequences of tokens, and a label for each token; None for a sequence without labels, which
        `constraint_driven` learns from.
    features
        `features(sentence, i)` returns the names of the i-th token's attributes, or a mapping to
        values; or the names of columns (see `columns`).
    labels
        All labels; by default those that occur in `truth`.
    hashed
        Number attributes by a hash below this number, instead of an index of their names.
    least
        Minimum number of occurrences of an attribute in the index.
    """
    function = features if callable(features) else columns(features)
    whole(least, "least")
    buckets = 0 if hashed is None else whole(hashed, "hashed", 2)
    if not len(sentences):
        raise InputError("there are no training sequences; give at least one")
    if len(truth) != len(sentences):
        raise InputError(
            f"there are {len(sentences)} sequences and {len(truth)} rows of labels; give one each"
        )
    names = _label_names(truth, labels)
    rows = list(_rows(sentences, function))
    places: dict[str, int] | None = None
    if not buckets:
        places = _index(rows, least)
    numbers = _numbered(rows, places, buckets)
    encoder = Encoder(function, tuple(places or ()), buckets, names)
    task = Task(encoder, _sequences(sentences, numbers, _coded(sentences, truth, names)))
    _differ(task)
    return task


def check_labelled(task: Task) -> None:
    """Raise an InputError if a sequence of the task has no labels."""
    label = task.sequences.label
    if label.size and label.min() == UNKNOWN:
        token = int(np.argmin(label))
        number = int(np.searchsorted(task.sequences.start, token, "right")) - 1
        raise InputError(
            f"sequence {number} has no labels; give them, or train by constraint_driven(...)"
        )


def take(task: Task, chosen: Sequence[int] | Ints) -> Task:
    """Return the task of the chosen sequences, with the same encoder."""
    sequences, many = task.sequences, np.asarray(chosen, np.int64)
    token = np.concatenate([np.arange(sequences.start[k], sequences.start[k + 1]) for k in many])
    matrix = sequences.matrix(task.encoder.width)[token]
    start = np.concatenate([[0], np.cumsum(np.diff(sequences.start)[many])]).astype(np.int64)
    row, attribute = (part.astype(np.int64) for part in (matrix.indptr, matrix.indices))
    return Task(task.encoder, Sequences(start, row, attribute, matrix.data, sequences.label[token]))


def _label_names(
    truth: Sequence[Sequence[str] | None], labels: Sequence[str] | None
) -> tuple[str, ...]:
    """Return the labels in the given order, or those of the training sequences, sorted."""
    observed = sorted({str(label) for row in truth if row is not None for label in row})
    names = tuple(observed if labels is None else dict.fromkeys(map(str, labels)))
    if len(names) < 2:
        raise InputError(
            f"all training labels are {names[0] if names else 'missing'!r}; give at least two "
            "different labels"
        )
    return names


def _rows(sentences: Sequence[Any], function: Function) -> Iterable[Attributes]:
    for sentence in sentences:
        for i in range(len(sentence)):
            attributes = function(sentence, i)
            if isinstance(attributes, str) or not isinstance(attributes, Iterable):
                raise InputError(
                    f"the features of {shown(sentence[i])} are {shown(attributes)}; "
                    "return a list of names, or a mapping from names to numbers"
                )
            # a generator is read twice: once for its names, once for its values
            yield attributes if isinstance(attributes, Mapping | list | tuple) else list(attributes)


def _index(rows: list[Attributes], least: int) -> dict[str, int]:
    count: dict[str, int] = {}
    for row in rows:
        for name in row:
            count[name] = count.get(name, 0) + 1
    names = [name for name, n in count.items() if n >= least]
    if not names:
        raise InputError(
            f"no attribute occurs {least} times in training; lower `least`, or give features"
        )
    return {name: k for k, name in enumerate(names)}


def _numbered(
    rows: Iterable[Attributes], places: dict[str, int] | None, buckets: int
) -> tuple[Ints, Ints, Floats]:
    starts, numbers, values = [0], [], []
    for row in rows:
        valued = isinstance(row, Mapping)
        for name in row:
            number = places.get(name, -1) if places is not None else crc32(name.encode()) % buckets
            if number >= 0:
                numbers.append(number)
                values.append(row[name] if valued else 1.0)  # type: ignore[index, call-overload]
        starts.append(len(numbers))
    value = np.array(values, float)
    if not np.isfinite(value).all():
        raise InputError("an attribute has a value that is not finite; give finite numbers")
    return np.array(starts, np.int64), np.array(numbers, np.int64), value


def _coded(sentences: Sequence[Any], truth: Sequence[Any] | None, labels: Sequence[str]) -> Ints:
    if truth is None:
        return np.zeros(0, np.int64)
    places = {label: k for k, label in enumerate(labels)}
    codes = []
    for k, (sentence, row) in enumerate(zip(sentences, truth, strict=True)):
        if row is None:
            codes += [UNKNOWN] * len(sentence)
            continue
        if len(sentence) != len(row):
            raise InputError(
                f"sequence {k} has {len(sentence)} tokens and {len(row)} labels; give one each"
            )
        for label in row:
            if str(label) not in places:
                raise InputError(f"sequence {k} has the label {label!r}, unknown in training")
            codes.append(places[str(label)])
    return np.array(codes, np.int64)


def _sequences(
    sentences: Sequence[Any], numbers: tuple[Ints, Ints, Floats], label: Ints
) -> Sequences:
    start = np.concatenate([[0], np.cumsum([len(sequence) for sequence in sentences])]).astype(
        np.int64
    )
    return Sequences(start, *numbers, label)


def _differ(task: Task) -> None:
    """Raise an InputError if all tokens have the same features."""
    matrix = task.sequences.matrix(task.encoder.width)
    tokens = matrix.shape[0]
    if tokens < 2:
        return
    if (abs(matrix - matrix[[0] * tokens]) > 0).nnz == 0:
        raise InputError(
            f"all {tokens} training tokens have the same features; give features that differ"
        )
