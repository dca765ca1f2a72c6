"""What the urn is given: bad fields are named."""

import math

import numpy as np
import pytest

from partita.errors import InputError
from partita.factors import Field, hit_miss_model

PHI = np.array([0.5, 0.3, 0.2])
RATIOS = np.array([math.log(0.9), 1.0, -2.0])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"codes": [0, 3]}, "code of 3 for 3 values"),
        ({"frequency": [0.5, 0.5, 0.0]}, "positive frequencies"),
        ({"levels": [2, 1]}, "level in 1..2"),
        ({"levels": [3]}, "level in 1..2"),
        ({"concentration": 0.0}, "concentration 0.0"),
        ({"frequency": [0.5, math.nan, 0.1]}, "nan"),
        ({"term_frequency": -1.0}, "term_frequency -1.0"),
        ({"conditional_u": [1.0, 2.0]}, "conditional_u has shape"),
        ({"own": [0.0, math.nan]}, "nan"),
        ({"own": [-1.0]}, "one log frequency per mention"),
        ({"own": [0.5, -1.0]}, "give logs of probabilities"),
    ],
)
def test_bad_fields_are_named(change, words):
    given = {"codes": [0, 1], "frequency": PHI, "ratios": RATIOS, "pairs": [[0, 1]], "levels": [1]}
    with pytest.raises(InputError, match=words):
        hit_miss_model({"name": Field(**{**given, **change})})
    with pytest.raises(InputError, match="equal lengths"):
        hit_miss_model({"a": Field(**given), "b": Field(**{**given, "codes": [0]})})
