"""Columns at a level of the tree: values, exact probabilities, and checks."""

import itertools
import json

import numpy as np
import pytest

import partita
from partita.errors import InputError
from partita.text.extraction.columns import choose_columns, find_runs, rate_lines
from partita.text.extraction.rules import compile_rules
from partita.text.extraction.schema import read_schema
from partita.text.extraction.trainer import TrainingSettings, fit_segments

RULES = [
    {"name": "number", "field": "number", "pattern": r"\d+"},
    {"name": "side", "field": "side", "pattern": "N|S"},
    {"name": "kind", "field": "kind", "pattern": "St|Rd"},
    {"name": "before", "field": "name", "pattern": "[A-Z][a-z]{2,}", "after": "St|Rd"},
    {"name": "last", "field": "city", "pattern": "[A-Z][a-z]{2,}", "place": "last"},
]
SCHEMA = {
    "fields": ["number", "street > side", "street > name", "street > kind", "city"],
    "rules": RULES,
}
LINES = ["12 N Main St Taos", "7 Elm Rd Reno", "S Oak St Reno", "3 Pine Taos", "Reno 4 Elm St"]


def fit(**keys):
    schema = read_schema({**SCHEMA, **keys})
    rules = compile_rules(schema, LINES)
    return schema, fit_segments(rules, None, TrainingSettings(rounds=1)).posterior(rules)


def enumerate_labels(posterior, line):
    """Return all sequences of labels of a line, with their probabilities."""
    total = {}
    for p, segments in posterior.n_best(line, 10**4):
        first, last = posterior.rules.tokens.start[line : line + 2]
        row = ["other"] * (last - first)
        for segment in segments:
            for at in range(segment.start - first, segment.stop - first):
                row[at] = segment.field
        total[tuple(row)] = total.get(tuple(row), 0.0) + p
    return total


@pytest.mark.parametrize(
    "keys",
    [{"max_length": 3}, {}, {"rules": [*RULES, {"once": True}, {"order": ["street", "number"]}]}],
    ids=["limited", "any length", "history"],
)
def test_probabilities_equal_enumeration(keys):
    schema, posterior = fit(**keys)
    columns = choose_columns(schema, None, 1)
    above = {label: schema.node_at(label, 1) for label in schema.labels}
    line_p, runs = rate_lines(posterior, columns), find_runs(posterior, columns)
    for line in (1, 2, 3):
        first, last = posterior.rules.tokens.start[line : line + 2]
        total = enumerate_labels(posterior, line)
        assert np.isclose(sum(total.values()), 1.0, atol=1e-9)
        best = [above[schema.labels[code]] for code in posterior.label[first:last]]
        same = [p for row, p in total.items() if [above[name] for name in row] == best]
        assert np.isclose(line_p[line], sum(same), atol=1e-9)
        grouped = [(name, len(list(group))) for name, group in itertools.groupby(best)]
        assert [run.column for run in runs[line]] == [n for n, _ in grouped if n != "other"]
        for run in runs[line]:
            truth = 0.0
            for row, p in total.items():
                inside = [above[name] == run.column for name in ("", *row, "")[1:-1]]
                place = range(run.start - first - 1, run.stop - first + 1)
                wanted = [run.start <= first + at < run.stop for at in place]
                found = [0 <= at < len(inside) and inside[at] for at in place]
                truth += p * (found == wanted)
            assert np.isclose(run.probability, truth, atol=1e-9)


def test_a_parent_has_one_value_of_all_its_children():
    result = partita.extract(LINES, SCHEMA, level=1)
    rows = result.table().to_pylist()
    assert rows[0]["street"] == "N Main St" and rows[0]["number"] == "12"
    assert "name" not in rows[0] and list(result.masks) == ["number", "street", "city"]
    assert [span["field"] for span in json.loads(rows[0]["spans"])] == ["number", "street", "city"]
    leaves = partita.extract(LINES, SCHEMA).table().to_pylist()
    for row, leaf in zip(rows, leaves, strict=True):
        assert row["p_line"] >= leaf["p_line"] - 1e-4
        assert all(0 <= row[f"p_{name}"] <= 1 for name in result.masks)
    assert result.summary()["fields"]["street"] > 0.5


def test_listed_fields_may_be_of_several_levels(tmp_path):
    result = partita.extract(LINES, SCHEMA, fields=["street", "name"])
    row = result.table().to_pylist()[0]
    assert (row["street"], row["name"]) == ("N Main St", "Main") and "city" not in row
    page = result.report(tmp_path / "page.html").read_text()
    assert "N Main St" in page
    assert result.suggest(1)[0].count("<name>") <= 1  # suggestions keep the fields of the schema


def test_a_field_that_is_a_parent_keeps_its_own_column_below_its_level():
    schema = read_schema({"fields": ["street", "street > kind", "city"]})
    masks = {column.name: column.mask.tolist() for column in choose_columns(schema, None, 2)}
    assert masks["street"] == [True, False, False, False]
    assert choose_columns(schema, "street", None)[0].mask.tolist() == [True, True, False, False]
    assert choose_columns(schema, None, None) == ()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": 0}, "level is 0"),
        ({"level": 1, "fields": ["street"]}, "give one of them"),
        ({"fields": ["stret"]}, "do you mean 'street'"),
        ({"fields": ["other"]}, "no field 'other'"),
        ({"fields": []}, "at least one field"),
    ],
)
def test_wrong_columns_are_one_sentence(options, message):
    with pytest.raises(InputError, match=message):
        partita.extract(LINES, SCHEMA, **options)
