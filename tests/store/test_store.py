"""A store: created from a result, extended, corrected, undone, and exported."""

from dataclasses import replace

import numpy as np
import pytest

from partita import resolve
from partita.errors import InputError
from partita.store.add import _list_pairs
from partita.store.candidates import keep_nearest
from partita.store.local import keep_context
from partita.store.store import Store

# no kernels of its own: those it calls are tested as plain Python where they stand
pytestmark = pytest.mark.compiled


def clusters(rows, key="cluster_id"):
    """The partition of ids, as sets."""
    groups = {}
    for row in rows.to_pylist() if hasattr(rows, "to_pylist") else rows:
        groups.setdefault(row[key], set()).add(row["id"])
    return {frozenset(group) for group in groups.values()}


def by_id(table):
    return {row["id"]: row for row in table.to_pylist()}


def test_export_equals_the_result(store, result):
    exported, expected = store.export(), result.table()
    assert clusters(exported) == clusters(expected)
    for name in expected.column_names:
        if name != "cluster_id":
            assert exported.column(name).to_pylist() == expected.column(name).to_pylist()
            assert exported.column(name).type == expected.column(name).type
    assert store.check() == []


def test_columns_of_the_names_of_a_store_pass_the_check(tmp_path):
    rows = [{"id": k, "entity": k // 2, "digest": "x", "name": f"Ann Lee {k}"} for k in range(12)]
    with Store.create(resolve(rows, id="id", seed=1), tmp_path / "names.partita") as store:
        assert store.check() == []
        assert store.export()[3]["entity"] == 1


def test_a_stored_pair_scores_as_in_the_first_run(store, result):
    from partita.store.candidates import score_pairs

    model, layout = store._read_model()
    pairs = result.record_pairs
    some = np.flatnonzero(pairs.scores.total > -5)
    with store._db.read():
        scored = score_pairs(store._db, layout, model, pairs.left[some], pairs.right[some])
    expected = {
        tuple(sorted(pair)): score
        for *pair, score in zip(
            pairs.left[some].tolist(),
            pairs.right[some].tolist(),
            pairs.scores.total[some].tolist(),
            strict=True,
        )
    }
    found = dict(
        zip(
            zip(scored.left.tolist(), scored.right.tolist(), strict=True),
            scored.log_odds.tolist(),
            strict=True,
        )
    )
    assert found.keys() == expected.keys()
    assert all(found[pair] == pytest.approx(expected[pair], abs=1e-6) for pair in expected)


def test_a_run_keeps_candidate_pairs_only(store):
    def pairs():
        return set(store._db.rows("SELECT record, other FROM pairs"))

    before = pairs()
    counts = {}
    for row in store.export().to_pylist():
        counts.setdefault(row["cluster_id"], []).append(row["id"])
    large = max(counts.values(), key=len)
    # the rest of the entity is reconsidered, which compares further pairs
    store.add(delete=large[:1])
    assert len(large) > 2 and pairs() <= before


def test_removed_records_have_no_rank_among_candidates(store, table):
    sql = "SELECT record FROM records WHERE entity IS NOT NULL"
    before = {row[0] for row in store._db.rows(sql)}
    paired = {row[0] for row in store._db.rows("SELECT other FROM pairs")}
    ids = table[0].slice(0, 10).column("id").to_pylist()
    store.add(delete=ids)
    present = {row[0] for row in store._db.rows(sql)}
    assert (before - present) & paired
    none = np.empty(0, np.int64)
    model, _ = store._read_model()
    ends = _list_pairs(store._db, model, np.array(sorted(present)), None, none)
    assert ends[0].size and present.issuperset(np.concatenate(ends).tolist())


def test_added_records_join_their_entities(store, table):
    before = by_id(store.export())
    report = store.add(table[0].slice(300))
    after = store.export()
    assert report["new"] == 100 and after.num_rows == 400
    assert store.check() == []
    truth = dict(zip(table[0].column("id").to_pylist(), table[1], strict=True))
    groups = {}
    for row in after.to_pylist():
        groups.setdefault(row["cluster_id"], []).append(truth[row["id"]])
    pairs = [(a == b) for g in groups.values() for i, a in enumerate(g) for b in g[:i]]
    assert sum(pairs) >= 0.9 * len(pairs)
    # entities without an event keep id and probability
    changed = {event["entity"] for event in store.events(report["run"])}
    now = by_id(after)
    for id, row in before.items():
        if row["cluster_id"] not in changed:
            assert now[id]["cluster_id"] == row["cluster_id"]


def test_a_dry_run_changes_nothing(store, table):
    before = store.export()
    report = store.add(table[0].slice(300), dry_run=True)
    assert report["new"] == 100 and report["joined"] >= 100
    assert store.export().equals(before) and len(store.runs()) == 1


def test_changed_and_removed_records(store, table):
    rows = table[0].slice(0, 3).to_pylist()
    name = next(k for k in rows[0] if k not in ("id",))
    rows[0][name] = "Zebulon"
    report = store.add(rows)
    assert (report["changed"], report["unchanged"], report["new"]) == (1, 2, 0)
    assert by_id(store.export())[rows[0]["id"]][name] == "Zebulon"
    report = store.add(delete=[rows[1]["id"]])
    assert report["removed"] == 1 and store.export().num_rows == 299
    assert store.check() == []
    assert len(store.history(rows[0]["id"])) >= 2


def test_undo_restores_the_state(store, table):
    states = [store.export()]
    first = store.add(table[0].slice(300, 50))["run"]
    states.append(store.export())
    second = store.add(table[0].slice(350))["run"]
    with pytest.raises(InputError, match=f"undo run {second} first"):
        store.undo(first)
    store.undo(second)
    assert store.export().equals(states[1]) and store.check() == []
    undone = store.undo(first)["run"]
    assert store.export().equals(states[0]) and store.check() == []
    with pytest.raises(InputError, match="is undone"):
        store.undo(first)
    store.undo(undone)
    assert store.export().equals(states[1]) and store.check() == []
    assert store.export(run=first).equals(states[1])
    assert store.export(run=1).equals(states[0])
    assert store.diff(1, first) and not store.diff(1, undone)


def test_corrections_hold(store, table):
    groups = [sorted(group) for group in clusters(store.export()) if len(group) > 1]
    a, b = groups[0][:2]
    other = groups[1][0]
    store.correct(apart=[(a, b)], reason="different birthdays")
    rows = by_id(store.export())
    assert rows[a]["cluster_id"] != rows[b]["cluster_id"]
    store.correct(together=[(b, other)])
    rows = by_id(store.export())
    assert rows[b]["cluster_id"] == rows[other]["cluster_id"]
    with pytest.raises(
        InputError, match=r"contradicts correction 1: .* apart; correction 2: .* together"
    ):
        store.correct(together=[(a, other)])
    store.add(table[0].slice(300))
    rows = by_id(store.export())
    assert rows[b]["cluster_id"] == rows[other]["cluster_id"] != rows[a]["cluster_id"]
    assert store.check() == []
    assert [one["kind"] for one in store.corrections()] == ["apart", "together"]
    store.correct(remove=[1])
    assert [one["kind"] for one in store.corrections()] == ["together"]
    assert store.check() == []


def test_an_entity_is_stated(store):
    exported = store.export().to_pylist()
    a, b = exported[0], next(r for r in exported if r["cluster_id"] != exported[0]["cluster_id"])
    store.correct(entity=(a["cluster_id"], [a["id"], b["id"]]))
    rows = by_id(store.export())
    members = {i for i, row in rows.items() if row["cluster_id"] == rows[a["id"]]["cluster_id"]}
    assert members == {a["id"], b["id"]}
    assert store.check() == []


def test_find_returns_the_entity_of_a_record(store, table):
    row = table[0].slice(5, 1).to_pylist()[0]
    id = row.pop("id")
    found = store.find({k: v for k, v in row.items() if v is not None})
    assert found[0]["cluster_id"] == by_id(store.export())[id]["cluster_id"]
    assert found[0]["p"] > 0.9 and id in map(int, found[0]["records"])
    with pytest.raises(InputError, match="no column 'colour'"):
        store.find({"colour": "red"})


def test_forgotten_values_are_nowhere_in_the_file(result, tmp_path):
    rows = result.records.table.to_pylist()
    name = next(k for k in rows[0] if k != "id" and isinstance(rows[0][k], str))
    with Store.create(result, tmp_path / "s.partita") as store:
        store.add([{**rows[0], "id": 918273645, name: "Quetzalcoatlus"}])
        store.forget(918273645)
        assert store.check() == []
        with pytest.raises(InputError, match="cannot be undone"):
            store.undo(3)
        assert store.export(run=2).num_rows == 300
    data = b"".join(path.read_bytes() for path in tmp_path.glob("s.partita*"))
    assert b"uetzalcoatlus" not in data and b"918273645" not in data


def test_ids_survive_merge_and_split(store):
    groups = sorted((sorted(g) for g in clusters(store.export())), key=lambda g: (len(g), g))
    one, two = groups[0][0], groups[1][0]
    rows = by_id(store.export())
    old, new = sorted(
        (rows[one]["cluster_id"], rows[two]["cluster_id"]),
        key=lambda id: store._db.value("SELECT entity FROM entities WHERE id = ?", (id,)),
    )
    run = store.correct(together=[(one, two)])["run"]
    assert by_id(store.export())[one]["cluster_id"] == old
    kinds = [event["event"] for event in store.events(run)]
    assert "merged" in kinds and "corrected" in kinds
    assert store.history(new)[-1]["other_entity"] == old
    store.correct(apart=[(one, two)], remove=[1])
    rows = by_id(store.export())
    assert rows[one]["cluster_id"] != rows[two]["cluster_id"]
    assert old in (rows[one]["cluster_id"], rows[two]["cluster_id"])
    assert store.check() == []


@pytest.mark.parametrize("kind", ["people", "products"])
def test_readings_and_texts_score_as_in_the_first_run(kind, tmp_path):
    """Words are weighed by the counts of the store, not by those of the loaded records."""
    import partita
    from partita.store.candidates import score_pairs
    from partita.synthetic import people, products

    made = (people if kind == "people" else products)(200, 4, truth=None)
    reading = "pooled" if kind == "people" else "prior"
    first = partita.resolve(made.table(), seed=1, reading=reading, mode="dedupe")
    pairs = first.record_pairs
    some = np.flatnonzero(pairs.scores.total > -5)[:40]
    with Store.create(first, tmp_path / "s.partita") as store, store._db.read():
        model, layout = store._read_model()
        found = score_pairs(store._db, layout, model, pairs.left[some], pairs.right[some])
    expected = dict(
        zip(
            map(tuple, np.sort(np.stack([pairs.left, pairs.right], 1)[some]).tolist()),
            pairs.scores.total[some].tolist(),
            strict=True,
        )
    )
    for left, right, score in zip(*(part.tolist() for part in found[:3]), strict=True):
        assert score == pytest.approx(expected[left, right], abs=1e-6)
    assert found.left.size == some.size > 5


def test_training_learns_from_all_records(grown, table):
    store = grown
    exported = store.export().to_pylist()
    a, b = exported[0], next(r for r in exported if r["cluster_id"] != exported[0]["cluster_id"])
    store.correct(together=[(a["id"], b["id"])])
    before = by_id(store.export())
    report = store.train()
    after = by_id(store.export())
    assert store.check() == [] and store.runs()[-1]["verb"] == "train"
    assert after[a["id"]]["cluster_id"] == after[b["id"]]["cluster_id"]
    same = sum(after[id]["cluster_id"] == row["cluster_id"] for id, row in before.items())
    assert same > 0.8 * len(before)
    with pytest.raises(InputError, match="cannot be undone"):
        store.undo(report["run"])
    row = table[0].slice(7, 1).to_pylist()[0]
    store.add([{**row, "id": 5000}])
    rows = by_id(store.export())
    assert rows[5000]["cluster_id"] == rows[row["id"]]["cluster_id"] and store.check() == []


def test_extracted_records_are_refused(result, tmp_path):
    extracted = replace(result, settings=result.settings.replaced(extract="citation"))
    with pytest.raises(InputError, match="partita extract"):
        Store.create(extracted, tmp_path / "citations.partita")


def test_golden_records_of_a_store_are_those_of_the_result(store, result):
    made, first = store.golden(), result.golden()
    assert made.num_rows == first.num_rows
    for name in result.records.names:
        assert made.column(name).to_pylist() == first.column(name).to_pylist()
        chances = [table.column(f"p_{name}").to_numpy() for table in (made, first)]
        np.testing.assert_allclose(*chances, atol=0.02)
    longest = store.golden(survivorship=["surname=longest"]).column("surname").to_pylist()
    pairs = zip(longest, made.column("surname").to_pylist(), strict=True)
    assert all(len(one or "") >= len(other or "") for one, other in pairs)
    with pytest.raises(InputError, match="give COLUMN=RULE"):
        store.golden(survivorship=["surname=best"])


def test_context_stays_as_it_was():
    # entities 0 and 1 are touched, 2 and 3 are context; the last two records are new
    before = np.array([0, 0, 1, 2, 2, 3, -1, -1])
    touched = np.array([0, 1])

    def keep(labels, joins_new=True):
        kept = keep_context(np.array(labels), before, touched, joins_new=joins_new)
        return [np.flatnonzero(kept == k).tolist() for k in range(kept.max() + 1)]

    # changes among touched and new records stand
    assert keep([0, 0, 0, 1, 1, 2, 0, 3]) == [[0, 1, 2, 6], [7], [3, 4], [5]]
    # a merge with context is taken back, and its new record stays with the touched entity
    assert sorted(keep([0, 0, 1, 0, 0, 2, 0, 1])) == [[0, 1, 6], [2, 7], [3, 4], [5]]
    assert sorted(keep([0, 0, 1, 0, 0, 2, 0, 1], joins_new=False)) == [
        [0, 1],
        [2, 7],
        [3, 4],
        [5],
        [6],
    ]
    # a record that leaves for context returns to its entity, and split context is restored
    assert sorted(keep([0, 2, 1, 3, 4, 2, 5, 6])) == [[0, 1], [2], [3, 4], [5], [6], [7]]


def test_pairs_that_later_records_displace_are_no_candidates():
    # record 0 came first and was paired with 1 and 2; 3 and 4 are nearer to all of them
    weights = {(0, 1): 1.0, (0, 2): 2.0, (0, 3): 5.0, (0, 4): 6.0, (1, 3): 7.0, (1, 4): 8.0}
    weights |= {(2, 3): 3.0, (3, 4): 9.0}
    left, right = np.array(list(weights)).T
    weight = np.array(list(weights.values()))
    both = np.append(left, right), np.append(right, left), np.append(weight, weight)

    def keep(many):
        return {*zip(*(ends.tolist() for ends in keep_nearest(*both, many)), strict=True)}

    # a pair stays if one of its records has fewer than `many` better ones
    assert keep(2) == {*weights} - {(0, 1)}
    assert keep(1) == {(0, 4), (1, 4), (2, 3), (3, 4)}
    assert keep(4) == {*weights}
    # a pair that is given twice has one place
    twice = [np.append(values, values) for values in both]
    assert keep_nearest(*twice, 2)[0].tolist() == keep_nearest(*both, 2)[0].tolist()
