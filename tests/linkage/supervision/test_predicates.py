"""[[predicates]] of partita.toml: read, refused, written back, and turned into templates."""

import tomllib

import numpy as np
import pytest

from partita.data import read
from partita.errors import InputError
from partita.factors import Model, average, over_pairs
from partita.linkage.supervision.predicates import (
    PredicateSettings,
    predicate_lines,
    predicate_templates,
    read_predicates,
)
from partita.states import Partition
from tests.factors.probe import Probe, follows
from tests.laws.aggregate_cases import pairs_known, twin

TOML = """
[[predicates]]
over = "pairs"
column = "middle"
comparison = "compatible"
quantifier = "every"
weight = 1.5

[[predicates]]
column = "title"
comparison = "edits"
quantifier = "some"
below = 0.3
weight = -2

[[predicates]]
over = "values"
column = "first"
quantifier = "distinct"
cuts = [2, 3]
weight = [0, -1, -3]

[[predicates]]
over = "values"
column = "year"
quantifier = "lowest"
cuts = [1990]

[[predicates]]
over = "values"
column = "title"
split = "words"
quantifier = "distinct"
"""

ROWS = [
    {"first": "ann", "middle": "b", "title": "on the mind", "year": "1984"},
    {"first": "anna", "middle": "barbara", "title": "on the mind", "year": "1984"},
    {"first": "ann", "middle": "c", "title": "of mice", "year": None},
    {"first": "bob", "middle": None, "title": "of mind and mice", "year": "1999"},
]
PAIRS = np.array([[0, 1], [0, 2], [1, 2], [2, 3]])


def columns():
    records = read(ROWS)
    return {name: records.column(name) for name in records.names}


def asked():
    return read_predicates(tomllib.loads(TOML)["predicates"])


def test_entries_become_templates():
    model = Model(*predicate_templates(asked(), columns(), PAIRS))
    assert model.names == [
        "middle compatible",
        "title edits",
        "first",
        "year as a number",
        "title words",
    ]
    assert model.weight("middle compatible.every at least 0.5") == 1.5
    assert model.weight("title edits.some below 0.3") == -2
    assert model.weight("first.distinct: >= 3") == -3
    model.check(Partition.singletons(4))


def test_comparisons_are_those_of_the_values():
    entry = {"column": "middle", "quantifier": "average", "comparison": "compatible"}
    (template,) = predicate_templates(read_predicates([entry]), columns(), PAIRS)
    matrix = np.full((4, 4), np.nan)
    # b and barbara agree; c agrees with neither; the last is missing
    for (i, j), value in {(0, 1): 1.0, (0, 2): 0.0, (1, 2): 0.0}.items():
        matrix[i, j] = matrix[j, i] = value
    predicates = [average(over_pairs("middle", matrix))]
    phi, start = twin(predicates, pairs_known(matrix)), Partition.singletons(4)
    assert follows(Probe(template), phi, start, 1) > 0


@pytest.mark.parametrize("name", ["equal", "jaro_winkler", "edits", "cosine", "words"])
def test_every_comparison_is_from_0_to_1(name):
    entry = {"column": "title", "quantifier": "average", "comparison": name}
    (template,) = predicate_templates(read_predicates([entry]), columns(), PAIRS)
    values = template.table.data.value
    assert ((values >= 0) & (values <= 1)).all()
    assert values[0] == 1.0


def test_some_of_the_records_are_enough():
    rows = np.array([3, 0, 1])
    templates = predicate_templates(asked(), columns(), np.array([[1, 2]]), rows)
    Model(*templates).check(Partition.singletons(3))


def test_what_is_written_is_read_again():
    text = "\n".join(predicate_lines(asked()))
    assert read_predicates(tomllib.loads(text)["predicates"]) == asked()
    assert read_predicates([PredicateSettings("title", "distinct", "values")])
    assert predicate_lines(()) == []
    assert predicate_templates((), {}, PAIRS) == []


BAD = [
    ({"column": "a"}, "predicate 1 has no quantifier"),
    ({"quantifier": "every"}, "predicate 1 has no column"),
    ({"column": "a", "quantifier": "ever"}, "no quantifier 'ever'; do you mean 'every'"),
    ({"column": "a", "quantifier": "every"}, "has no comparison"),
    ({"column": "a", "quantifier": "every", "comparison": "cosin"}, "do you mean 'cosine'"),
    ({"column": "a", "quantifier": "every", "comparison": "cosine"}, "no condition"),
    ({"column": "a", "quantifier": "every", "colour": 1}, "setting 'colour'"),
    ({"column": 1, "quantifier": "every"}, "column is 1; give text"),
    ({"column": "a", "quantifier": "every", "over": "triples"}, "no over 'triples'"),
    ({"column": "a", "quantifier": "distinct", "comparison": "words"}, "counts values"),
    ({"column": "a", "quantifier": "distinct", "over": "values", "split": "x"}, "split is 'x'"),
    (
        {"column": "a", "quantifier": "distinct", "over": "values", "comparison": "equal"},
        "values are not compared",
    ),
    (
        {"column": "a", "quantifier": "every", "comparison": "cosine", "below": "low"},
        "below is 'low'",
    ),
    ({"column": "a", "quantifier": "lowest", "comparison": "cosine", "cuts": 3}, "give a list"),
    (
        {"column": "a", "quantifier": "lowest", "comparison": "cosine", "cuts": [2, 1]},
        "ascending",
    ),
    (
        {"column": "a", "quantifier": "some", "comparison": "equal", "weight": [1, 2]},
        "weights of shape",
    ),
]


@pytest.mark.parametrize(("entry", "told"), BAD)
def test_bad_entries_are_named(entry, told):
    with pytest.raises(InputError, match=told):
        read_predicates([entry])


def test_what_is_no_list_of_tables_is_named():
    with pytest.raises(InputError, match="predicates is 'every'"):
        read_predicates("every")
    with pytest.raises(InputError, match="predicate 1 is 3"):
        read_predicates([3])
    entry = {"column": "titel", "quantifier": "distinct", "over": "values"}
    with pytest.raises(
        InputError, match="'titel', which the data does not have; do you mean 'title'"
    ):
        predicate_templates(read_predicates([entry]), columns(), PAIRS)
