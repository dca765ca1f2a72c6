"""Kinds of files: every specification is valid, and its files are as it declares."""

import json
import tomllib

import numpy as np
import pandas as pd
import pytest

from benchmarks.kinds import __main__ as command
from benchmarks.kinds import check
from benchmarks.kinds.check import check_kind, score_naive
from benchmarks.kinds.common import COMMON, FOLDER
from benchmarks.kinds.entities import Maker
from benchmarks.kinds.errors import CHANNELS
from benchmarks.kinds.folds import FOLDS, find_fold, list_fold
from benchmarks.kinds.generate import ENTITY, SOURCE, generate
from benchmarks.kinds.spec import KindError, list_kinds, load_kind, parse_kind
from benchmarks.kinds.templates import Template
from benchmarks.kinds.words import WordList, split_words
from benchmarks.panel.sets import find_sets

KINDS = list_kinds()
SMALL = {
    "about": "Pots of two shops.",
    "group": "products",
    "family": {"share": [1, 1], "size": [3, 3]},
    "sources": {"names": ["a", "b"], "repeat": [[0, 0], [1, 1]], "copies": [2, 3]},
    "attributes": {
        "name": {"text": "{surname}", "family": 1.0},
        "colour": {"text": "{colour}", "distinct": True},
        "year": {"number": [1900, 2000], "step": [1, 1]},
    },
    "columns": {"name": {"styles": "{name} {colour} {year}"}},
}


def change(**options):
    return parse_kind("pots", SMALL | options)


def count_records(frame):
    """Records of each entity and source."""
    keys = [ENTITY, SOURCE] if SOURCE in frame else [ENTITY]
    return frame.groupby(keys).size()


def test_there_are_forty_kinds_in_five_folds():
    assert len(KINDS) >= 40
    folds = [list_fold(fold) for fold in range(len(FOLDS))]
    assert sorted(name for fold in folds for name in fold) == KINDS
    assert min(len(fold) for fold in folds) >= 6
    groups = [{load_kind(name).group for name in fold} for fold in folds]
    assert all(not a & b for a in groups for b in groups if a is not b)
    assert find_fold("households") == 0
    with pytest.raises(ValueError, match="fold is 5; give one of 0 to 4"):
        list_fold(5)


@pytest.mark.parametrize("name", KINDS)
def test_files_are_as_declared(name):
    kind = load_kind(name)
    for seed, split in ((0, "train"), (1, "test")):
        frame = generate(name, seed, split, 100)
        assert len(frame) == 100
        assert frame.columns[0] == ENTITY and len(set(frame.columns)) == frame.shape[1]
        assert frame.drop(columns=ENTITY).map(lambda value: isinstance(value, str)).all().all()
        names = kind.sources.names
        assert (SOURCE in frame) == (len(names) > 1 and not kind.sources.provenance)
        assert not (set(frame.get(SOURCE, names[0])) - set(names)) or len(names) == 1
        for key, count in count_records(frame).items():
            place = names.index(key[1]) if SOURCE in frame else 0
            single = kind.sources.repeat[place][1] == 0
            assert count <= (1 if single else kind.sources.copies[place][1])
        if kind.sources.is_linked:
            assert (count_records(frame) == 1).all()


@pytest.mark.parametrize("name", KINDS)
def test_splits_share_no_words(name):
    words = {"train": set(), "test": set()}
    for listed in load_kind(name).words.values():
        if listed.split:
            halves = {split: split_words(listed, split) for split in words}
            assert all(len(half) >= 2 for half in halves.values()), listed
            for split, half in halves.items():
                words[split] |= {word.lower() for word in half}
    assert not words["train"] & words["test"]


def test_splits_draw_from_opposite_ends_of_a_range():
    years = {}
    for split in ("train", "test"):
        frame = generate(change(), 0, split, 500)
        years[split] = frame.iloc[:, 2].str.extract(r"(\d{4})")[0].astype(int)
    assert years["train"].max() < 1970 and years["test"].min() > 1930


def test_generation_repeats_by_seed():
    first, again, other = (generate("households", seed, "train", 200) for seed in (3, 3, 4))
    pd.testing.assert_frame_equal(first, again)
    assert not first.equals(other)
    assert not first.equals(generate("households", 3, "test", 200))


def test_families_share_values_and_differ():
    frame = generate(change(), 0, "train", 300)
    assert (frame.columns == [ENTITY, SOURCE, frame.columns[2]]).all()
    parts = frame.iloc[:, 2].str.rsplit(" ", n=2, expand=True).assign(family=frame[ENTITY] // 3)
    assert (parts.groupby("family")[0].nunique() == 1).all()
    whole = frame.assign(family=parts.family).groupby("family")
    members = whole[ENTITY].nunique()
    assert (whole[frame.columns[2]].nunique() == members).all() and members.max() == 3
    copies = frame.groupby([ENTITY, SOURCE]).size().unstack()
    assert (copies["a"] == 1).all() and copies["b"].isin([2, 3]).mean() > 0.95


def test_a_provenance_column_never_repeats_inside_an_entity():
    kind = load_kind("charities")
    frame = generate(kind, 0, "test", 400)
    (header,) = set(frame.columns) & set(kind.sources.provenance)
    assert SOURCE not in frame
    assert not frame.duplicated([ENTITY, header]).any() and frame[ENTITY].duplicated().any()


def test_changes_and_swaps_reach_columns():
    columns = {"name": {"styles": "{name}"}, "hue": {"styles": "{colour}"}}
    options = {"columns": columns, "swaps": [{"names": ["name", "hue"], "rate": [1, 1]}]}
    frame = generate(change(**options), 0, "train", 50)
    hues = set(split_words(change().words["colour"], "train"))
    assert set(frame.iloc[:, 2]) <= hues
    moved = change(changes=[{"names": ["colour"], "rate": [1, 1]}], columns=columns)
    assert (generate(moved, 0, "train", 50).iloc[:, 3] != "").all()


@pytest.mark.parametrize("channel", CHANNELS)
def test_error_channels_return_texts(channel):
    random = np.random.default_rng(0)
    texts = ["", "a", "Müller Street 12", "12.50 EUR", "AB-123"]
    changed = [CHANNELS[channel](text, random) for text in texts for _ in range(20)]
    assert all(isinstance(text, str) for text in changed)
    assert set(changed) - set(texts)


def test_templates_write_formats_masks_and_ranges():
    maker = Maker(change(), "train", np.random.default_rng(0))
    values = {"n": np.array([4, 1], object), "day": np.array([720_000, 1], object)}
    texts = maker.fill(Template.parse("{n|roman} {n|ordinal} {n|sequel} {n|*0.5|.1f}"), values, 2)
    assert texts == ["IV 4th 4 2.0", "I 1st 0.5"]
    assert maker.fill(Template.parse("{day|%Y}"), values, 2)[0] == "1972"
    (code,) = maker.fill(Template.parse("{:AA-99*}{=3-3}"), {}, 1)
    assert code[2] == "-" and code[3:].isdigit() and code[-1] == "3"


ERRORS = {
    "pots has the unknown key 'colums'; use": {"colums": {}},
    "group is 'pots'; give one of people": {"group": "pots"},
    "uses 'shape'; write an earlier attribute or a word list": {"attributes": {"name": "{shape}"}},
    "there is no format 'loud'; use": {"columns": {"name": "{name|loud}"}},
    "share is [2, 1]; give two numbers, the smaller first": {"family": {"share": [2, 1]}},
    "errors is 'noisy'; give a table or one of": {
        "columns": {"name": {"styles": "{name}", "errors": "noisy"}}
    },
    "needs either 'names' or 'provenance'; give one of them": {"sources": {}},
    "repeat has 3 ranges; give one, or 2": {
        "sources": {"names": ["a", "b"], "repeat": [[0, 0]] * 3}
    },
    "'size' cannot change; give some of name": {"changes": [{"names": ["size"], "rate": 0}]},
    "has 2 values; give one of text": {"attributes": {"name": {"text": "x", "date": [1, 2]}}},
    "has an open brace; close it": {"columns": {"name": "{name"}},
    "is no range; write it like {=3-40}": {"columns": {"name": "{=40-3}"}},
    "unknown key 'langs'; use": {"words": {"x": {"langs": "english"}}},
}


@pytest.mark.parametrize("message", ERRORS)
def test_a_faulty_specification_has_a_message_of_one_sentence(message):
    with pytest.raises(KindError) as error:
        change(**ERRORS[message])
    assert message in str(error.value) and "\n" not in str(error.value)


def test_unknown_kinds_and_splits_are_named():
    with pytest.raises(KindError, match="there is no kind 'pots'; give some of"):
        load_kind("pots")
    with pytest.raises(ValueError, match="split is 'dev'; give one of train, test"):
        generate("households", 0, "dev")
    with pytest.raises(ValueError, match="records is 0; give a number above 0"):
        generate("households", 0, "test", 0)


def test_files_are_written_as_sets_of_the_panel(tmp_path, capsys):
    names = "households,branches,charities"
    command.main(["--write", str(tmp_path), "--kinds", names, "--records", "60", "--json"])
    printed = json.loads(capsys.readouterr().out.splitlines()[-1])
    sets = find_sets(tmp_path)
    assert sorted(printed["written"]) == sorted(sets)
    linked = {name: data.linked for name, data in sets.items()}
    assert linked == {
        "organisations_branches_0": True,
        "organisations_charities_0": False,
        "people_households_0": False,
    }
    with pytest.raises(SystemExit, match="error: there is no kind 'pots'"):
        command.main(["--kinds", "pots"])


def test_the_naive_baseline_takes_the_best_threshold():
    frame = pd.DataFrame(
        {
            ENTITY: [0, 0, 1, 1],
            "name": ["red pot", "red pot", "blue pan small", "blue pan big"],
        }
    )
    assert score_naive(frame, linked=False) == 1.0
    row = check_kind("households", 200, naive_only=True)
    assert 0 < row["naive"] < 1 and "trained" not in row


def test_the_check_names_unknown_kinds():
    with pytest.raises(SystemExit, match="error: there is no kind 'pots'; give some of"):
        check.main(["--kinds", "pots"])


def test_word_lists_are_read_from_toml():
    text = (FOLDER / "common.toml").read_text(encoding="utf-8")
    assert tomllib.loads(text) == COMMON
    assert split_words(WordList(list="a, b", split=False), "test") == ("a", "b")
