"""Arrow's arrays from NumPy's and back.

PyArrow's own `array`, `scalar` and `to_numpy` load pandas, for the case that it is needed: a fifth
of a second of every command.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

__all__ = ["NULL_STRING", "from_numpy", "from_strings", "to_numpy"]

NULL_STRING = pa.nulls(1, pa.string())[0]
"""A missing text."""


def from_numpy(values: NDArray[Any]) -> pa.Array:
    """Whole numbers or floats as an array of Arrow, without a copy where they lie in a row."""
    given = np.ascontiguousarray(values)
    kind = pa.from_numpy_dtype(given.dtype)
    return pa.Array.from_buffers(kind, given.size, [None, pa.py_buffer(given)])


def from_strings(values: Sequence[str]) -> pa.StringArray:
    """Strings as an array of Arrow."""
    coded = [one.encode() for one in values]
    ends = np.fromiter(accumulate(map(len, coded), initial=0), np.int32, len(coded) + 1)
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(b"".join(coded))]
    return pa.Array.from_buffers(pa.string(), len(coded), buffers)


def to_numpy(array: pa.Array, missing: int | None = None) -> NDArray[Any]:
    """The numbers, or truth values, of an array that has no missing ones but for those filled."""
    if array.null_count:
        if missing is None:
            raise ValueError(f"{array.null_count} numbers are missing")
        array = array.fill_null(from_numpy(np.array([missing])).cast(array.type)[0])
    if pa.types.is_boolean(array.type):
        return np.from_dlpack(array.cast(pa.uint8())).view(np.bool_)
    return np.from_dlpack(array)
