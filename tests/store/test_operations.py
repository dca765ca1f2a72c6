"""Random operations on a store beside a reference model in plain Python.

The model holds the values of the present records, the corrections in force and the state after
every run. After each operation the store must export the model's records, obey its corrections and
break no invariant; a refused operation, a search and a dry run change nothing, and an undone run
leaves the entities that were there before it.
"""

import warnings
from random import Random

import pytest

import partita
from partita.errors import PartitaError
from partita.store.store import Store
from partita.synthetic import people

RECORDS, SPARE = 60, 400
CHECKED = 10
"""Operations from one check of all invariants to the next."""


class Model:
    """What a store must hold."""

    def __init__(self, rows):
        self.rows = {row["id"]: row for row in rows}
        self.together, self.apart = set(), set()
        self.erased = set()
        self.before = []
        """The states before each run that `undo` can undo, the latest last."""

    def state(self):
        return dict(self.rows), set(self.together), set(self.apart)


def export(store):
    """The values and the entity of each record."""
    rows = store.export()
    values = {row["id"]: {name: row[name] for name in row if name in NAMES} for row in rows}
    return values, {row["id"]: row["cluster_id"] for row in rows}


NAMES = {"id"}


def compare(store, model, place):
    values, entity = export(store)
    assert values == model.rows, place
    for left, right in model.together:
        if left in entity and right in entity:
            assert entity[left] == entity[right], place
    for left, right in model.apart:
        if left in entity and right in entity:
            assert entity[left] != entity[right], place
    return entity


def propose(random, model, spare):
    """A random operation: its name, a call on the store, and the change of the model."""
    ids = sorted(model.rows)
    pair = tuple(random.sample(ids, 2))
    name = random.choices(
        ["add", "change", "delete", "together", "apart", "undo", "dry", "find", "wrong", "forget"],
        [24, 12, 8, 12, 12, 14, 8, 4, 4, 2],
    )[0]
    if name == "add":
        fresh = [row for row in random.sample(spare, 3) if row["id"] not in model.rows]
        fresh = [row for row in fresh if row["id"] not in model.erased]
        return (
            name,
            lambda store: store.add(fresh) if fresh else None,
            lambda: model.rows.update({row["id"]: row for row in fresh}),
        )
    if name == "change":
        row = {**model.rows[pair[0]], NAME: model.rows[pair[1]][NAME]}
        return name, lambda store: store.add([row]), lambda: model.rows.update({pair[0]: row})
    if name == "delete":
        return name, lambda store: store.add(delete=[pair[0]]), lambda: model.rows.pop(pair[0])
    if name == "together":
        return (
            name,
            lambda store: store.correct(together=[pair]),
            lambda: model.together.add(pair),
        )
    if name == "apart":
        return name, lambda store: store.correct(apart=[pair]), lambda: model.apart.add(pair)
    if name == "dry":
        return name, lambda store: store.add(delete=[pair[0]], dry_run=True), None
    if name == "find":
        return name, lambda store: store.find({NAME: model.rows[pair[0]][NAME]}), None
    if name == "wrong":
        return name, lambda store: store.add(delete=["no such record"]), None
    if name == "forget":
        return name, lambda store: store.forget(pair[0]), lambda: forget(model, pair[0])
    return name, None, None


NAME = "surname"


def forget(model, id):
    model.rows.pop(id)
    model.erased.add(id)
    # a run before an erasure holds values that are gone
    model.before.clear()


def run_operations(count, seed, path, rows):
    random = Random(seed)
    first, spare = rows[:RECORDS], rows[RECORDS:]
    NAMES.update(first[0])
    outcomes = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = partita.resolve(first, seed=1, reading="em")
        with Store.create(result, path) as store:
            model = Model(first)
            entity = compare(store, model, "start")
            for number in range(count):
                name, call, change = propose(random, model, spare)
                place = (seed, number, name)
                if name == "undo":
                    if not model.before:
                        continue
                    run, state, old = model.before.pop()
                    store.undo(run)
                    model.rows, model.together, model.apart = state
                    assert compare(store, model, place) == old, place
                    entity, name = old, "undone"
                else:
                    state = model.state()
                    try:
                        report = call(store)
                    except PartitaError:
                        name, change, report = f"{name} refused", None, None
                    if change is not None and report is not None:
                        change()
                        if place[2] != "forget":
                            model.before.append((report["run"], state, entity))
                        entity = compare(store, model, place)
                    else:
                        assert compare(store, model, place) == entity, place
                outcomes[name] = outcomes.get(name, 0) + 1
                if number % CHECKED == 0:
                    assert store.check() == [], place
            assert store.check() == []
    return outcomes


@pytest.fixture(scope="module")
def rows():
    made = people(RECORDS + SPARE, 3, truth=None).table()
    named = ["id" if name == "unique_id" else name for name in made.column_names]
    texts = made.rename_columns(named).to_pylist()
    return [
        {name: str(value) if value is not None else None for name, value in row.items()}
        for row in texts
    ]


@pytest.mark.compiled
def test_random_operations_agree_with_a_model(tmp_path, rows):
    outcomes = run_operations(200, 1, tmp_path / "people.partita", rows)
    assert {"add", "change", "delete", "together", "apart", "undone", "wrong refused"} <= {
        *outcomes
    }


@pytest.mark.compiled
@pytest.mark.long
def test_two_thousand_random_operations_agree_with_a_model(tmp_path, rows):
    outcomes = run_operations(2_000, 2, tmp_path / "people.partita", rows)
    assert sum(outcomes.values()) > 1_500
