"""States that cannot be, and what each error is to Python."""

import numpy as np
import pytest

from partita import Labels, Partition
from partita.errors import CheckpointError, InputError, ModeError, ModelError
from tests.bad_input.sentences import NAN, names_value_and_remedy

STATES = {
    "no mentions": (lambda: Partition.of([]), InputError, r"shape \(0,\)", "at least one"),
    "zero mentions": (lambda: Partition.singletons(0), InputError, "is 0", "at least 1"),
    "negative mentions": (lambda: Partition.one_entity(-2), InputError, "is -2", "at least 1"),
    "half a mention": (lambda: Partition.singletons(2.5), InputError, "2.5", "whole number"),
    "one label": (lambda: Partition.of("abc"), InputError, r"shape \(\)", "one label each"),
    "label table": (lambda: Partition.of([[0, 1]]), InputError, r"\(1, 2\)", "one label each"),
    "NaN label": (lambda: Partition.of([0.0, NAN]), InputError, "nan at 1", "every mention"),
    "no label": (
        lambda: Partition.of(np.array(["a", None], object)),
        *(InputError, "None at 1", "every mention"),
    ),
    "mixed labels": (
        lambda: Partition.of(np.array(["a", 3], object)),
        *(InputError, "int and str", "numbers or strings"),
    ),
    "ragged labels": (
        lambda: Partition.of([[0], [1, 2]]),
        *(InputError, "different lengths", "rows of one length"),
    ),
    "no variables": (lambda: Labels.of([], 2), InputError, r"shape \(0,\)", "at least one"),
    "label outside": (lambda: Labels.of([0, 3], 3), InputError, "value 3", "inside the domain"),
    "negative label": (lambda: Labels.of([-1], 3), InputError, "value -1", "inside the domain"),
    "half a label": (lambda: Labels.of([0.5], 3), InputError, "0.5", "whole numbers"),
    "named labels": (lambda: Labels.of(["x"], 3), InputError, "'x'", "whole numbers"),
    "NaN value": (lambda: Labels.of([NAN], 3), InputError, "nan", "whole numbers"),
    "no domain": (lambda: Labels.of([0], 0), InputError, "size 0", "at least 1"),
    "domains": (lambda: Labels.of([0, 0], [2] * 3), InputError, r"\(3,\) for 2", "one each"),
}


@pytest.mark.parametrize("name", STATES)
def test_states(name):
    names_value_and_remedy(STATES[name])


def test_errors_are_values_and_states_of_python_too():
    assert issubclass(InputError, ValueError)
    assert issubclass(ModelError, ValueError)
    assert issubclass(ModeError, RuntimeError)
    assert issubclass(CheckpointError, RuntimeError)
