"""A column of sources is found by its name and its values."""

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv

import partita
from partita.data import read
from partita.data.source_column import find_source_column, split_sources
from partita.errors import InputError, PartitaWarning
from partita.metrics import pairwise
from partita.synthetic import people
from tests.cli.running import run


def rows(name, values, n=60):
    return [{"id": k, name: values[k % len(values)], "title": f"title {k}"} for k in range(n)]


@pytest.mark.parametrize(
    "name",
    [
        "source",
        "Source",
        "src_file",
        "data source",
        "source_dataset",
        "dataset",
        "SourceSystem",
        "SourceID",
    ],
)
def test_columns_named_like_a_source_are_found(name):
    assert find_source_column(read(rows(name, ["a", "b"]))) == name


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("shop", ["a", "b"]),
        ("resource", ["a", "b"]),
        ("source", ["a"]),
        ("source", ["a", "b", None]),
        ("source", [f"journal {k}" for k in range(7)]),
    ],
)
def test_other_columns_are_no_sources(name, values):
    assert find_source_column(read(rows(name, values))) is None


def test_given_sources_and_a_single_column_stay():
    tables = {"x": rows("source", ["a", "b"]), "y": rows("source", ["a", "b"])}
    assert find_source_column(read(tables)) is None
    assert find_source_column(read([{"source": "ab"[k % 2]} for k in range(60)])) is None


def test_sources_are_the_values_as_they_are_written():
    records = split_sources(read(rows("source", ["Shop B", "shop A"])), "source")
    assert records.names == ("title",)
    assert records.source_names == ("Shop B", "shop A")
    assert np.array(records.source_names)[records.sources].tolist()[:2] == ["Shop B", "shop A"]
    assert "'source' is not compared" in records.notes[-1]


def make_lists():
    """Two clean lists of the same people, in one table."""
    first = people(150, seed=3).table().to_pylist()
    seen, lists = set(), []
    for row in first:
        if row["entity"] not in seen:
            seen.add(row["entity"])
            lists += [
                row | {"source": name, "unique_id": f"{name}{row['unique_id']}"} for name in "ab"
            ]
    return lists


def test_two_sources_in_one_file_are_found():
    with pytest.warns(PartitaWarning, match="names the source"):
        found = partita.resolve(make_lists(), ignore=["entity"], seed=1)
    assert (found.mode, found.settings.source) == ("both", "source")
    assert "source" not in found.settings.columns
    assert found.scored.rates.further.max() < 0.05 and np.bincount(found.labels).max() == 2


@pytest.mark.parametrize("options", [{"source": ""}, {"columns": {"source": {"role": "compare"}}}])
def test_the_settings_can_compare_the_column(options):
    found = partita.resolve(make_lists(), ignore=["entity"], seed=1, **options)
    assert found.mode == "dedupe" and "source" in found.settings.columns


def test_one_source_with_duplicates_within_loses_none():
    """Sources that share no entity show no links, so that a free fit scores the pairs."""
    rows = people(120, seed=5).table().to_pylist()
    web = {row["entity"] for row in rows[::2]}
    rows = [row | {"source": "web" if row["entity"] in web else "shop"} for row in rows]
    found = partita.resolve(rows, ignore=["entity"], seed=1)
    assert found.mode == "both"
    truth = [row["entity"] for row in rows]
    compared = partita.resolve(rows, ignore=["entity", "source"], seed=1)
    assert pairwise(found.labels, truth).f1 >= pairwise(compared.labels, truth).f1
    assert np.unique(found.labels).size < len(rows)


def test_survivorship_may_name_a_source_that_is_found():
    found = partita.resolve(make_lists(), ignore=["entity"], seed=1, survivorship=["*=source:b>a"])
    assert len(found.golden()) == np.unique(found.labels).size


def test_repeated_ids_lead_to_the_column_of_sources():
    rows = [{"id": k // 2, "src": "ab"[k % 2], "title": f"title {k}"} for k in range(40)]
    with pytest.raises(InputError, match="--source src"):
        partita.resolve(rows, seed=1)


def test_init_leaves_the_column_of_sources_out(tmp_path):
    path, config = tmp_path / "lists.csv", tmp_path / "partita.toml"
    csv.write_csv(pa.Table.from_pylist(make_lists()), path)
    outcome = run("init", path, "--ignore", "entity", "--out", config)
    assert outcome.exit_code == 0 and "[columns.source]" not in config.read_text()
    assert partita.resolve(path, config=config, seed=1).mode == "both"
