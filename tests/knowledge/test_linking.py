"""Links of rows to a reference, on generated people and companies."""

import numpy as np
import pyarrow as pa
import pytest

import partita
from partita.errors import InputError
from partita.synthetic import people

# no kernels of its own: those it calls are tested as plain Python where they stand
pytestmark = pytest.mark.compiled


def delivery(n=400, seed=5, share=0.7):
    """A master with one record per person, rows of people of whom some are in it; the truth."""
    table = people(n, seed=seed).table()
    truth = table.column("entity").to_numpy()
    _, first = np.unique(truth, return_index=True)
    known = np.random.default_rng(seed).random(first.size) < share
    is_master = np.zeros(table.num_rows, bool)
    is_master[first[known]] = True
    ids = pa.array([f"M{entity}" for entity in truth[is_master]])
    columns = table.drop_columns(["entity", "unique_id"])
    master = columns.filter(pa.array(is_master)).add_column(0, "id", ids)
    held = set(ids.to_pylist())
    links = [f"M{e}" if f"M{e}" in held else None for e in truth[~is_master]]
    return columns.filter(pa.array(~is_master)), master, links


@pytest.fixture(scope="module")
def linked():
    rows, master, truth = delivery()
    return partita.link(rows, to=master, seed=1), rows, master, truth


def test_links_are_right_and_calibrated(linked):
    result, rows, _, truth = linked
    table = result.table()
    links = table.column("link").to_pylist()
    assert table.num_rows == rows.num_rows
    assert table.select(rows.column_names).equals(rows)
    right = np.array([a == b for a, b in zip(links, truth, strict=True)])
    assert right.mean() > 0.95
    p = np.array(table.column("p_link").to_pylist(), float)
    nil = table.column("p_nil").to_numpy()
    best = np.where(np.isnan(p), nil, p)
    assert abs(best.mean() - right.mean()) < 0.04


def test_probabilities_of_a_row_sum_to_at_most_one(linked):
    result, *_ = linked
    table = result.table()
    parts = [table.column(name).fill_null(0).to_numpy() for name in ("p_link", "p_link_2", "p_nil")]
    assert (sum(parts) <= 1.001).all()
    has_link = np.array([value is not None for value in table.column("link").to_pylist()])
    assert (parts[0][has_link] > parts[2][has_link]).all()


def test_a_link_is_explained(linked):
    result, *_ = linked
    row = next(r for r, value in enumerate(result.table().column("link").to_pylist()) if value)
    found = result.explain(row)
    assert found.together
    assert found.p_same > 0.5
    assert {"prior", "surname"} & {part.label for part in found.rows}
    assert found.entity_rows[0].label == "prior"
    assert result.p_link(row, found.right) == pytest.approx(found.p_same)
    with pytest.raises(InputError, match="no record of the reference 'X'"):
        result.explain(row, "X")


def test_identical_rows_link_alike_and_several_rows_to_one_record():
    rows, master, _ = delivery(200)
    doubled = pa.concat_tables([rows, rows])
    table = partita.link(doubled, to=master, seed=1).table()
    links = table.column("link").to_pylist()
    assert links[: rows.num_rows] == links[rows.num_rows :]


def test_the_same_seed_gives_the_same_links():
    rows, master, _ = delivery(150)
    one, two = (partita.link(rows, to=master, seed=3).table() for _ in range(2))
    assert one.equals(two)


def test_an_alias_finds_a_name_that_the_record_does_not_have():
    names = ["Germany", "France", "Italy", "Spain", "Poland", "Norway", "Greece", "Hungary"]
    master = [{"code": name[:2].upper(), "name": name} for name in names]
    rows = [{"name": name} for name in [*names, "Deutschland"]]
    aliases = [{"alias_of": "GE", "name": "Deutschland"}]
    without = partita.link(rows, to=master, to_id="code").table()
    table = partita.link(rows, to=master, to_id="code", aliases=aliases).table()
    assert without[-1]["link"] is None
    assert table[-1]["link"] == "GE"
    assert [row["link"] for row in table[:-1]] == [name[:2].upper() for name in names]


@pytest.mark.parametrize("reading", ["auto", "words"])
def test_an_explanation_compares_the_alias_that_counts(reading):
    names = ["Germany", "France", "Italy", "Spain", "Poland", "Norway", "Greece", "Hungary"]
    master = [{"code": name[:2].upper(), "name": name} for name in names]
    rows = [{"id": f"row{k}", "name": name} for k, name in enumerate([*names, "Deutschland"])]
    aliases = [{"alias_of": "FR", "name": "Gaul"}, {"alias_of": "GE", "name": "Deutschland"}]
    links = partita.link(rows, to=master, to_id="code", aliases=aliases, reading=reading)
    found = links.explain("row8", "GE")
    assert found.right == "GE"
    assert "Deutschland".lower() in {str(part.right).lower() for part in found.rows}
    assert any("alias 2" in note for note in found.constraints)
    assert not any("alias" in note for note in links.explain("row0", "GE").constraints)


def test_a_column_of_the_result_may_not_be_there_already():
    with pytest.raises(InputError, match="'link' already"):
        partita.link([{"name": "a", "link": 1}], to=[{"id": 1, "name": "a"}])
