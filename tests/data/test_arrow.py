import numpy as np
import pyarrow as pa
import pytest

from partita.data.arrow import NULL_STRING, from_numpy, from_strings, to_numpy


@pytest.mark.parametrize("kind", [np.int8, np.int32, np.int64, np.uint64, np.float32, np.float64])
def test_numbers_survive_a_round_trip(kind):
    values = np.arange(10, dtype=kind)[::3]
    array = from_numpy(values)
    assert array.equals(pa.array(values))
    assert to_numpy(array).dtype == kind
    assert to_numpy(array).tolist() == values.tolist()


def test_slices_keep_their_offset():
    assert to_numpy(from_numpy(np.arange(9)).slice(3, 4)).tolist() == [3, 4, 5, 6]


def test_strings_equal_those_of_arrow():
    values = ["", "Ann", "Zoë", "李"]
    assert from_strings(values).equals(pa.array(values))
    assert from_strings([]).equals(pa.array([], pa.string()))
    assert NULL_STRING.as_py() is None


def test_truth_values_and_nulls():
    assert to_numpy(pa.array([True, False, True])).tolist() == [True, False, True]
    assert to_numpy(pa.array([True, False])).dtype == np.bool_
    gaps = pa.array([3, None, 5], pa.int32())
    assert to_numpy(gaps, missing=-1).tolist() == [3, -1, 5]
    assert to_numpy(gaps, missing=-1).dtype == np.int32


def test_nulls_are_an_error_by_default():
    with pytest.raises(ValueError, match="1 numbers are missing"):
        to_numpy(pa.array([1, None]))
