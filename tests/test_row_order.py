"""The order of the rows changes neither the partition nor any probability, up to the ids."""

import numpy as np
import pyarrow as pa
import pytest

import partita
from partita.synthetic import Errors, authors
from tests.linkage.made import persons, rules, two_sources

pytestmark = pytest.mark.compiled

N = 300
SEED = 3


def permute(table, seed=0):
    order = np.random.default_rng(seed).permutation(len(table))
    return table.take(pa.array(order))


def describe(result, keys):
    """Everything that a result states, by the keys of the records instead of their rows."""
    members = {}
    for key, label in zip(keys, result.labels.tolist(), strict=True):
        members.setdefault(label, set()).add(key)
    rows = zip(keys, result.p_member.tolist(), result.p_cluster.tolist(), strict=True)
    pairs = result.record_pairs
    ends = zip(pairs.left.tolist(), pairs.right.tolist(), strict=True)
    p_same = zip(ends, pairs.scores.total.tolist(), pairs.p_same.tolist(), strict=True)
    return {
        "partition": {frozenset(one) for one in members.values()},
        "rows": {key: ps for key, *ps in rows},
        "pairs": {frozenset((keys[a], keys[b])): ps for (a, b), *ps in p_same},
        "count": result.entity_count,
        "reading": (result.reading.name, result.reading.agreement, result.chosen_model),
    }


def check_order(table, key="unique_id", seed=0, **settings):
    """Resolve a table and a permutation of its rows; every bit of the results is equal."""
    found, other = (
        describe(partita.resolve(one, seed=SEED, **settings), one[key].to_pylist())
        for one in (table, permute(table, seed))
    )
    assert found == other
    return found


@pytest.fixture(scope="module")
def table():
    return persons(N, seed=11)[0]


@pytest.mark.parametrize("seed", [0, 1])
def test_one_file(table, seed):
    found = check_order(table, seed=seed)
    # the posterior is not trivial: some probabilities are neither 0 nor 1
    assert any(0 < p_member < 1 for p_member, _ in found["rows"].values())


def test_very_noisy_records():
    usual = vars(Errors())
    noisy = {name: min(0.5, 3 * rate) for name, rate in usual.items() if type(rate) is float}
    check_order(persons(N, seed=0, errors=Errors(**noisy))[0])


def test_more_rows_than_the_samples_of_the_profile():
    check_order(persons(4000, seed=1)[0])


@pytest.mark.parametrize("mode", ["link", "both"])
def test_two_files(mode):
    files, _ = two_sources(N)
    permuted = {name: permute(one, seed) for seed, (name, one) in enumerate(files.items())}
    found, other = (
        describe(
            partita.resolve(one, seed=SEED, mode=mode),
            [f"{name}:{id}" for name, part in one.items() for id in part["unique_id"].to_pylist()],
        )
        for one in (files, permuted)
    )
    assert found == other


def test_identical_records_of_linked_files():
    files, _ = two_sources(N)
    left = files["left"]
    twins = left.slice(0, 40)
    names = pa.array([f"twin-{k}" for k in range(40)])
    ids = pa.array([str(id) for id in left["unique_id"].to_pylist()])
    left = pa.concat_tables(
        [left.set_column(0, "unique_id", ids), twins.set_column(0, "unique_id", names)]
    )
    results = []
    for one in (left, permute(left)):
        result = partita.resolve({"left": one, "right": files["right"]}, seed=SEED, mode="link")
        keys = [*one["unique_id"].to_pylist(), *(f"r{k}" for k in range(len(files["right"])))]
        results.append(describe(result, keys))
    assert results[0] == results[1]


def test_a_single_column_of_text(table):
    rows = [{name: str(v) for name, v in row.items() if v} for row in table.to_pylist()]
    texts = [" ".join(v for name, v in row.items() if name != "unique_id") for row in rows]
    check_order(table.select(["unique_id"]).append_column("text", pa.array(texts)))


def test_author_mentions():
    table = authors(800, seed=1, truth=None).table()
    result = partita.resolve(table, seed=SEED)
    assert result.reading.name == "mentions"
    check_order(table, "mention_id")


def test_the_entity_model(table):
    found = check_order(table, model="entities")
    assert found["reading"][-1] == "entities"


def test_constraints(table):
    ids = table["unique_id"].to_pylist()
    result = partita.resolve(table, seed=SEED)
    again = next(r for r in range(1, N) if result.labels[r] in result.labels[:r])
    first = result.labels.tolist().index(result.labels[again])
    constraints = rules(
        (ids[first], ids[again], "cannot"), (ids[3], ids[200], "must"), (ids[90], ids[7], "must")
    )
    check_order(table, constraints=constraints)


def test_spellings_that_cleaning_makes_equal(table):
    """Identical records after cleaning differ in their text, which a comparison may read."""
    copies = table.slice(0, 60)
    place = copies.column_names.index("surname")
    loud = pa.array([value and value.upper() for value in copies["surname"].to_pylist()])
    copies = copies.set_column(place, "surname", loud)
    copies = copies.set_column(0, "unique_id", pa.array([f"copy-{k}" for k in range(60)]))
    texts = pa.array([str(id) for id in table["unique_id"].to_pylist()])
    both = pa.concat_tables([table.set_column(0, "unique_id", texts), copies])
    check_order(both)
