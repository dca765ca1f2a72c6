"""Subjects of predicates: comparisons and values in all accepted forms."""

import numpy as np
import pytest

from partita.errors import InputError, ModelError
from partita.factors import over_pairs, over_values


def test_values_are_numbers_words_or_several_words():
    years = over_values("year", [2001.0, np.nan, 2001.0])
    assert years.numbers and years.codes == 1 and years.start.tolist() == [0, 1, 1, 2]
    words = over_values("word", ["b", None, "a", ""])
    assert not words.numbers and words.codes == 2 and np.isnan(words.value).tolist() == [0, 1, 0, 1]
    sets = over_values("words", [["a", "b", "a"], [], None, {"b"}])
    assert sets.codes == 2 and np.diff(sets.start).tolist() == [2, 0, 0, 1]
    assert over_values("yes", [True, False]).truths


def test_listed_pairs_stand_in_both_directions():
    over = over_pairs("alike", [0.5, np.nan], pairs=[[2, 0], [0, 1]], n=3, elsewhere=0.25)
    assert over.data.start.tolist() == [0, 2, 3, 4]
    assert over.data.elsewhere.tolist() == [0.25]
    assert np.isnan(over_pairs("alike", [0.5], pairs=[[0, 1]], n=2).data.elsewhere).all()


def test_bad_subjects_are_named():
    with pytest.raises(InputError, match="symmetric"):
        over_pairs("alike", [[0.0, 1.0], [0.5, 0.0]])
    with pytest.raises(InputError, match="square matrix"):
        over_pairs("alike", [0.5, 0.5])
    with pytest.raises(InputError, match="2 values for 1 pairs"):
        over_pairs("alike", [0.5, 0.5], pairs=[[0, 1]], n=2)
    with pytest.raises(InputError, match="n, the number of mentions"):
        over_pairs("alike", [0.5], pairs=[[0, 1]])
    with pytest.raises(InputError, match="infinite"):
        over_pairs("alike", [[0.0, np.inf], [np.inf, 0.0]])
    with pytest.raises(InputError, match="give numbers"):
        over_pairs("alike", [["a", "b"], ["b", "a"]])
    with pytest.raises(InputError, match="one for each mention"):
        over_values("year", np.zeros((2, 2)))
    with pytest.raises(InputError, match="mention 1 has 'b'"):
        over_values("words", [["a"], "b"])


@pytest.mark.compiled
def test_a_function_that_cannot_be_compiled_is_refused():
    def texts(data, i, j):
        return data.get(str(i), j)

    with pytest.raises(ModelError):
        over_pairs("alike", texts, data=np.zeros(2), n=2)
