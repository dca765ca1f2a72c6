"""What a Resolution says of itself, and what it writes."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from partita.errors import InputError, PartitaWarning
from partita.linkage.inference.chains import MAX_R_HAT
from partita.linkage.notes import Note, Severity
from partita.linkage.output.explain import explain
from partita.linkage.output.tables import UNCERTAIN, round_probabilities
from partita.linkage.resolve import resolve
from partita.linkage.result import RENAMED
from partita.synthetic import people
from tests.linkage.made import persons, two_sources

# whole files: their kernels have tests of their own, which are run as plain Python too
pytestmark = pytest.mark.compiled


@pytest.fixture(scope="module")
def resolved():
    return resolve(persons(300)[0], seed=7)


@pytest.fixture(scope="module")
def linked():
    """Two sources that number their records alike."""
    return resolve(two_sources(150)[0], one_to_one=True, seed=1, draws=6)


def test_rows_by_id(resolved):
    ids = resolved.records.ids.to_pylist()
    assert [resolved.row(one) for one in ids] == list(range(len(ids)))
    assert resolved.row(str(ids[3])) == resolved.row(np.int64(ids[3])) == 3
    assert resolved.names.equals(resolved.records.ids)
    with pytest.raises(InputError, match="there is no record 'x'; give ids of the input"):
        resolved.row("x")


def test_rows_where_sources_share_ids(linked):
    names = linked.names.to_pylist()
    assert names[0] == "left:0"
    assert [linked.row(one) for one in names] == list(range(len(names)))
    with pytest.raises(InputError, match="several sources have a record 0; name one: 'left:0'"):
        linked.row(0)
    alone = int(max(one for one in linked.records.ids.to_pylist()))
    assert linked.row(alone) == names.index(f"left:{alone}")


def test_the_range_contains_the_written_number_of_entities():
    table = people(400, 2, truth=None).table()
    found = resolve([table.slice(0, 200), table.slice(200)], one_to_one=True, seed=1, draws=100)
    mean, low, high = found.entity_count
    assert found.marginals.entity_count()[0] == mean
    assert low < found.summary()["entities"] < high <= 400


def test_an_id_that_looks_like_a_name_gives_way_to_it():
    rows = [{"id": "b:1", "name": "Ann Lee"}, {"id": "1", "name": "Bob Orr"}]
    found = resolve({"a": rows, "b": [{"id": "1", "name": "Cy Moss"}]})
    assert found.names.to_pylist() == ["a:b:1", "a:1", "b:1"]
    assert [found.row(one) for one in found.names.to_pylist()] == [0, 1, 2]


def test_pairs_by_name(linked):
    (size_two,) = np.flatnonzero(np.bincount(linked.labels) == 2)[:1]
    a, b = np.flatnonzero(linked.labels == size_two)
    one, other = linked.names[int(a)].as_py(), linked.names[int(b)].as_py()
    same = int(a), int(b)
    assert linked.p_same(one, other) > 0.5
    found = explain(linked, one, other)
    assert found.p_same == linked.p_same(one, other)
    assert found.together
    assert linked.cluster_ids[same[1]].as_py() == one


def test_p_same_is_that_of_the_draws(resolved):
    found = resolved.record_pairs
    ids = resolved.records.ids.to_pylist()
    for k in np.flatnonzero((found.p_same > 0) & (found.p_same < 1))[:10]:
        a, b = int(found.left[k]), int(found.right[k])
        place = np.searchsorted(resolved.marginals.active.wide, resolved.distinct_ids[[a, b]])
        drawn = resolved.posterior.draws[:, :, place]
        share = (drawn[..., 0] == drawn[..., 1]).mean()
        assert resolved.p_same(ids[a], ids[b]) == pytest.approx(share) == found.p_same[k]


def test_p_member_and_p_cluster_are_those_of_the_draws(resolved):
    flat = resolved.posterior.draws.reshape(-1, resolved.marginals.active.wide.size)
    whole = np.tile(-1 - np.arange(resolved.first_rows.size), (len(flat), 1))
    whole[:, resolved.marginals.active.wide] = flat
    labels = resolved.labels[resolved.first_rows]
    copies = np.bincount(resolved.distinct_ids)
    for i, row in enumerate(resolved.first_rows):
        own = labels == labels[i]
        same = whole == whole[:, [i]]
        exact = (same == own).all(1).mean()
        assert resolved.p_cluster[row] == pytest.approx(exact)
        others = own * copies - (np.arange(own.size) == i)
        together = (same * others).sum(1).mean() / max(1, others.sum())
        assert resolved.p_member[row] == pytest.approx(together if others.sum() else exact)


def test_the_table_has_the_new_columns(resolved):
    table = resolved.table()
    given = resolved.records.table.column_names
    assert table.column_names == [*given, "cluster_id", "p_member", "p_cluster"]
    first = {}
    for row, label in enumerate(resolved.labels.tolist()):
        first.setdefault(label, resolved.records.ids[row].as_py())
    wanted = [first[label] for label in resolved.labels.tolist()]
    assert table.column("cluster_id").to_pylist() == wanted


def test_pairs_are_written_with_their_sources(resolved, linked, tmp_path):
    plain = pd.read_csv(resolved.write_pairs(tmp_path / "pairs.csv"))
    probabilities = ["match_weight", "match_probability", "p_same"]
    assert list(plain) == ["unique_id_l", "unique_id_r", *probabilities]
    assert len(plain) == len(resolved.record_pairs)
    pairs = resolved.record_pairs
    assert (pairs.left < pairs.right).all()
    order = np.lexsort((pairs.right, pairs.left))
    probability = pairs.scores.probability[order]
    np.testing.assert_allclose(plain["match_probability"], probability, atol=1e-6)
    named = pd.read_csv(linked.write_pairs(tmp_path / "linked.csv"))
    assert list(named) == [
        *("source_dataset_l", "unique_id_l", "source_dataset_r", "unique_id_r"),
        *probabilities,
    ]
    pairs = linked.record_pairs
    order = np.lexsort((pairs.right, pairs.left))
    for side, rows in (("l", pairs.left[order]), ("r", pairs.right[order])):
        names = named[f"source_dataset_{side}"] + ":" + named[f"unique_id_{side}"].astype(str)
        assert names.tolist() == linked.names.take(rows).to_pylist()


def test_the_summary_counts(resolved):
    found = resolved.summary()
    n, sizes = resolved.records.n, np.bincount(resolved.labels)
    assert found["records"] == n
    assert found["entities"] == len(sizes) == n - found["duplicates"]
    assert found["largest"] == sizes.max()
    uncertain = {int(k) for k in resolved.labels[resolved.p_cluster < UNCERTAIN[1]]}
    assert found["uncertain_entities"] == len(uncertain)
    expected = found["entities_expected"]
    assert expected["low"] <= expected["mean"] <= expected["high"]
    assert expected["low"] <= len(sizes) <= expected["high"]
    p = resolved.record_pairs.p_same
    assert found["uncertain_pairs"] == sum(UNCERTAIN[0] < one < UNCERTAIN[1] for one in p)
    assert found["pairs_scored"] == len(resolved.record_pairs)
    assert found["pairs_compared"] == len(resolved.blocking.pairs)


def test_the_summary_is_json(resolved):
    found = resolved.summary()
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    still = [name for name, one in resolved.trace.items() if np.ptp(one) == 0]
    assert still
    assert all(found["diagnostics"][name]["r_hat"] is None for name in still)


def test_chains_that_disagree_are_said(resolved):
    apart = replace(resolved)
    worse = {"r_hat": 1.5, "mean": 0.0}, {"r_hat": float("nan"), "mean": 0.0}
    apart.__dict__["diagnostics"] = {"a": worse[0], "b": worse[1]}
    assert not apart.converged
    told = apart.summary()
    assert told["converged"] is False
    assert told["warnings"][1:] == resolved.warnings
    assert f"the largest R-hat is 1.50, above {MAX_R_HAT}" in told["warnings"][0]
    assert "rough" in repr(apart) and "rough" not in repr(resolved)
    assert "the chains do not agree (R-hat 1.50)" in told["trust"]["sentence"]
    assert resolved.warnings == apart.warnings


def test_chains_that_agree_are_not_mentioned(resolved):
    near = replace(resolved)
    near.__dict__["diagnostics"] = {"a": {"r_hat": MAX_R_HAT}, "b": {"r_hat": float("nan")}}
    assert near.converged
    assert near.summary()["warnings"] == resolved.warnings


def test_a_failed_write_leaves_nothing(resolved, tmp_path):
    with pytest.raises(InputError, match="must end in"):
        resolved.write(tmp_path / "a.xlsx")
    with pytest.raises(InputError, match="no folder"):
        resolved.write_pairs(tmp_path / "none" / "a.csv")
    assert not list(tmp_path.iterdir())


def test_probabilities_have_the_digits_that_the_draws_support(resolved):
    digits = len(str(resolved.total_draws - 1))
    for name in ("p_member", "p_cluster"):
        shown = np.array(resolved.table()[name].to_pylist())
        np.testing.assert_array_equal(shown, np.round(getattr(resolved, name), digits))
    assert round_probabilities(np.array([2 / 3]), 60).tolist() == [0.67]
    assert round_probabilities(np.array([2 / 3]), 400).tolist() == [0.667]
    assert round_probabilities(np.array([1.0]), 0).tolist() == [1.0]


def test_pairs_carry_the_name_of_the_id_column():
    table = persons(60)[0]
    name = "customer_id"
    frame = table.rename_columns(
        [name if one == "unique_id" else one for one in table.column_names]
    )
    names = resolve(frame, id=name, seed=1, draws=4, tune=1).pairs().column_names
    assert names[:2] == ["customer_id_l", "customer_id_r"]


def test_tables_have_the_type_of_the_input():
    frame = persons(60)[0].to_pandas()
    found = resolve(frame, seed=1, draws=4, tune=1)
    for table in (found.table(), found.pairs(), found.golden()):
        assert isinstance(table, pd.DataFrame)
    assert len(found.golden()) == found.summary()["entities"]


def test_methods_do_what_the_functions_do(resolved, tmp_path):
    pairs = resolved.record_pairs
    ids = [resolved.names[int(rows[0])].as_py() for rows in (pairs.left, pairs.right)]
    assert resolved.explain(*ids).p_same == explain(resolved, *ids).p_same
    assert resolved.report(tmp_path / "r.html").read_text("utf-8").startswith("<!DOCTYPE html>")
    pytest.importorskip("altair")
    for chart in (resolved.plot_sizes(), resolved.plot_certainty(), resolved.plot_traces()):
        assert chart.to_dict()["mark"]
    with pytest.raises(InputError, match="no trace 'x'; the traces are"):
        resolved.plot_traces("x")


def test_the_display_is_short(resolved):
    assert repr(resolved).startswith("Resolution(300 records in ")
    assert len(repr(resolved)) < 120
    html = resolved._repr_html_()
    assert html.count("<tr>") == 11 and "and 290 more records" in html
    small = resolve([{"name": "<b>Ann", "town": "Ely"}] * 2 + [{"name": "Bob", "town": "Bath"}])
    assert "<b>" not in small._repr_html_() and "more" not in small._repr_html_()


def test_old_names_of_attributes_warn(resolved):
    for old, new in RENAMED.items():
        with pytest.warns(DeprecationWarning, match=f"{old} is now {new}"):
            assert getattr(resolved, old) is getattr(resolved, new)
    for owner in (resolved.prepared, resolved.pair_model, resolved.scored.comparisons):
        with pytest.warns(DeprecationWarning, match="kinds is now column_types"):
            assert owner.kinds is owner.column_types
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = resolved.nothing


def test_warnings_are_python_warnings(resolved):
    detail = Note("no candidate pair shows some levels: x", Severity.VERBOSE)
    apart = replace(resolved, warnings=[detail, "EM stopped"])
    with pytest.warns(PartitaWarning) as seen:
        apart.warn()
    assert [str(one.message) for one in seen] == ["EM stopped"]
