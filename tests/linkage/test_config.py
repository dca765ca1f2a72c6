"""partita.toml: what is written is read back, edits change what they say, mistakes are named."""

import tomllib
from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita import comparison as cl
from partita.data import profile, read
from partita.errors import InputError
from partita.linkage.columns import choose_columns
from partita.linkage.config import SECTIONS, _section, config_text, load_settings
from partita.linkage.resolve import read_settings
from partita.linkage.settings import ColumnSettings, Settings
from partita.synthetic import people


@pytest.fixture(scope="module")
def chosen():
    records = read(people(200, seed=1).table(), ignore="entity")
    profiles = profile(records)
    return choose_columns(profiles, Settings(ignore=("entity",))), profiles


def test_nothing_and_settings_are_taken_as_they_are():
    assert load_settings() == load_settings({}) == Settings()
    assert load_settings(Settings(seed=4)) == Settings(seed=4)
    with pytest.raises(InputError, match="seed"):
        load_settings(Settings(seed=-1))


def test_what_is_written_is_read_back(chosen, tmp_path):
    settings, profiles = chosen
    path = tmp_path / "partita.toml"
    path.write_text(config_text(settings, profiles))
    assert load_settings(path) == settings == load_settings(str(path))


def test_every_setting_stands_in_the_text_with_a_comment(chosen):
    settings, profiles = chosen
    lines = config_text(settings, profiles).splitlines()
    for one in fields(Settings):
        if one.name in ("columns", "predicates"):
            continue
        where = [k for k, line in enumerate(lines) if line.lstrip("# ").startswith(f"{one.name} =")]
        assert len(where) == 1, one.name
        assert lines[where[0] - 1].startswith("# "), one.name
        assert _section(one.name) in SECTIONS


def test_columns_repeat_the_profile(chosen):
    settings, profiles = chosen
    text = config_text(settings, profiles)
    assert list(tomllib.loads(text)["columns"]) == [one.name for one in profiles]
    assert "[columns.surname]\n# filled " in text
    assert "# filled" not in config_text(settings)


def test_an_edit_changes_what_it_says_and_no_more(chosen):
    settings, profiles = chosen
    text = config_text(settings, profiles)
    edited = text.replace("neighbours = 20", "neighbours = 7").replace(
        'type = "surname"\nrole = "compare"', 'type = "surname"\nrole = "ignore"'
    )
    found = load_settings(tomllib.loads(edited))
    assert found.neighbours == 7
    assert found.columns["surname"] == replace(settings.columns["surname"], role="ignore")
    columns = {**found.columns, "surname": settings.columns["surname"]}
    assert replace(found, neighbours=20, columns=columns) == settings


def test_other_values_are_read_back_as_well():
    settings = Settings(
        id="key", source="where", ignore=("a b", 'say "x"'), rules=(("a", "b"), ("c",)), memory=5,
        threads=2, one_to_one=True, false_merge_cost=0.25,
        columns={"": ColumnSettings("date", "block")},
    )  # fmt: skip
    assert load_settings(tomllib.loads(config_text(settings))) == settings


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=12))
def test_any_name_of_a_column_can_be_written(name):
    settings = Settings(ignore=(name,), columns={name: ColumnSettings("code")})
    assert load_settings(tomllib.loads(config_text(settings))) == settings


def test_values_that_control_terminals_stay_out_of_comments():
    records = read([{"a": "x\x00y\x1b[31m\x7f"}, {"a": "z"}, {"a": "w"}])
    profiles = profile(records)
    settings = choose_columns(profiles, Settings())
    assert load_settings(tomllib.loads(config_text(settings, profiles))) == settings


def test_settings_may_stand_in_their_section_or_above():
    assert load_settings({"chains": 3}) == load_settings({"inference": {"chains": 3}})
    with pytest.raises(InputError, match="chains is given twice"):
        load_settings({"chains": 3, "inference": {"chains": 3}})
    with pytest.raises(InputError, match=r"seed is in \[inference\]; move it to \[run\]"):
        load_settings({"inference": {"seed": 3}})


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({"chans": 3}, "no setting 'chans'; do you mean 'chains'"),
        ({"run": {"sed": 3}}, "no setting 'run.sed'; do you mean 'seed'"),
        ({"qqqq": 3}, "no setting 'qqqq'; there are blocking, chains"),
        ({"run": 3}, "run is 3, but a section"),
        ({"seed": "x"}, "seed is 'x'; give a whole number"),
        ({"seed": True}, "seed is True; give a whole number"),
        ({"seed": -1}, "seed is -1; give a whole number of at least 0"),
        ({"one_to_one": 1}, "one_to_one is 1; give true or false"),
        ({"ignore": "x"}, "ignore is 'x'; give a list of text"),
        ({"rules": ["a"]}, "rules is 'a'; give a list of text"),
        ({"rules": 3}, "rules is 3; give a list of lists of text"),
        ({"memory": 1.5}, "memory is 1.5; give text or a whole number"),
        ({"false_merge_cost": 2}, "false_merge_cost is 2.0; give a number between 0 and 1"),
        ({"mode": "dedup"}, "mode is 'dedup'; give one of auto, dedupe"),
        ({"columns": 3}, "columns is 3; write"),
        ({"columns": {"a": 3}}, "columns.a is 3; write"),
        ({"columns": {"a": {"type": "surnme"}}}, "columns.a.type is 'surnme'.*mean 'surname'"),
        ({"columns": {"a": {"type": "date", "role": "compar"}}}, "columns.a.role.*mean 'compare'"),
        ({"columns": {"a": {"rol": "block"}}}, "'columns.a.rol'; do you mean 'role'"),
        (
            {"columns": {"a": {"type": "date", "rol": 1}}},
            "columns.a: DateComparison has no setting 'rol'; it has term_frequency_adjustments",
        ),
        ({"columns": {"a": {"comparison": "Jaro"}}}, "columns.a: there is no comparison 'Jaro'"),
        (
            {"columns": {"a": {"comparison": "JaroAtThresholds", "thresholds": [0.1, 0.9]}}},
            "columns.a: JaroAtThresholds has the thresholds .* from strict to loose",
        ),
        (3, "config is 3; give a TOML file"),
    ],
)
def test_mistakes_are_named(config, said):
    with pytest.raises(InputError, match=said):
        load_settings(config)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"seed = \n", "this is not TOML: .*line 1"),
        (b"# \xff\n", "byte 2 is not UTF-8"),
        (b"sed = 1\n", "do you mean 'seed'"),
        (None, "cannot be read"),
    ],
)
def test_mistakes_in_a_file_name_the_file(tmp_path, content, said):
    path = tmp_path / "mine.toml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match=f"mine.toml: .*{said}"):
        load_settings(path)


def test_predicates_stand_in_the_text_and_come_back():
    asked = {"over": "values", "column": "sex", "quantifier": "distinct", "weight": -4.0}
    settings = load_settings({"predicates": [asked]})
    assert settings.predicates[0].column == "sex"
    assert load_settings(tomllib.loads(config_text(settings))) == settings


def test_old_keys_are_read_with_a_warning():
    with pytest.warns(FutureWarning, match="columns.a: write type, role instead of kind, use"):
        found = load_settings({"columns": {"a": {"kind": "date", "use": "none"}}})
    assert found.columns["a"] == ColumnSettings("date", "ignore")
    with pytest.warns(FutureWarning):
        found = load_settings({"columns": {"a": {"kind": "date"}}})
    assert found.columns["a"] == ColumnSettings("date", "compare")


def test_old_settings_are_read_with_a_warning():
    with pytest.warns(FutureWarning, match="write false_merge_cost instead of join"):
        assert load_settings({"inference": {"join": 0.3}}) == Settings(false_merge_cost=0.3)
    with pytest.warns(FutureWarning):
        settings, _ = read_settings(None, {"join": 0.3})
    assert settings.false_merge_cost == 0.3


def test_columns_of_a_call_add_to_those_of_a_file():
    config = {"columns": {"a": {"type": "date"}, "b": {"type": "code"}}}
    settings, _ = read_settings(config, {"columns": {"b": cl.ExactMatch()}})
    assert settings.columns["a"] == ColumnSettings("date")
    assert settings.columns["b"] == ColumnSettings(comparison=cl.ExactMatch())


def test_the_levels_in_use_are_written(chosen):
    text = config_text(*chosen)
    block = text.split("[columns.given_name]")[1].split("[columns.")[0]
    assert 'comparison = "GivenNameComparison"' in block
    assert "thresholds = [0.94, 0.88, 0.8, 0.7]" in block
    assert "term_frequency_adjustments = true" in block
    assert "# levels: exact | Jaro-Winkler at least 0.94 or" in block


def own_function(left, right):
    """A user's own function."""
    return float(left[0] == right[0])


@pytest.mark.parametrize(
    "comparison",
    [
        cl.DistanceFunctionAtThresholds(own_function, [1.0], term_frequency_adjustments=False),
        cl.CustomComparison([cl.Level("exact", form="soundex") | cl.Level("levenshtein", 1)]),
        cl.ForenameSurnameComparison("b", [0.9]),
        cl.DistanceInKMAtThresholds([1, 10]),
    ],
    ids=lambda one: one.name,
)
def test_any_comparison_is_written_and_read_back(comparison):
    settings = Settings(columns={"a": comparison})
    assert settings.columns["a"] == ColumnSettings(comparison=comparison)
    assert load_settings(tomllib.loads(config_text(settings))) == settings
    assert load_settings({"columns": {"a": comparison}}) == settings
    assert load_settings({"columns": {"a": {"comparison": comparison}}}) == settings


def test_settings_of_a_comparison_change_that_of_the_type():
    given = {"type": "surname", "thresholds": [0.9], "term_frequency_adjustments": False}
    found = load_settings({"columns": {"a": given}}).columns["a"].comparison
    assert found == cl.SurnameComparison([0.9], term_frequency_adjustments=False)
