"""Golden records: which value is chosen, and how sure it is."""

from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest

from partita.data import read
from partita.errors import InputError
from partita.linkage.output.golden import PRIOR_AGREEMENT, PRIOR_PAIRS, check_golden, golden
from partita.linkage.resolve import resolve
from partita.linkage.settings import ColumnSettings
from partita.synthetic import people


def of(table, labels, p_member=None, columns=None, rules=(), source=None):
    """As much of a resolution as golden records need."""
    records = read(table, id=False, source=source)
    labels = np.asarray(labels)
    first = np.unique(labels, return_index=True)[1]
    return SimpleNamespace(
        records=records,
        labels=labels,
        p_member=np.ones(records.n) if p_member is None else np.asarray(p_member, float),
        p_cluster=np.linspace(0.5, 1.0, records.n)[first][labels],
        cluster_ids=records.ids.take(pa.array(first[labels])),
        settings=SimpleNamespace(columns=columns or {}, survivorship=rules),
    )


def test_the_formula_by_hand():
    names = ["ANN", "Ann", "Ann", "Bea", None, "Cy"]
    found = golden(of(pa.table({"name": names}), [0, 0, 0, 0, 0, 1]))
    s = (3 + PRIOR_AGREEMENT * PRIOR_PAIRS) / (6 + PRIOR_PAIRS)
    alpha = (1 - s) / s
    assert found.column("name").to_pylist() == ["Ann", "Cy"]
    expected = [(3 + alpha * 3 / 5) / (4 + alpha), (1 + alpha / 5) / (1 + alpha)]
    assert found.column("p_name").to_pylist() == pytest.approx(expected)
    assert all(p < 1 for p in expected)
    assert found.column("cluster_size").to_pylist() == [5, 1]
    assert found.column("cluster_id").to_pylist() == [0, 5]
    assert found.column("p_cluster").to_pylist() == pytest.approx([0.5, 1.0])


def test_members_count_by_their_probability():
    table = pa.table({"name": ["Ann", "Ann", "Bea", "Solo"]})
    found = golden(of(table, [0, 0, 0, 1], [0.3, 0.3, 0.9, 0.2]))
    assert found.column("name").to_pylist() == ["Bea", "Solo"]
    # the one that is alone is believed as a member for certain
    assert found.column("p_name")[1].as_py() > 0.5


def test_ties_go_to_the_longer_value_and_the_longer_spelling():
    table = pa.table({"name": ["J", "John", "Ann-Lee", " Ann  Lee", "x", "y"]})
    found = golden(of(table, [0, 0, 1, 1, 2, 2]))
    assert found.column("name").to_pylist() == ["John", " Ann  Lee", "x"]


def test_types_and_missing_values_stay():
    table = pa.table(
        {"year": pa.array([1990, 1991, 1991, None]), "tags": [["a"], ["a", "b"], ["a"], None]}
    )
    found = golden(of(table, [0, 0, 0, 1], columns={"year": ColumnSettings("number")}))
    assert found.schema.field("year").type == pa.int64()
    assert found.column("year").to_pylist() == [1991, None]
    assert found.column("p_year")[1].as_py() is None
    assert found.column("tags").to_pylist() == [["a"], None]


def test_a_column_without_values():
    table = pa.table({"none": pa.nulls(2), "name": ["a", "b"]})
    found = golden(of(table, [0, 0]))
    assert found.column("none").to_pylist() == found.column("p_none").to_pylist() == [None]


@pytest.mark.parametrize("name", ["p_name", "cluster_size", "cluster_id"])
def test_a_name_that_is_taken_is_refused(name):
    table = pa.table({"name": ["a", "b"], name: ["c", "d"]})
    with pytest.raises(InputError, match=f"both have a column '{name}'"):
        golden(of(table, [0, 1]))
    with pytest.raises(InputError, match="rename"):
        check_golden(read(table))


NAMES = pa.table(
    {
        "name": ["Ann", "Ann", "Ann Lee", "A. Lee", None],
        "seen": ["2024-01-05", "2023-02-01", "2022-07-30", "2025-01-01 12:00:00", "2026-01-01"],
        "from": ["web", "web", "crm", "web", "shop"],
    }
)


@pytest.mark.parametrize(
    ("rule", "value"),
    [
        ("name=probable", "A. Lee"),
        ("name=frequent", "Ann"),
        ("name=longest", "Ann Lee"),
        ("*=longest", "Ann Lee"),
        ("name=recent:seen", "A. Lee"),
        ("name=source:crm>web", "Ann Lee"),
        ("name=source:shop>crm", "Ann Lee"),
    ],
)
def test_survivorship(rule, value):
    weight = [0.2, 0.2, 0.2, 0.9, 1.0]
    table = golden(of(NAMES, [0] * 5, weight, rules=[rule], source="from"))
    assert table.column("name").to_pylist() == [value]
    # the probability is that of the value, whatever rule chose it
    shares = {"A. Lee": 0.9, "Ann": 0.4, "Ann Lee": 0.2}
    p = table.column("p_name")[0].as_py()
    assert abs(p - shares[value] / 1.5) < 0.25


@pytest.mark.parametrize(
    "dates",
    [
        ["31.12.2020", "05.06.2021", "01.01.2022", None, ""],
        [1, 2, 3.5, None, None],
        pa.array([1, 2, 3, None, None], pa.timestamp("s")),
    ],
)
def test_the_latest_date_of_any_type(dates):
    table = NAMES.drop_columns(["seen"]).append_column("seen", pa.array(dates))
    found = golden(of(table, [0] * 5, rules=["name=recent:seen"], source="from"))
    assert found.column("name").to_pylist() == ["Ann Lee"]


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ("name", "the survivorship rule is 'name'"),
        ("name=newest", "give COLUMN=RULE"),
        ("name=recent", "give COLUMN=RULE"),
        ("nam=longest", "names no column"),
        ("name=recent:when", "no column 'when' of dates"),
        ("name=recent:name", "no value of column 'name' is a date"),
        ("name=source:erp", "no source 'erp'"),
    ],
)
def test_wrong_rules_are_refused(rule, text):
    with pytest.raises(InputError, match=text):
        golden(of(NAMES, [0] * 5, rules=[rule], source="from"))
    with pytest.raises(InputError, match=text):
        resolve(NAMES, source="from", survivorship=[rule])


@pytest.mark.compiled
def test_the_probabilities_mean_something():
    table = people(400, seed=8).table()
    found = resolve(table, ignore=("entity",), seed=3)
    made = golden(found)
    assert made.num_rows == found.summary()["entities"]
    assert made.column("cluster_id").to_pylist() == found.cluster_ids.unique().to_pylist()
    p = made.column("p_surname").drop_null().to_numpy()
    assert ((p > 0) & (p < 1)).all()
    # every value is one that a member of the entity shows
    shown = set(zip(found.cluster_ids.to_pylist(), table["surname"].to_pylist(), strict=True))
    chosen = zip(made["cluster_id"].to_pylist(), made["surname"].to_pylist(), strict=True)
    assert all(one in shown for one in chosen if one[1] is not None)
    # and clusters that agree are surer than clusters of the same size that do not
    sizes, labels = made["cluster_size"].to_numpy(), found.labels
    surname = found.records.column("surname").codes
    agree = np.array([len(set(surname[labels == k].tolist())) == 1 for k in range(sizes.size)])
    filled = np.array([(surname[labels == k] >= 0).all() for k in range(sizes.size)])
    two, p = filled & (sizes == 2), made["p_surname"].to_numpy()
    assert p[two & agree].min() > p[two & ~agree].max()
