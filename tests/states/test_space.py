from dataclasses import fields

import pytest

from partita.errors import ModelError
from partita.states import SPACES, Labels, Partition, register_space, space_of
from partita.states.space import Space


def test_states_are_found_by_type():
    assert space_of(Partition.singletons(2)).name == "partition"
    assert space_of(Labels.of([0], 2)).name == "labels"


def test_an_unknown_state_is_named():
    with pytest.raises(ModelError, match=r"list is not a registered state .*Labels.*Partition"):
        space_of([1, 2])


def test_registering_makes_a_state_known(monkeypatch):
    class Mine:
        pass

    monkeypatch.setattr("partita.states.space.SPACES", dict(SPACES))
    register_space(Mine, SPACES[Labels])
    assert space_of(Mine()) is SPACES[Labels]
    assert Mine not in SPACES


@pytest.mark.parametrize("kind", SPACES)
def test_every_law_is_there(kind):
    for field in fields(Space):
        if field.default is None:
            continue
        assert getattr(SPACES[kind], field.name) is not None
