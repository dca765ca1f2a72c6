"""partita.toml: what is written is read back, edits change what they say, mistakes are named."""

import tomllib
from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.data import profile, read
from partita.errors import InputError
from partita.linkage.config import SECTIONS, config_text, load_settings
from partita.linkage.prepare import choose_columns
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
    assert {name for names in SECTIONS.values() for name in names} <= set(Settings.names())


def test_columns_tell_what_the_profile_saw(chosen):
    settings, profiles = chosen
    text = config_text(settings, profiles)
    assert list(tomllib.loads(text)["columns"]) == [one.name for one in profiles]
    assert "[columns.surname]\n# filled " in text
    assert "# filled" not in config_text(settings)


def test_an_edit_changes_what_it_says_and_no_more(chosen):
    settings, profiles = chosen
    text = config_text(settings, profiles)
    edited = text.replace("neighbours = 20", "neighbours = 7").replace(
        'kind = "surname"\nuse = "score"', 'kind = "surname"\nuse = "none"'
    )
    found = load_settings(tomllib.loads(edited))
    assert found.neighbours == 7
    assert found.columns["surname"] == ColumnSettings("surname", "none")
    columns = {**found.columns, "surname": settings.columns["surname"]}
    assert replace(found, neighbours=20, columns=columns) == settings


def test_other_values_are_read_back_as_well():
    settings = Settings(
        id="key", source="where", ignore=("a b", 'say "x"'), rules=(("a", "b"), ("c",)), memory=5,
        threads=2, one_to_one=True, join=0.25, columns={"": ColumnSettings("date", "block")},
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
    with pytest.raises(InputError, match=r"seed stands in \[inference\]; move it to \[run\]"):
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
        ({"join": 2}, "join is 2.0; give a number between 0 and 1"),
        ({"mode": "dedup"}, "mode is 'dedup'; give one of auto, dedupe"),
        ({"columns": 3}, "columns is 3; write"),
        ({"columns": {"a": 3}}, "columns.a is 3; write"),
        ({"columns": {"a": {"use": "none"}}}, "columns.a has no kind; give one of"),
        ({"columns": {"a": {"kind": "surnme"}}}, "columns.a.kind is 'surnme'.*mean 'surname'"),
        ({"columns": {"a": {"kind": "date", "use": "scor"}}}, "columns.a.use.*mean 'score'"),
        ({"columns": {"a": {"kind": "date", "usage": 1}}}, "'columns.a.usage'; do you mean 'use'"),
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
