import dataclasses

import numpy as np
import pytest

from partita.errors import InputError
from partita.synthetic.settings import (
    Catalogue,
    Errors,
    Literature,
    Population,
    TextErrors,
    check_settings,
)

RATES = [one.name for one in dataclasses.fields(Errors) if one.name != "spare_first"]


@pytest.mark.parametrize("name", RATES)
@pytest.mark.parametrize("value", [-0.1, 1.5, float("nan"), "often", None, True])
def test_rates_outside_their_range(name, value):
    with pytest.raises(InputError, match=rf"the rate {name} is .*; give a number from 0 to 1"):
        Errors(**{name: value})


@pytest.mark.parametrize(
    ("kind", "name", "value", "words"),
    [
        (Population, "repeat", 1.01, "the rate repeat is 1.01"),
        (Population, "tail", 2.0, "the rate tail is 2.0"),
        (Population, "largest", 0, "largest is 0; give a whole number of at least 1"),
        (Population, "surname_skew", 0.0, "surname_skew is 0.0; give a positive number"),
        (Errors, "spare_first", 1, "spare_first is 1; give True or False"),
        (Literature, "exponent", -1.0, "exponent is -1.0; give a positive number"),
        (Literature, "community", 1, "community is 1; give a whole number of at least 2"),
        (Literature, "last_names", 0, "last_names is 0; give a whole number of at least 1"),
        (Literature, "topics", 2.5, "topics is 2.5"),
        (Literature, "own_word", 0.6, "topic_word and own_word add up to 1.1; give rates"),
    ],
)
def test_other_settings_out_of_range(kind, name, value, words):
    with pytest.raises(InputError) as result:
        kind(**{name: value})
    assert str(result.value).startswith(words)


def test_settings_at_the_ends_of_their_range():
    for rate in (0, 1, np.float64(0.5)):
        assert Errors(insert=rate, missing=rate).insert == rate
    assert Literature(last_names=None, topic_word=0.9, own_word=0.1).last_names is None


def test_only_some_errors():
    errors = Errors.only(insert=0.5, spare_first=False)
    rates = {name: getattr(errors, name) for name in RATES}
    assert {name: rate for name, rate in rates.items() if rate} == {"insert": 0.5}
    assert not errors.spare_first
    with pytest.raises(
        InputError, match="there is no error 'spelling'; give one of insert, delete"
    ):
        Errors.only(spelling=0.1)


def test_settings_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Errors().insert = 0.5


def test_settings_of_another_kind():
    assert check_settings(None, Errors, "errors") == Errors()
    with pytest.raises(InputError, match=r"errors is \{'insert': 1\}; give Errors\(...\)"):
        check_settings({"insert": 1}, Errors, "errors")


@pytest.mark.parametrize("kind", [Errors, TextErrors])
def test_scaled_rates_stay_within_one(kind):
    assert kind().scaled(1) == kind()
    assert kind().scaled(0) == kind.only()
    assert kind(missing=0.4).scaled(2).missing == 0.8
    assert kind(missing=0.4).scaled(3).missing == 1.0
    for factor in (-1, float("nan"), float("inf")):
        with pytest.raises(InputError, match="the noise level is"):
            kind().scaled(factor)


def test_settings_of_catalogues():
    with pytest.raises(InputError, match="the rate family is 2"):
        Catalogue(family=2)
    with pytest.raises(InputError, match="there is no error 'nickname'; give one of insert"):
        TextErrors.only(nickname=0.1)
