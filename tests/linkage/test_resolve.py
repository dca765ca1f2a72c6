"""`resolve` from end to end: the same for the same seed, and true to what the user says."""

import numpy as np
import pyarrow as pa
import pytest

from partita.errors import InputError
from partita.linkage.notes import Severity
from partita.linkage.resolve import resolve
from partita.metrics import evaluate
from tests.linkage.made import persons, rules, two_sources

# whole files: their kernels have tests of their own, which are run as plain Python too
pytestmark = pytest.mark.compiled


@pytest.fixture(scope="module")
def table():
    return persons(300)[0]


@pytest.fixture(scope="module")
def resolved(table):
    return resolve(table, seed=7)


@pytest.mark.parametrize("threads", [1, 2])
def test_one_seed_gives_one_result(table, resolved, threads, tmp_path):
    again = resolve(table, seed=7, threads=threads)
    for name in ("labels", "p_member", "p_cluster"):
        np.testing.assert_array_equal(getattr(again, name), getattr(resolved, name))
    np.testing.assert_array_equal(again.posterior.draws, resolved.posterior.draws)
    assert again.write(tmp_path / "b.csv").read_bytes() == (
        resolved.write(tmp_path / "a.csv").read_bytes()
    )


def test_another_seed_draws_differently(table, resolved):
    other = resolve(table, seed=8)
    assert other.posterior.draws.shape == resolved.posterior.draws.shape
    assert (other.posterior.draws != resolved.posterior.draws).any()


def test_labels_are_numbered_by_first_record(resolved):
    _, first = np.unique(resolved.labels, return_index=True)
    assert (np.diff(first) > 0).all()
    assert resolved.labels[0] == 0


def test_most_people_are_found(resolved):
    truth = persons(300)[1]
    assert evaluate(resolved.labels, truth).pairwise.f1 > 0.95


def test_identical_records_share_everything(resolved):
    for distinct in np.flatnonzero(np.bincount(resolved.distinct_ids) > 1):
        rows = np.flatnonzero(resolved.distinct_ids == distinct)
        assert len({int(resolved.labels[row]) for row in rows}) == 1
        assert len({float(resolved.p_cluster[row]) for row in rows}) == 1
        ids = resolved.records.ids.take(rows[:2]).to_pylist()
        assert resolved.p_same(*ids) == 1.0
    assert (
        resolved.summary()["identical"] == len(resolved.distinct_ids) - len(resolved.first_rows) > 0
    )


def test_records_without_any_value_are_alone(table):
    rows = table.to_pylist()[:80]
    nothing = dict.fromkeys(rows[0])
    rows += [{**nothing, "unique_id": 1000 + k} for k in range(3)]
    found = resolve(rows, seed=1, draws=4)
    sizes = np.bincount(found.labels)
    assert sizes[found.labels[-3:]].tolist() == [1, 1, 1]
    assert found.p_cluster[-3:].tolist() == [1.0, 1.0, 1.0]


def test_different_records_are_alone():
    rng = np.random.default_rng(0)
    words = ["".join(rng.choice(list("abcdefghijklmnop"), 12)) for _ in range(120)]
    found = resolve([{"x": a, "y": b} for a, b in zip(words[:60], words[60:], strict=True)])
    assert found.labels.tolist() == list(range(60))
    assert (found.p_member == 1).all() and (found.p_cluster == 1).all()
    assert found.posterior is None
    # no reading finds a match, so that none confirms the number
    assert found.entity_count == (60.0, 58.0, 60.0)


def test_without_searches_only_rules_find_candidates(table):
    found = resolve(table, neighbours=0, rules=(("surname", "postcode"),), seed=1, draws=4)
    columns = {column.name: column.codes for column in found.prepared.columns}
    a, b = found.blocking.pairs.T
    assert len(a)
    for name in ("surname", "postcode"):
        assert (columns[name][a] == columns[name][b]).all()


def test_where_no_search_runs_a_few_pairs_are_compared(table):
    found = resolve(table.slice(0, 60), neighbours=0, seed=1, draws=4)
    assert len(found.blocking.pairs) == 0
    assert np.unique(found.labels).size < 60


def test_clean_sources_hold_nothing_twice():
    tables, truth = two_sources(400)
    found = resolve(tables, one_to_one=True, seed=1)
    assert found.mode == "link"
    source = found.records.sources
    for cluster in np.unique(found.labels):
        rows = np.flatnonzero(found.labels == cluster)
        assert np.unique(source[rows]).size == rows.size
    assert found.chosen_model == "pairs"
    assert evaluate(found.labels, truth).pairwise.f1 > 0.95
    flat = found.posterior.draws.reshape(-1, found.marginals.active.wide.size)
    of_open = found.prepared.source[found.marginals.active.wide]
    for draw in flat:
        keys = draw.astype(np.int64) * 2 + of_open
        assert np.unique(keys).size == keys.size


@pytest.mark.parametrize("model", ["pairs", "entities"])
def test_constraints_hold_in_every_draw(table, resolved, model):
    labels = resolved.labels
    sizes = np.bincount(labels)
    a, b = np.flatnonzero(labels == np.flatnonzero(sizes > 1)[0])[:2].tolist()
    c, d = np.flatnonzero(sizes[labels] == 1)[:2].tolist()
    ids = resolved.records.ids.to_pylist()
    ruled = rules((ids[a], ids[b], "cannot"), (ids[c], ids[d], "must"))
    found = resolve(table, constraints=ruled, model=model, seed=7, draws=6)
    assert found.labels[a] != found.labels[b]
    assert found.labels[c] == found.labels[d]
    assert found.p_same(ids[a], ids[b]) == 0.0
    assert found.p_same(ids[c], ids[d]) == 1.0


def test_the_model_of_the_settings_is_sampled(table):
    for model in ("pairs", "entities"):
        found = resolve(table.slice(0, 150), model=model, seed=1, draws=4)
        assert found.chosen_model == model
        assert found.why_model == "the settings require it"
    found = resolve(table.slice(0, 150), posterior="full", seed=1, draws=4)
    assert found.why_model == 'posterior = "full" needs the entity model'


@pytest.mark.parametrize("name", ["p_member", "Cluster_ID"])
def test_an_input_with_the_names_of_results_is_refused_before_the_work(table, name):
    with pytest.raises(InputError, match=name):
        resolve(table.append_column(name, [table.column("unique_id").combine_chunks()]))


def test_unknown_settings_are_named(table):
    with pytest.raises(InputError, match="no setting 'chain'"):
        resolve(table, chain=2)


@pytest.mark.parametrize("copies", [1, 3])
def test_identical_records_are_one_entity(copies):
    found = resolve([{"name": "Ann Lee", "town": "Ely"}] * copies, seed=1)
    assert found.labels.tolist() == [0] * copies
    assert found.p_cluster.tolist() == [1.0] * copies
    assert found.entity_count == (1.0, 1.0, 1.0)
    assert len(found.record_pairs) == 0


@pytest.mark.parametrize("one_to_one", [False, True])
def test_sources_without_a_candidate_pair_have_no_links(one_to_one):
    # the first records are all of one source, so that their pairs are no candidates
    rows = [{"name": chr(97 + k) * 5, "town": chr(110 + k) * 4, "s": "ab"[k > 3]} for k in range(8)]
    found = resolve(rows, source="s", mode="link", one_to_one=one_to_one, seed=1)
    assert len(found.blocking.pairs) == 0
    assert found.labels.tolist() == list(range(8))


def test_notes_state_what_was_linked_and_whom_they_concern():
    rows = [{"name": chr(97 + k) * 5, "town": chr(110 + k) * 4} for k in range(8)]
    found = resolve([*rows, rows[0]], seed=1)
    severities = {note.partition(";")[0]: note.severity for note in found.warnings}
    assert severities == {
        "the model could not separate matches from non-matches": Severity.UNRELIABLE,
        "no candidate pair shows some levels": Severity.VERBOSE,
    }
    assert found.warnings[0].endswith("2 of 9 records were linked, identical records included")


def test_columns_that_are_left_out_are_named_unless_the_user_decides(table):
    rows = table.append_column("count", pa.array(np.arange(table.num_rows)[::-1]))
    result = resolve(rows, seed=1)
    (note,) = [note for note in result.warnings if "'count'" in note]
    assert "because it describes the records" in note
    assert result.settings.columns["count"].role == "ignore"
    for role in ("compare", "ignore"):
        decided = resolve(rows, seed=1, columns={"count": {"role": role}})
        assert decided.settings.columns["count"].role == role
        assert not any("'count'" in note for note in decided.warnings)


@pytest.mark.parametrize("shared", [20, 60])
def test_equal_texts_of_one_column_are_linked_one_to_one(shared):
    rng = np.random.default_rng(3)
    words = ["".join(letters) for letters in rng.choice([*"abcdefghiklmnoprstu"], (400, 5))]
    texts = [" ".join(rng.choice(words, 3, replace=False)) for _ in range(400)]
    left, right = texts[: 150 + shared], texts[150:]
    files = {"a": [{"text": text} for text in left], "b": [{"text": text} for text in right]}
    result = resolve(files, one_to_one=True, seed=1)
    truth = np.array([texts.index(text) for text in (*left, *right)])
    score = evaluate(result.labels, truth).pairwise
    assert score.precision == 1.0
    assert score.recall == 1.0
