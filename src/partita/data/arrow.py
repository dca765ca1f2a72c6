"""NumPy arrays as Arrow arrays and back.

PyArrow's own `array`, `scalar` and `to_numpy` import pandas, which takes a fifth of a second of
every command.
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
"""The missing string."""


def from_numpy(values: NDArray[Any]) -> pa.Array:
    """Convert integers or floats to Arrow, without a copy if they are contiguous."""
    contiguous = np.ascontiguousarray(values)
    buffers = [None, pa.py_buffer(contiguous)]
    return pa.Array.from_buffers(pa.from_numpy_dtype(contiguous.dtype), contiguous.size, buffers)


def from_strings(values: Sequence[str]) -> pa.StringArray:
    """Convert strings to Arrow."""
    encoded = [value.encode() for value in values]
    ends = np.fromiter(accumulate(map(len, encoded), initial=0), np.int32, len(encoded) + 1)
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(b"".join(encoded))]
    return pa.Array.from_buffers(pa.string(), len(encoded), buffers)


def to_numpy(array: pa.Array, missing: int | None = None) -> NDArray[Any]:
    """Convert numbers or truth values to NumPy; without `missing`, nulls are an error."""
    if array.null_count:
        if missing is None:
            raise ValueError(f"{array.null_count} numbers are missing")
        array = array.fill_null(from_numpy(np.array([missing])).cast(array.type)[0])
    if pa.types.is_boolean(array.type):
        return np.from_dlpack(array.cast(pa.uint8())).view(np.bool_)
    return np.from_dlpack(array)
