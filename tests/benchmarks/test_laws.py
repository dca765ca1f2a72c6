"""The laws of resolution: presentations keep the records, and agreement counts pairs."""

import numpy as np
import pyarrow as pa
import pytest

from benchmarks.laws.__main__ import main
from benchmarks.laws.agreement import (
    count_pairs,
    count_unblocked,
    measure_agreement,
    share_apart,
    share_contradicted,
)
from benchmarks.laws.business import BUSINESS, generate_business
from benchmarks.laws.columns import assign_provenance
from benchmarks.laws.idle import IDLE, choose_idle
from benchmarks.laws.law import AGREEMENT, LOSS, POOLED
from benchmarks.laws.measure import compare_runs, measure_set
from benchmarks.laws.presentations import GROUPS, LAWS, present, training_laws
from benchmarks.laws.report import summarise_laws, summarise_sets
from benchmarks.laws.running import Run, Worker
from benchmarks.laws.sets import count_telling, list_sets
from benchmarks.laws.tables import ENTITY, FILE, ID, list_columns, measure_bits
from benchmarks.laws.values import find_name_columns, reverse_name
from benchmarks.peers.running import Limits


@pytest.fixture(scope="module")
def one_file():
    return generate_business("contacts_0", 300)


@pytest.fixture(scope="module")
def two_files():
    return generate_business("seasons_0", 300)


def generator(seed=5):
    return np.random.default_rng(seed)


def rows_by_id(table):
    return {row[ID]: row for row in table.to_pylist()}


# -- presentations


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("kind", ["one_file", "two_files"])
def test_a_presentation_keeps_the_truth_of_its_records(name, kind, request):
    table = request.getfixturevalue(kind)
    law = LAWS[name]
    if not law.applies(table):
        pytest.skip("the law has no such files")
    presented, again = (present(name, table, generator()) for _ in range(2))
    truth = {row[ID]: row[ENTITY] for row in table.to_pylist()}
    found = presented.table
    assert len(set(found[ID].to_pylist())) == len(found)
    for id, entity in zip(found[ID].to_pylist(), found[ENTITY].to_pylist(), strict=True):
        assert truth[presented.origin.get(id, id)] == entity
    assert FILE not in found.column_names
    assert found.equals(again.table) and presented.settings == again.settings


@pytest.mark.parametrize("name", ["row order", "column order", "seed", "two files"])
def test_an_order_changes_no_record(name, one_file):
    assert rows_by_id(present(name, one_file, generator()).table) == rows_by_id(one_file)


def test_headers_change_alone(one_file):
    for name in ("headers c0 to cn", "headers renamed", "headers translated"):
        found = present(name, one_file, generator()).table
        assert found.column_names != one_file.column_names
        assert found.columns == one_file.columns


def test_a_header_that_is_taken_gets_a_number():
    table = pa.table({"id": [1], "town": ["Ely"], "city": ["Ely"], "entity": ["x"]})
    found = present("headers renamed", table, generator()).table
    assert found.column_names == ["id", "town", "town_2", "entity"]


@pytest.mark.parametrize("kind", ["serial", "UUID", "hash"])
def test_a_key_is_unique(kind, two_files):
    found = present(f"key: {kind}", two_files, generator()).table
    (name,) = set(list_columns(found)) - set(list_columns(two_files))
    assert len(set(found[name].to_pylist())) == len(two_files)


@pytest.mark.parametrize("count", [1, 2, 4])
def test_idle_columns_of_which_one_is_varied(count, one_file):
    for seed in range(10):
        kinds = choose_idle(generator(seed), count)
        assert len(kinds) == count and any(kind.varied for kind in kinds.values())
        assert all(kind.for_training for kind in kinds.values())
    found = present(f"idle {count}", one_file, generator()).table
    assert found.num_columns == one_file.num_columns + count


def test_idle_values_are_independent_of_the_entity():
    assert len(IDLE) >= 10 and sum(not kind.for_training for kind in IDLE.values()) >= 4
    for kind in IDLE.values():
        values = kind.draw(generator(), 500)
        filled = [value for value in values if value is not None]
        assert len(values) == 500 and len(filled) >= 300
        assert all(isinstance(value, str) and value for value in filled)
        assert (len(set(filled)) > 0.5 * len(filled)) == kind.varied


def test_sources_are_in_a_column_or_in_files(two_files, one_file):
    found = present("source found", two_files, generator())
    assert len(found.files) == 1 and not found.settings
    by_id = {row[ID]: row[FILE] for row in two_files.to_pylist()}
    assert all(row["source"] == by_id[row[ID]] for row in found.table.to_pylist())
    stated = present("source given", two_files, generator())
    assert stated.table[stated.settings["source"]].unique().to_pylist()
    assert len(present("three files", two_files, generator()).files) == 3
    assert len(present("three files", one_file, generator()).files) == 3
    assert "two files" not in training_laws(two_files)


def test_subsets_by_entity(one_file, two_files):
    sizes = np.unique(one_file[ENTITY].to_numpy(), return_counts=True)[1]
    half = present("half of the entities", one_file, generator()).table
    kept = np.unique(half[ENTITY].to_numpy())
    assert abs(kept.size - sizes.size / 2) <= 1
    assert len(half) == sum(entity in set(kept) for entity in one_file[ENTITY].to_pylist())
    none = present("no duplicates", two_files, generator())
    assert len(none.files) == 1
    assert len(none.table) == len(set(two_files[ENTITY].to_pylist()))
    few = present("5 % of the duplicates", two_files, generator()).table
    assert len(none.table) < len(few) < 0.6 * len(two_files)
    each = present("one record of an entity and file", two_files, generator())
    for part in each.files.values():
        assert len(part) == len(set(part[ENTITY].to_pylist()))


def test_copies_are_exact(one_file):
    presented = present("exact copies of 20 %", one_file, generator())
    rows = rows_by_id(presented.table)
    assert 20 < len(presented.origin) < 100
    for copy, origin in presented.origin.items():
        assert rows[copy] | {ID: origin} == rows[origin]


@pytest.mark.parametrize("name", ["case", "accents", "whitespace"])
def test_values_change_their_form_alone(name, one_file):
    before, after = rows_by_id(one_file), rows_by_id(present(name, one_file, generator()).table)
    changed = 0
    for id, row in before.items():
        for column in list_columns(one_file):
            changed += row[column] != after[id][column]
            assert (row[column] is None) == (after[id][column] is None)
            if name == "case" and row[column]:
                assert row[column].lower() == after[id][column].lower()
            if name == "whitespace" and row[column]:
                assert row[column].split() == after[id][column].split()
    assert changed > 100


def test_names_are_reversed():
    assert reverse_name("Ann B. Lee") == "Lee, Ann B."
    assert reverse_name("Lee, Ann B.") == "Ann B. Lee"
    assert reverse_name("Ann Lee and Bob Orr") == "Lee, Ann and Orr, Bob"
    assert reverse_name("Plato") == "Plato"


def test_name_columns_are_found_by_header_and_words(one_file, two_files):
    assert find_name_columns(one_file) == ["name"]
    table = pa.table({"id": [1], "file name": ["a b"], "title": ["a b"], "name": ["Ann"]})
    assert find_name_columns(table) == []


def test_missing_values_are_compared_where_they_are_left(one_file):
    law = LAWS["30 % missing"]
    names = law.columns(one_file)
    most = max(measure_bits(one_file).items(), key=lambda item: item[1])[0]
    assert most not in names and len(names) >= 3
    presented = law.change(one_file, generator(), names[0])
    column = presented.table[names[0]]
    filled = len(one_file) - one_file[names[0]].null_count
    assert len(presented.shared) == len(column) - column.null_count
    assert 0.55 * filled < len(presented.shared) < 0.85 * filled


@pytest.mark.parametrize("count", [2, 20])
def test_an_entity_rarely_repeats_within_a_provenance(count, two_files):
    kept, values = assign_provenance(two_files, count, generator())
    sizes = np.unique(kept[ENTITY].to_numpy(), return_counts=True)[1]
    assert sizes.max() <= count
    pairs = set(zip(kept[ENTITY].to_pylist(), values, strict=True))
    assert len(pairs) >= 0.97 * len(kept)
    presented = present("provenance", two_files, generator())
    assert presented.against.settings["source"] in presented.table.column_names
    assert presented.beside.table.num_columns == presented.table.num_columns - 1


def test_training_leaves_out_a_group_and_what_is_held_out(one_file):
    assert len(GROUPS) >= 4
    names = training_laws(one_file, without="values")
    assert "idle 4" in names and "idle 4 of held-out kinds" not in names and "case" not in names


# -- generated files


@pytest.mark.parametrize("name", [name for name in BUSINESS if name.endswith("_1")])
def test_business_files_are_deterministic(name):
    table = generate_business(name, 800)
    assert table.equals(generate_business(name, 800))
    assert 500 <= len(table) <= 800
    assert table[ID].to_pylist() == list(range(len(table)))
    assert count_telling(table) >= 1
    # files of another seed differ
    assert not table.equals(generate_business(name.replace("_1", "_2"), 800))


def test_sides_with_several_records():
    for name, sides in (("chains_0", (1, 5)), ("registers_0", (5, 5)), ("seasons_0", (5, 5))):
        table = generate_business(name, 1500)
        for file, most in zip(sorted(set(table[FILE].to_pylist())), sides, strict=True):
            part = table.filter(pa.compute.equal(table[FILE], file))
            sizes = np.unique(part[ENTITY].to_numpy(), return_counts=True)[1]
            assert 1 <= sizes.max() <= most and (sizes.max() > 2) == (most > 1)


# -- agreement


def test_agreement_of_partitions():
    assert measure_agreement([1, 1, 2], [3, 3, 4]) == 1.0
    assert measure_agreement([1, 2, 3], [3, 4, 5]) == measure_agreement([], []) == 1.0
    assert measure_agreement([1, 1, 2], [3, 4, 5]) == 0.0
    counts = count_pairs([1, 1, 1, 2], [1, 1, 2, 2])
    assert counts == (1, 3, 2)
    assert counts.f1 == pytest.approx(0.4) and counts.precision == pytest.approx(1 / 3)
    assert counts.plus(counts).minus(counts) == counts


def test_shares_of_records():
    assert share_apart([1, 1, 2, 3]) == 0.75
    # the record alone in its cluster has P(alone), which contradicts no merge
    assert share_contradicted([1, 1, 2, 3], [0.4, 0.9, 0.1, 0.8]) == 0.25


def test_identical_rows_of_two_files_are_counted():
    values = np.array([[1, 2], [1, 2], [3, -1], [3, -1], [-1, -1], [-1, -1]])
    sources = np.array([0, 1, 0, 1, 0, 1])
    distinct = np.arange(6)
    assert count_unblocked(values, sources, distinct, np.array([[1, 0]])) == (1, 2)
    assert count_unblocked(values, sources, distinct, np.empty((0, 2), int)) == (2, 2)
    # rows that are one distinct record are joined without a comparison
    same = np.array([0, 0, 2, 2, 4, 5])
    assert count_unblocked(values, sources, same, np.empty((0, 2), int)) == (0, 2)
    # the second of two identical rows of one file is paired too
    more = np.array([[1, 2], [1, 2], [1, 2]])
    files = np.array([0, 0, 1])
    assert count_unblocked(more, files, np.array([0, 1, 2]), np.array([[0, 2]])) == (1, 2)


def run_of(ids, labels):
    none = np.empty((0, 3))
    return Run("ok", np.array(ids), np.array(labels), np.ones(len(ids)), none, {})


def test_copies_are_compared_with_their_originals(one_file):
    presented = present("exact copies of 20 %", one_file, generator())
    copy, origin = next(iter(presented.origin.items()))
    plain = run_of([origin, 1000], [0, 1])
    # the copy is joined to its original, as it should be; then it is not
    assert compare_runs(run_of([origin, copy, 1000], [5, 5, 6]), plain, presented) == 1.0
    assert compare_runs(run_of([origin, copy, 1000], [5, 7, 6]), plain, presented) == 0.0


# -- report and command


def row(law, data="s", telling=3, status="ok", **figures):
    facts = {"set": data, "telling": telling, "counted": True, "status": status, "seed": 0}
    usual = {
        "f1": 0.9,
        "plain_f1": 0.9,
        "range_holds": True,
        "range_width": 0.01,
        "pairs": [1, 1, 1],
    }
    usual |= {"contradicted": 0.0, "unblocked_pairs": 0, "cpu_seconds": 1.0, "apart": 1.0}
    return facts | {"law": law} | (usual if status == "ok" else {}) | figures


def test_the_report_by_law():
    rows = [
        row("seed", agreement=1.0),
        row("seed", "t", agreement=0.98),
        row("idle 2", agreement=0.9),
        row("idle 2", "list", telling=1, agreement=0.9),
        row("case", status="crashed: x"),
        row("5 % of the duplicates", pairs=[1, 1, 9]),
        row("5 % of the duplicates", pairs=[1, 3, 9]),
        row("one record of an entity and file", f1=0.95),
        row("no duplicates", apart=1.0, range_width=0.2),
    ]
    lines = {line["law"]: line for line in summarise_laws(rows)}
    assert lines["seed"]["median"] == pytest.approx(0.99) and lines["seed"]["worst_set"] == "t"
    assert lines["seed"]["met"] is True
    assert lines["idle 2"]["met"] is False and lines["idle 2"]["figure"] == AGREEMENT
    assert lines["idle 2; one telling column"]["met"] is False
    assert lines["case"]["worst"] == 0.0 and lines["case"]["failed"] == 1
    assert lines["5 % of the duplicates"]["median"] == 0.5
    assert lines["5 % of the duplicates"]["figure"] == POOLED
    assert lines["one record of an entity and file"]["worst"] == pytest.approx(-0.05)
    assert lines["one record of an entity and file"]["figure"] == LOSS
    # all records are kept apart, but the range is wide
    assert lines["no duplicates"]["worst"] == 1.0 and lines["no duplicates"]["met"] is False


def test_the_report_by_set():
    rows = [
        row("plain", records=10, near_ece=0.1),
        row("seed", agreement=0.5),
        row("case", agreement=1.0),
    ]
    (line,) = summarise_sets(rows)
    assert line["agreement_worst"] == 0.5 and line["worst_law"] == "seed"
    assert line["cpu_seconds"] == 3.0


@pytest.mark.compiled
def test_a_worker_answers_and_outlives_failures(tmp_path):
    with Worker(Limits(seconds=120)) as worker:
        assert worker.ask({"paths": ["no.csv"], "threads": 1, "seed": 0})["status"].startswith(
            "crash"
        )
        data = list_sets(quick=True)["contacts_0"]
        laws = [LAWS["row order"], LAWS["one file without source"]]
        rows = list(measure_set(data, laws, 1, True, tmp_path, worker))
    assert [row["law"] for row in rows] == ["plain", "row order"]
    assert all(row["status"] == "ok" for row in rows)
    assert rows[1]["agreement"] == 1.0 and rows[1]["f1"] == rows[0]["f1"] > 0


def test_a_law_and_a_set_that_do_not_exist():
    with pytest.raises(SystemExit, match="there is no law 'x'"):
        main(["--laws", "x"])
    with pytest.raises(SystemExit, match="there is no set 'x'"):
        main(["--sets", "x"])


def test_the_list_of_laws(capsys):
    main(["--list", "--quick", "--json"])
    assert "idle 4" in capsys.readouterr().err


def test_a_name_has_no_comma():
    """`--laws` takes names that commas separate."""
    assert not [name for name in (*LAWS, *GROUPS) if "," in name]
