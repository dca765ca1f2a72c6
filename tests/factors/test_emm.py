import numpy as np
import pytest

from partita.errors import InputError
from partita.factors import entity_mention
from partita.factors.emm import log_normal


def test_the_prior_is_the_log_normal_density_at_whole_numbers():
    found = np.exp(log_normal(5, 0.7, 0.5))
    k = np.arange(1, 6)
    density = np.exp(-((np.log(k) - 0.7) ** 2) / (2 * 0.25)) / k
    np.testing.assert_allclose(found, density / density.sum())


def test_empty_entities_are_expected_when_many_are_likely():
    few = entity_mention([0, 1, 0], mu=np.log(10.0))
    assert (few.expected[1:] > np.arange(1, 4)).all()
    none = entity_mention([0, 1, 0], mu=np.log(10.0), empty=False)
    np.testing.assert_allclose(none.expected[1:], np.arange(1, 4))


def test_names_of_the_templates():
    assert entity_mention([0, 1]).model.names == ["number", "uniform", "rest", "tokens"]


def test_a_single_mention():
    model = entity_mention([3]).model
    assert np.isfinite(model.templates[2].table.score).all()


@pytest.mark.parametrize(
    ("tokens", "given", "sentence"),
    [
        ([0, -1], {}, "a token is -1; give at least one mention"),
        ([0], {"alpha": 0}, "the prior is 0; give a positive number"),
        ([0], {"sigma": -1.0}, "sigma is -1.0; give a positive number"),
        ([0], {"states": "both"}, "states is 'both'; give 'unlabelled' or 'labelled'"),
        ([0, 1, 2], {"most": 2}, "most is 2; give a whole number of at least 3"),
        ([5], {"vocabulary": 3}, "values are"),
    ],
)
def test_bad_input(tokens, given, sentence):
    with pytest.raises(InputError, match=sentence):
        entity_mention(tokens, **given)
