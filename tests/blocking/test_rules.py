import itertools
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest

from partita.blocking import rules
from partita.blocking.rules import build_blocks, parse_rule
from partita.errors import InputError

NO_SOURCES = np.empty(0, np.int32)


def column(values):
    coded = pa.array(values, pa.string()).dictionary_encode()
    codes = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int32)
    return SimpleNamespace(codes=codes, values=coded.dictionary)


@pytest.fixture
def people():
    return {
        "surname": column(["smith", "smyth", "smith", None, "jones", "smith", "jonas", "smith"]),
        "town": column(["york", "york", "york", "york", "hull", "hull", "hull", None]),
        "odd[:2]": column(["a", "b", "a", "c", "d", "e", "f", "g"]),
    }


def naive(columns, parts, source=None):
    texts = []
    for name, length in parts:
        data_column = columns[name]
        whole = [
            data_column.values[c].as_py() if c >= 0 else None for c in data_column.codes.tolist()
        ]
        texts.append([t if t is None or length == 0 else t[:length] for t in whole])
    keys = list(zip(*texts, strict=True))
    return {
        (i, j)
        for i, j in itertools.combinations(range(len(keys)), 2)
        if None not in keys[i] and keys[i] == keys[j] and (source is None or source[i] != source[j])
    }


@pytest.mark.parametrize(
    "rule", [["surname"], ["surname[:3]"], ["surname[:2]", "town"], ["town", "surname", "odd[:2]"]]
)
@pytest.mark.parametrize("linked", [False, True])
def test_pairs_are_those_equal_in_every_column(people, rule, linked):
    source = np.array([0, 1, 1, 0, 0, 0, 1, 1], np.int32) if linked else None
    parsed = parse_rule(rule, people)
    blocks = build_blocks(parsed, people, NO_SOURCES if source is None else source, 100)
    assert {tuple(pair) for pair in blocks.pairs.tolist()} == naive(people, parsed.parts, source)
    assert blocks.message == ""


def test_a_prefix_is_cut_unless_a_column_has_that_name(people):
    assert parse_rule(["surname[:3]", "odd[:2]"], people).parts == (("surname", 3), ("odd[:2]", 0))
    assert parse_rule(["surname[:3]", "town"], people).name == "surname[:3] & town"


def test_a_large_block_is_named_and_not_paired(people):
    blocks = build_blocks(parse_rule(["surname"], people), people, NO_SOURCES, 3)
    assert blocks.pairs.size == 0
    assert blocks.largest[0] == ("surname=smith", 4)
    for part in ("'surname'", "largest_block=3", "4 records", "surname=smith", "add a column"):
        assert part in blocks.message


def test_the_largest_blocks_are_listed(people):
    blocks = build_blocks(parse_rule(["town[:1]"], people), people, NO_SOURCES, 10)
    assert blocks.largest == (("town=y", 4), ("town=h", 3))


def test_too_many_pairs_are_refused_before_they_are_made(people, monkeypatch):
    monkeypatch.setattr(rules, "MAX_PAIRS", 5)
    with pytest.raises(InputError, match=r"'surname' makes 6 pairs; add a column"):
        build_blocks(parse_rule(["surname"], people), people, NO_SOURCES, 10)


def test_a_rule_without_blocks_makes_no_pairs(people):
    lonely = {"a": column([None, None]), "b": column(["x", "y"])}
    for name in lonely:
        blocks = build_blocks(parse_rule([name], lonely), lonely, NO_SOURCES, 10)
        assert blocks.pairs.shape == (0, 2)
        assert blocks.largest == ()


@pytest.mark.parametrize("rule", ["surname", [], ["absent"], ["surname[:0]"], 3])
def test_wrong_rules_are_refused(people, rule):
    with pytest.raises(InputError, match="rule"):
        parse_rule(rule, people)
