"""The edge of the metrics: labels of any kind become numbers 0..k-1, and a missing label -1.

Missing are None, NaN, NA, masked entries, the empty string and the integer -1. The empty string
and -1 are no labels because files and clusterers write them for "none", and reading them as one
entity would join everything that nobody labelled.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from partita.errors import InputError
from partita.kernel import Ints

__all__ = ["Labelling", "aligned", "labels_to_codes", "one_per_record"]

Labelling = ArrayLike | Sequence[object]

MISSING = -1
# strings leave NumPy in pieces, so that the Python objects of 10 million labels never coexist
PIECE = 1 << 16
LARGEST_FLOAT = 2.0**53


def labels_to_codes(labels: Labelling, what: str = "labels") -> Ints:
    """Numbers 0..k-1 for the k distinct labels, and -1 where a label is missing.

    Takes integers, whole floats, strings, or any hashable objects; costs O(n) for strings and
    for integers of a narrow range, O(n log n) for others. `what` names the labels in errors.

    >>> labels_to_codes(["b", "a", None, "b"]).tolist()
    [0, 1, -1, 0]
    >>> labels_to_codes([7, 3, -1, 7]).tolist()
    [1, 0, -1, 1]
    """
    values = _array(labels, what)
    kind = values.dtype.kind
    if kind in "biu":
        return _of_integers(values)
    if kind == "f":
        return _of_floats(values, what)
    if kind in "OUST":
        return _of_objects(values, what)
    raise InputError(f"{what} have the type {values.dtype}; give integers or strings")


def aligned(
    found: Labelling, truth: Labelling, known: ArrayLike | None = None
) -> tuple[Ints, Ints]:
    """Codes of two labellings of the same records; the truth is -1 where it is not known."""
    found_codes, true_codes = labels_to_codes(found, "found"), labels_to_codes(truth, "truth")
    n = len(found_codes)
    if len(true_codes) != n:
        raise InputError(
            f"found has {n} labels and truth {len(true_codes)}; give one of each per record"
        )
    _refuse_missing(found, found_codes, "found", "give every record an entity, if only its own")
    if known is not None:
        mask = one_per_record(known, n, "known")
        remedy = "set known to False there, or label the record"
        _refuse_missing(truth, np.where(mask, true_codes, 0), "truth", remedy)
        true_codes = np.where(mask, true_codes, MISSING)
    if not (true_codes != MISSING).any():
        raise InputError(f"truth labels none of the {n} records; label some of them")
    return found_codes, true_codes


def one_per_record(values: ArrayLike, n: int, what: str) -> NDArray[np.bool_]:
    """A mask with one True or False per record."""
    mask = np.asarray(values)
    if mask.dtype != np.bool_ or mask.shape != (n,):
        raise InputError(
            f"{what} is {mask.dtype}{list(mask.shape)}; give {n} times True or False, "
            "one per record"
        )
    return mask


def _array(labels: Labelling, what: str) -> NDArray[Any]:
    """The labels in a row, without turning 1 into '1' where a list mixes kinds."""
    try:
        values = np.asarray(labels)
    except ValueError as error:
        raise InputError(f"{what} are nested unevenly; give one label per record") from error
    if values.ndim != 1:
        raise InputError(f"{what} have the shape {values.shape}; give one label per record")
    if not len(values):
        raise InputError(f"{what} are empty; give at least one record")
    if isinstance(labels, np.ma.MaskedArray):
        values = values.astype(object)
        values[np.ma.getmaskarray(labels)] = None
        return values
    strings = values.dtype.kind in "US" and not isinstance(labels, np.ndarray)
    if strings and not all(isinstance(one, str | bytes) for one in labels):  # type: ignore[union-attr]
        return np.asarray(labels, dtype=object)
    return values


def _of_integers(values: NDArray[Any]) -> Ints:
    if values.dtype == np.uint64:
        return _ranks(values)
    whole = values.astype(np.int64)
    codes = np.full(len(whole), MISSING, np.int64)
    given = whole != MISSING
    codes[given] = _ranks(whole[given])
    return codes


def _of_floats(values: NDArray[Any], what: str) -> Ints:
    given = ~np.isnan(values)
    labels = values[given]
    # equality of floats is no identity: half a label is a probability handed over by mistake
    wrong = (np.abs(labels) >= LARGEST_FLOAT) | (labels != np.trunc(labels))
    if wrong.any():
        value = labels[np.argmax(wrong)]
        raise InputError(f"{what} hold the number {value}; give integers or strings as labels")
    codes = np.full(len(values), MISSING, np.int64)
    codes[given] = _of_integers(labels.astype(np.int64))
    return codes


def _ranks(values: NDArray[Any]) -> Ints:
    """The rank of each value among the distinct ones."""
    if not len(values):
        return np.zeros(0, np.int64)
    low, high = int(values.min()), int(values.max())
    if high - low > 4 * len(values):
        return np.unique(values, return_inverse=True)[1].astype(np.int64)
    # a table over a narrow range saves the sort
    offsets = (values - values.dtype.type(low)).astype(np.int64)
    present = np.zeros(high - low + 1, np.int64)
    present[offsets] = 1
    return (np.cumsum(present) - 1)[offsets]


class _Numbers(dict[Any, int]):
    """Numbers given to labels in the order in which they are first asked for."""

    def __init__(self) -> None:
        super().__init__({None: MISSING, "": MISSING, b"": MISSING, MISSING: MISSING})
        self.given = 0

    def __missing__(self, label: Any) -> int:
        # NaN differs from itself; pandas' NA refuses to be compared, so it is known by its name
        if type(label).__name__ == "NAType" or label != label:
            return MISSING
        self[label] = self.given
        self.given += 1
        return self.given - 1


def _of_objects(values: NDArray[Any], what: str) -> Ints:
    numbers = _Numbers()
    codes = np.empty(len(values), np.int64)
    for start in range(0, len(values), PIECE):
        part = values[start : start + PIECE].tolist()
        try:
            codes[start : start + len(part)] = [numbers[one] for one in part]
        except TypeError as error:
            raise InputError(f"{what}: {error}; give integers or strings as labels") from error
    return codes


def _refuse_missing(labels: Labelling, codes: Ints, what: str, remedy: str) -> None:
    missing = codes == MISSING
    if missing.any():
        where = int(np.argmax(missing))
        value = _array(labels, what)[where : where + 1].tolist()[0]
        raise InputError(f"{what} has no label at record {where}, only {value!r}; {remedy}")
