"""Relevance and weights of columns, keys and columns of provenance, on generated records."""

import numpy as np
import pyarrow as pa
import pytest

from partita import resolve
from partita.data import profile, read
from partita.linkage.column_weights import weigh_columns
from partita.linkage.relevance import NeighbourSearch, measure_relevance, standardise_auc
from partita.linkage.settings import ColumnSettings, Settings
from partita.metrics import evaluate
from tests.linkage.made import persons

N = 600
WORDS = [
    "called",
    "about",
    "order",
    "delivery",
    "late",
    "refund",
    "asked",
    "phone",
    "paid",
    "invoice",
    "discount",
    "broken",
]


@pytest.fixture(scope="module")
def table():
    return persons(N)[0].drop_columns(["unique_id"])


def idle(n, seed=3):
    """Columns that describe no entity."""
    rng = np.random.default_rng(seed)
    return {
        "c10": rng.choice(["called", "ok", "see file", "vip"], n).tolist(),
        "c11": [f"20{y}-{m:02d}-{d:02d}" for y, m, d in rng.integers(10, 25, (n, 3))],
        "c12": [" ".join(rng.choice(WORDS, 7)) for _ in range(n)],
        "c13": [f"C{k}" for k in rng.permutation(n) + 10_000],
    }


def add(table, columns):
    for name, values in columns.items():
        table = table.append_column(name, pa.array(values, pa.string()))
    return table


def weigh(table, **settings):
    records = read(table, id=False)
    return {one.name: one for one in weigh_columns(records, profile(records), Settings(**settings))}


def relevance(table):
    records = read(table, id=False)
    columns = [records.column(name) for name in records.names]
    return measure_relevance(columns, NeighbourSearch(columns))


def test_idle_columns_have_a_low_weight_and_others_a_full_one(table):
    found = weigh(add(table, idle(N)))
    for name in idle(N):
        assert found[name].relevance < 3
        assert found[name].weight < 0.3
    assert all(found[name].weight > 0.9 for name in table.column_names if found[name].is_compared)


def test_rows_and_columns_in_another_order_under_other_names(table):
    whole = add(table, idle(N))
    order = np.random.default_rng(0).permutation(N)
    names = whole.column_names[::-1]
    turned = (
        whole.take(pa.array(order))
        .select(names)
        .rename_columns([f"x{k}" for k in range(len(names))])
    )
    first, second = relevance(whole), relevance(turned)
    assert [first[name] for name in names] == pytest.approx(list(second.values()), nan_ok=True)


def test_copies_of_rows_leave_the_relevance(table):
    whole = add(table, idle(N))
    copied = pa.concat_tables([whole, whole.slice(0, 200)])
    first, second = relevance(whole), relevance(copied)
    assert all(second[name] < 3 for name in idle(N))
    assert [name for name in first if first[name] > 5] == [
        name for name in second if second[name] > 5
    ]


def test_columns_of_two_sources(table):
    whole = add(table, idle(N))
    parts = {"a": whole.slice(0, N // 2), "b": whole.slice(N // 2)}
    found = weigh(parts)
    assert all(found[name].weight < 0.5 for name in idle(N))
    assert found["surname"].weight > 0.9


def test_files_of_one_and_two_columns_count_in_full():
    names = [f"{a}{b} {b}{c}" for a in WORDS for b in WORDS[:4] for c in WORDS[:2]][:96]
    assert weigh(pa.table({"name": names}))["name"].weight == 1.0
    two = weigh(pa.table({"name": names, "town": ["ely", "bath"] * 48}))
    assert [one.weight for one in two.values()] == [1.0, 1.0]


def test_without_a_clear_column_nothing_is_shrunk():
    columns = {f"c{k}": values for k, values in enumerate(idle(N).values()) if k < 3}
    assert all(one.weight > 0.9 for one in weigh(pa.table(columns)).values() if one.is_compared)


def test_a_large_file_is_sampled(monkeypatch, table):
    monkeypatch.setattr("partita.linkage.relevance.POOL_LIMITS", (300, 300))
    monkeypatch.setattr("partita.linkage.relevance.SAMPLE_QUERIES", 150)
    found = relevance(add(table, idle(N)))
    assert all(found[name] < 3 for name in idle(N))
    assert sum(found[name] > 3 for name in table.column_names) >= 3


def test_the_standardised_area_as_by_hand():
    assert standardise_auc(np.array([1.0, 2.0]), np.array([1.0, 2.0])) == 0.0
    assert standardise_auc(np.array([3.0]), np.array([1.0])) == pytest.approx(0.5 / np.sqrt(3 / 12))


def test_idle_columns_hardly_change_the_entities():
    table, truth = persons(N)
    plain = resolve(table, seed=1)
    more = resolve(add(table, idle(N)), seed=1)
    assert evaluate(more.labels, plain.labels).pairwise.f1 > 0.97
    assert evaluate(more.labels, truth).pairwise.f1 > 0.9
    assert any("--compare 'c12'" in note for note in more.warnings)


def test_a_column_that_the_settings_compare_counts_in_full(table):
    whole = add(table, idle(N))
    assert weigh(whole, compare=("c10",))["c10"].weight == 1.0
    result = resolve(whole, compare=["c10"], seed=1)
    assert result.settings.columns["c10"] == ColumnSettings(
        "category", "compare", result.settings.columns["c10"].comparison, weight=1.0
    )


def keys(table, values):
    return weigh(add(table, {"c9": values}))["c9"]


def test_a_key_and_one_repeated_value(table):
    values = [f"C{k}" for k in np.random.default_rng(1).permutation(N) + 10_000]
    unique = keys(table, values)
    assert unique.key_probability > 0.4
    assert unique.weight < 0.15
    repeated = keys(table, [*values[:-1], values[0]])
    assert repeated.key_probability == pytest.approx(unique.key_probability, abs=0.15)
    assert repeated.weight == pytest.approx(unique.weight, abs=0.1)


def test_an_identifier_that_files_share_is_evidence(table):
    _, truth = persons(N)
    shared = weigh(add(table, {"c9": [f"9780{k:09d}" for k in truth * 7919]}))["c9"]
    assert shared.key_probability < 0.05
    assert shared.weight > 0.9


def listings(values, n=400, seed=2):
    """Entities that several lists name, each once, with a typing error here and there."""
    rng = np.random.default_rng(seed)
    base, truth = persons(n, seed=9)
    base = base.take(pa.array(np.unique(truth, return_index=True)[1]))
    columns = {name: [] for name in base.column_names if name != "unique_id"}
    guide = []
    for row in base.to_pylist():
        for value in rng.choice(values, 3, replace=False):
            guide.append(f"g{value}")
            for name in columns:
                text = str(row[name] or "")
                at = int(rng.integers(max(len(text), 1)))
                columns[name].append(text[:at] + text[at + 1 :] if rng.random() < 0.3 else text)
    return pa.table({**columns, "listed": guide})


@pytest.mark.parametrize("values", [4, 40])
def test_a_column_of_provenance_is_found_under_any_name(values):
    found = weigh(listings(values))
    assert [name for name, one in found.items() if one.is_provenance] == ["listed"]
    assert "comes from" in found["listed"].unused_reason
    given = weigh(listings(values), columns={"listed": ColumnSettings("category")})
    assert not given["listed"].is_provenance


def test_a_category_that_entities_keep_is_no_provenance(table):
    _, truth = persons(N)
    found = weigh(add(table, {"team": [f"t{k % 6}" for k in truth]}))
    assert not any(one.is_provenance for one in found.values())
    assert not any(one.is_provenance for one in weigh(add(table, idle(N))).values())
