import pytest

from partita.errors import InputError
from partita.linkage.settings import ColumnSettings, Settings


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"mode": "merge"}, "mode is 'merge'; give one of auto, dedupe, link, both"),
        ({"model": "neural"}, "model is 'neural'; give one of auto, entities, pairs"),
        ({"false_merge_cost": 0.0}, "false_merge_cost is 0.0; give a number between 0 and 1"),
        ({"false_merge_cost": 1.0}, "false_merge_cost is 1.0"),
        ({"chains": 0}, "chains"),
        ({"draws": 1}, "draws"),
        ({"tune": -1}, "tune"),
        ({"seed": -1}, "seed"),
        ({"seed": 1.5}, "seed"),
        ({"neighbours": -1}, "neighbours"),
        ({"largest_block": 1}, "largest_block"),
        ({"threads": 0}, "threads"),
        ({"columns": {"a": ColumnSettings("colour")}}, "column 'a' has the type 'colour'"),
        ({"columns": {"a": ColumnSettings("surname", "maybe")}}, "column 'a' has the role 'maybe'"),
        ({"columns": {"a": ColumnSettings(comparison="x")}}, "column 'a' has the comparison 'x'"),
    ],
)
def test_what_cannot_be_is_named(given, message):
    with pytest.raises(InputError, match=message):
        Settings(**given).checked()


def test_defaults_are_fine():
    assert Settings().checked() == Settings()
    least = Settings(neighbours=0, largest_block=2, chains=1, draws=2, tune=0, threads=1)
    assert least.checked() is least


def test_none_leaves_a_setting_as_it_is():
    made = Settings(draws=9).replaced(chains=4, draws=None)
    assert (made.chains, made.draws) == (4, 9)
    assert Settings().replaced() == Settings()
    with pytest.raises(InputError, match="no setting 'chain'"):
        Settings().replaced(chain=4)


def test_names_are_those_of_the_fields():
    assert Settings.names()[:2] == ["id", "source"]
    assert set(Settings.names()) == set(vars(Settings()))
