"""Encoding of labels: labels of any type become numbers 0..k-1, and a missing label -1.

Missing are None, NaN, NA, masked entries, the empty string and the integer -1. Files and clusterers
write the empty string and -1 for "none"; as labels they would merge all unlabelled records.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from partita.errors import InputError
from partita.kernel import Ints

__all__ = ["Labelling", "check_mask", "encode_both", "labels_to_codes"]

Labelling = ArrayLike | Sequence[object]

MISSING = -1
"""Code of a missing label."""
LABELS_PER_PIECE = 1 << 16
"""Labels converted at once: the Python strings of 10 million labels never exist together."""
MAX_EXACT_FLOAT = 2.0**53
"""Float64 represents every whole number up to this one."""


def labels_to_codes(labels: Labelling, noun: str = "labels") -> Ints:
    """Encode the k distinct labels as 0..k-1, and a missing label as -1.

    Accepts integers, whole floats, strings, or any hashable objects; costs O(n) for strings and
    for integers of a narrow range, O(n log n) for others. `noun` names the labels in errors.

    >>> labels_to_codes(["b", "a", None, "b"]).tolist()
    [0, 1, -1, 0]
    >>> labels_to_codes([7, 3, -1, 7]).tolist()
    [1, 0, -1, 1]
    """
    values = _array(labels, noun)
    kind = values.dtype.kind
    if kind in "biu":
        return _of_integers(values)
    if kind == "f":
        return _of_floats(values, noun)
    if kind in "OUST":
        return _of_objects(values, noun)
    raise InputError(f"{noun} have the type {values.dtype}; give integers or strings")


def encode_both(
    labels: Labelling, truth: Labelling, known: ArrayLike | None = None
) -> tuple[Ints, Ints]:
    """Encode two labellings of the same records; the truth is -1 where it is unknown."""
    predicted_codes, true_codes = (
        labels_to_codes(labels, "labels"),
        labels_to_codes(truth, "truth"),
    )
    n = len(predicted_codes)
    if len(true_codes) != n:
        raise InputError(
            f"there are {n} labels and {len(true_codes)} true labels; give one of each per record"
        )
    _reject_missing(
        labels, predicted_codes, "labels", "give every record an entity, if only its own"
    )
    if known is not None:
        mask = check_mask(known, n, "known")
        remedy = "set known to False there, or label the record"
        _reject_missing(truth, np.where(mask, true_codes, 0), "truth", remedy)
        true_codes = np.where(mask, true_codes, MISSING)
    if not (true_codes != MISSING).any():
        raise InputError(f"truth labels none of the {n} records; label at least one")
    return predicted_codes, true_codes


def check_mask(values: ArrayLike, n: int, noun: str) -> NDArray[np.bool_]:
    """Check a mask with one True or False per record."""
    mask = np.asarray(values)
    if mask.dtype != np.bool_ or mask.shape != (n,):
        raise InputError(
            f"{noun} is {mask.dtype}{list(mask.shape)}; give {n} times True or False, "
            "one per record"
        )
    return mask


def _array(labels: Labelling, noun: str) -> NDArray[Any]:
    """Return the labels as an array, without turning 1 into '1' in a list of mixed types."""
    try:
        values = np.asarray(labels)
    except ValueError as error:
        raise InputError(f"{noun} are nested unevenly; give one label per record") from error
    if values.ndim != 1:
        raise InputError(f"{noun} have the shape {values.shape}; give one label per record")
    if not len(values):
        raise InputError(f"{noun} are empty; give at least one record")
    if isinstance(labels, np.ma.MaskedArray):
        values = values.astype(object)
        values[np.ma.getmaskarray(labels)] = None
        return values
    strings = values.dtype.kind in "US" and not isinstance(labels, np.ndarray)
    if strings and not all(isinstance(label, str | bytes) for label in labels):  # type: ignore[union-attr]
        return np.asarray(labels, dtype=object)
    return values


def _of_integers(values: NDArray[Any]) -> Ints:
    if values.dtype == np.uint64:
        return _ranks(values)
    integers = values.astype(np.int64)
    codes = np.full(len(integers), MISSING, np.int64)
    present = integers != MISSING
    codes[present] = _ranks(integers[present])
    return codes


def _of_floats(values: NDArray[Any], noun: str) -> Ints:
    floats = ~np.isnan(values)
    labels = values[floats]
    # floats are no labels unless whole: a fraction is a probability passed by mistake
    invalid = (np.abs(labels) >= MAX_EXACT_FLOAT) | (labels != np.trunc(labels))
    if invalid.any():
        value = labels[np.argmax(invalid)]
        raise InputError(f"{noun} hold the number {value}; give integers or strings as labels")
    codes = np.full(len(values), MISSING, np.int64)
    codes[floats] = _of_integers(labels.astype(np.int64))
    return codes


def _ranks(values: NDArray[Any]) -> Ints:
    """Return the rank of each value among the distinct values."""
    if not len(values):
        return np.zeros(0, np.int64)
    low, high = int(values.min()), int(values.max())
    if high - low > 4 * len(values):
        return np.unique(values, return_inverse=True)[1].astype(np.int64)
    # a lookup table over a narrow range avoids the sort
    offsets = (values - values.dtype.type(low)).astype(np.int64)
    present = np.zeros(high - low + 1, np.int64)
    present[offsets] = 1
    return (np.cumsum(present) - 1)[offsets]


class _Numbers(dict[Any, int]):
    """Numbers labels in the order of their first appearance."""

    def __init__(self) -> None:
        super().__init__({None: MISSING, "": MISSING, b"": MISSING, MISSING: MISSING})
        self.count = 0

    def __missing__(self, label: Any) -> int:
        # NaN differs from itself; pandas.NA raises when compared, so its type name identifies it
        if type(label).__name__ == "NAType" or label != label:
            return MISSING
        self[label] = self.count
        self.count += 1
        return self.count - 1


def _of_objects(values: NDArray[Any], noun: str) -> Ints:
    numbers = _Numbers()
    codes = np.empty(len(values), np.int64)
    for start in range(0, len(values), LABELS_PER_PIECE):
        part = values[start : start + LABELS_PER_PIECE].tolist()
        try:
            codes[start : start + len(part)] = [numbers[label] for label in part]
        except TypeError as error:
            raise InputError(f"{noun}: {error}; give integers or strings as labels") from error
    return codes


def _reject_missing(labels: Labelling, codes: Ints, noun: str, remedy: str) -> None:
    missing = codes == MISSING
    if missing.any():
        where = int(np.argmax(missing))
        value = _array(labels, noun)[where : where + 1].tolist()[0]
        raise InputError(f"{noun}: record {where} has {value!r}; {remedy}")
