"""A user's own comparison resolves, explains, trains and reports like a built-in one."""

import json

import numpy as np
import pytest

import partita
from partita import comparison as cl
from partita.errors import InputError
from partita.linkage.columns import join_columns
from partita.linkage.config import config_text, load_settings
from partita.linkage.pairwise.model import PairModel
from partita.linkage.supervision.trained_model import load_model
from partita.synthetic import people


def shared_letters(left, right):
    """Dice coefficient of the letters of two strings."""
    one, other = set(left), set(right)
    return 2 * len(one & other) / max(len(one) + len(other), 1)


OWN = cl.DistanceFunctionAtThresholds(shared_letters, [0.9, 0.7])
FAST = {"seed": 1, "chains": 1, "draws": 10, "ignore": ["entity"]}


@pytest.fixture(scope="module")
def table():
    return people(300, seed=5).table()


@pytest.fixture(scope="module")
def resolved(table):
    return partita.resolve(table, columns={"surname": OWN}, **FAST)


def pair_f1(labels, truth):
    together = labels[:, None] == labels[None, :]
    same = truth[:, None] == truth[None, :]
    upper = np.triu_indices(len(labels), 1)
    hits = (together & same)[upper].sum()
    return 2 * hits / (together[upper].sum() + same[upper].sum())


@pytest.mark.compiled
def test_it_resolves(resolved, table):
    model = resolved.pair_model
    q = model.names.index("surname")
    assert model.comparisons[q] == OWN
    assert model.level_names[q] == list(OWN.labels)
    weights = model.weights()[q]
    assert weights[0] > 1 > -1 > weights[-1]
    assert np.unique(resolved.scored.scores.levels[:, q]).size >= 3
    assert pair_f1(resolved.labels, np.array(table.column("entity").to_pylist())) > 0.8


@pytest.mark.compiled
def test_it_explains_and_reports(resolved, tmp_path):
    q = resolved.pair_model.names.index("surname")
    k = int(np.flatnonzero(resolved.scored.scores.levels[:, q] == 1)[0])
    rows = resolved.prepared.numbering.back(resolved.scored.pairs[k])
    ids = [resolved.names[int(row)].as_py() for row in rows]
    row = next(row for row in resolved.explain(*ids).rows if row.label == "surname")
    assert row.level == "shared_letters at least 0.9"
    resolved.report(tmp_path / "report.html")
    assert "shared_letters at least 0.9" in (tmp_path / "report.html").read_text()


@pytest.mark.compiled
def test_it_trains_and_its_file_needs_the_function(table, tmp_path):
    trained = partita.train(table, truth_column="entity", columns={"surname": OWN}, **FAST)
    path = trained.save(tmp_path / "model.json")
    loaded = load_model(path)
    q = loaded.pair_model.names.index("surname")
    stored = json.loads(path.read_text())["pairs"]["comparisons"][q]
    assert stored["distance_function"].endswith(":shared_letters")
    with pytest.raises(
        InputError, match=r"compares column 'surname' by .*:shared_letters'; pass col"
    ):
        partita.resolve(table, model=path, **FAST)
    found = partita.resolve(table, model=path, columns={"surname": OWN}, **FAST)
    assert found.pair_model.level_names[q] == list(OWN.labels)


@pytest.mark.compiled
def test_a_file_with_all_levels_gives_the_same_result(table, tmp_path):
    first = partita.resolve(table, **FAST)
    path = tmp_path / "partita.toml"
    path.write_text(config_text(first.settings, first.profiles))
    again = partita.resolve(table, config=path)
    assert np.array_equal(first.labels, again.labels)
    assert np.array_equal(first.p_member, again.p_member)


@pytest.mark.compiled
@pytest.mark.parametrize("posterior", ["quick", "full"])
def test_without_term_frequency_adjustment_all_values_weigh_the_same(table, posterior):
    some = table.slice(0, 120)
    columns = {"surname": cl.SurnameComparison(term_frequency_adjustments=False)}
    found = partita.resolve(some, columns=columns, posterior=posterior, **FAST)
    q = found.pair_model.names.index("surname")
    assert not found.scored.scores.term_frequency[:, q].any()
    other = found.pair_model.names.index("given_name")
    assert found.scored.scores.term_frequency[:, other].any()


@pytest.mark.compiled
def test_two_columns_are_compared_as_one(table):
    names = cl.ForenameSurnameComparison("surname")
    found = partita.resolve(table, columns={"given_name": names}, **FAST)
    assert found.settings.columns["surname"].role == "block"
    assert "surname" not in found.pair_model.names
    q = found.pair_model.names.index("given_name")
    assert found.pair_model.level_names[q] == list(names.labels)
    assert pair_f1(found.labels, np.array(table.column("entity").to_pylist())) > 0.7
    with pytest.raises(InputError, match="column 'family' that is not there"):
        partita.resolve(table, columns={"given_name": cl.ForenameSurnameComparison("family")})


def test_joined_columns_are_missing_where_one_is():
    records = partita.read([{"a": "x", "b": "y"}, {"a": "x", "b": None}, {"a": "x", "b": "y"}])
    joined = join_columns(records.column("a"), records.column("b"))
    assert joined.codes.tolist() == [0, -1, 0]
    assert joined.values.to_pylist() == ["x\x1fy"]


@pytest.mark.compiled
def test_coordinates_keep_their_points_and_signs():
    rng = np.random.default_rng(2)
    towns = [(51.5 + 0.9 * k, -0.12 - 0.7 * k) for k in range(30)]
    rows = [
        {
            "name": f"person number {k}",
            "lat": f"{lat + rng.normal(0, 0.001):.4f}",
            "lon": f"{lon + rng.normal(0, 0.001):.4f}",
        }
        for k, (lat, lon) in enumerate(towns)
        for _ in range(2)
    ]
    columns = {"lat": cl.DistanceInKMAtThresholds([1, 10], long_col="lon")}
    found = partita.resolve(rows, columns=columns, seed=1, chains=1, draws=10)
    q = found.pair_model.names.index("lat")
    levels = found.scored.scores.levels[:, q]
    same = found.prepared.numbering.wide[found.scored.pairs] // 2
    assert (levels[same[:, 0] == same[:, 1]] <= 1).all()
    assert (levels[same[:, 0] != same[:, 1]] == 3).all()


def test_a_file_names_a_function_of_the_working_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_functions.py").write_text("def same(a, b):\n    return float(a[:1] == b[:1])\n")
    (tmp_path / "partita.toml").write_text(
        '[columns.name]\ncomparison = "DistanceFunctionAtThresholds"\n'
        'distance_function = "my_functions:same"\nthresholds = [1]\n'
    )
    found = load_settings("partita.toml").columns["name"].comparison
    assert found.labels == ("exact", "same at least 1", "no agreement")
    assert found.prepare(["ann", "al", "bo"]).find(np.array([0, 0]), np.array([1, 2])).tolist() == [
        1,
        2,
    ]


def test_two_columns_are_explained_together(table):
    names = cl.ForenameSurnameComparison("surname")
    found = partita.resolve(table.slice(0, 60), columns={"given_name": names}, **FAST)
    one, other = (found.names[k].as_py() for k in (0, 1))
    row = next(row for row in partita.explain(found, one, other).rows if row.label == "given_name")
    first = table.slice(0, 1).to_pylist()[0]
    assert row.left == f"{first['given_name']} {first['surname']}"


@pytest.mark.compiled
def test_models_of_version_2_have_the_comparisons_of_their_types(resolved):
    saved = resolved.pair_model.as_dict()
    old_keys = {"column_types": "kinds", "household": "related"}
    old = {old_keys.get(key, key): saved[key] for key in saved if key != "comparisons"}
    old["version"] = 2
    loaded = PairModel.from_dict(old)
    assert loaded.comparisons == [
        cl.automatic_comparison(column_type) for column_type in loaded.column_types
    ]


@pytest.mark.compiled
def test_pruning_keeps_every_pair_above_its_limit(table):
    columns = {
        "surname": OWN,
        "city": cl.ExactMatch(term_frequency_adjustments=False),
        "phone": cl.CustomComparison(
            [cl.Level("exact", form="digits"), cl.Level("levenshtein", 2)]
        ),
        "date_of_birth": cl.AbsoluteDateDifferenceAtThresholds([1, 1], ["day", "year"]),
    }
    found = partita.resolve(table, columns=columns, **FAST)
    pairs = np.asarray(found.blocking.pairs, np.int64)
    total = found.pair_model.score(found.scored.comparisons, pairs).total
    kept = {tuple(pair) for pair in found.scored.pairs.tolist()}
    assert {tuple(pair) for pair in pairs[total > -6.0].tolist()} <= kept
    assert 0 < (total > -6.0).sum() < len(pairs)
