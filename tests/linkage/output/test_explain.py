"""Explanations add up to the scores that they explain."""

import json

import numpy as np
import pytest

from partita.errors import InputError
from partita.linkage.output.explain import explain
from partita.linkage.pairwise.model import LN2
from partita.linkage.pairwise.scored_pairs import UNSEEN
from partita.linkage.resolve import resolve
from partita.synthetic import people

# whole files: their kernels have tests of their own, which are run as plain Python too
pytestmark = pytest.mark.compiled


def resolved(model, **more):
    table = people(300, seed=5).table()
    return resolve(table, ignore=("entity",), seed=2, model=model, **more)


@pytest.fixture(scope="module")
def by_entities():
    return resolved("entities")


@pytest.fixture(scope="module")
def by_pairs():
    return resolved("pairs")


def ids(resolution, *rows):
    return [resolution.records.ids[int(row)].as_py() for row in rows]


def some_pair(resolution, together):
    """Ids of compared records that are, or are not, in one cluster."""
    pairs, labels = resolution.record_pairs, resolution.labels
    same = labels[pairs.left] == labels[pairs.right]
    least = resolution.scored.linked() if not together else same
    k = np.flatnonzero((same == together) & least)[0]
    return ids(resolution, pairs.left[k], pairs.right[k])


@pytest.mark.parametrize("together", [True, False])
def test_the_text_has_each_step_and_the_total(by_entities, together):
    explanation = explain(by_entities, *some_pair(by_entities, together))
    first, header, *steps, total = str(explanation).splitlines()
    assert ("one entity" if together else "two entities") in first
    assert header.split()[0] == "column" and header.split()[-2:] == ["level", "bits"]
    assert len(steps) == len(explanation.rows)
    for line, row in zip(steps, explanation.rows, strict=True):
        assert line.startswith(row.label) and line.endswith(f"{row.bits:+.1f}")
        assert all(text in line for text in (row.left, row.right, row.level) if text)
    assert total.startswith("match weight")
    assert total.endswith(f"{explanation.match_weight:+.1f}")
    assert len({len(line) for line in (header, *steps, total)}) == 1


@pytest.mark.parametrize("together", [True, False])
def test_the_waterfall_of_a_pair_sums_to_its_match_weight(by_entities, together):
    one, other = some_pair(by_entities, together)
    found = explain(by_entities, one, other)
    assert found.together == together and found.compared and not found.identical
    assert sum(row.bits for row in found.rows) == pytest.approx(found.match_weight)
    assert found.match_probability == pytest.approx(1 / (1 + 2**-found.match_weight))
    assert [row.label for row in found.rows[1:10]] == by_entities.pair_model.names
    assert found.p_same == by_entities.p_same(one, other)
    rows = [by_entities.row(one), by_entities.row(other)]
    for row in found.rows[1:10]:
        table = by_entities.records.table
        assert [row.left, row.right] == table.column(row.label).take(rows).to_pylist()
        assert (row.level == "missing") == (row.left is None or row.right is None)


def brute(resolution, members, record):
    """The sum of S over pairs of a record with others, by the pairs that were compared."""
    pairs, total = resolution.scored.pairs, resolution.scored.scores.total
    known = {tuple(pair): score for pair, score in zip(pairs.tolist(), total, strict=True)}
    return sum(known.get((min(m, record), max(m, record)), UNSEEN) for m in members)


@pytest.mark.parametrize("together", [True, False])
def test_the_entity_level_is_the_change_of_the_pair_model(by_pairs, together):
    one, other = some_pair(by_pairs, together)
    found = explain(by_pairs, one, other)
    a, b = by_pairs.distinct_ids[[by_pairs.row(one), by_pairs.row(other)]].tolist()
    labels = by_pairs.labels[by_pairs.first_rows]
    beside = np.flatnonzero(labels == labels[a])
    expected = brute(by_pairs, beside[beside != b].tolist(), b)
    if not together:
        own = np.flatnonzero(labels == labels[b])
        expected -= brute(by_pairs, own[own != b].tolist(), b)
    assert found.entity_weight == pytest.approx(expected / LN2)
    assert "cluster" in found.entity_question


def test_the_entity_level_has_a_row_for_each_field(by_entities):
    labels = by_entities.labels[by_entities.first_rows]
    two = np.flatnonzero(np.bincount(labels) == 2)[0]
    pair = ids(by_entities, *by_entities.first_rows[np.flatnonzero(labels == two)])
    found, back = explain(by_entities, *pair), explain(by_entities, *reversed(pair))
    names = [row.label for row in found.entity_rows]
    assert names == [*by_entities.pair_model.names, "size"]
    # of two records it does not matter which one leaves
    for one, other in zip(found.entity_rows, back.entity_rows, strict=True):
        assert one.bits == pytest.approx(other.bits, abs=1e-9)
    assert found.entity_weight > 0


def test_everything_goes_to_json(by_entities):
    found = explain(by_entities, *some_pair(by_entities, together=True))
    saved = json.loads(json.dumps(found.as_dict()))
    assert saved["rows"][1]["label"] == "given_name"
    assert saved["entity_weight"] == pytest.approx(found.entity_weight)


def test_identical_records_were_collapsed(by_entities):
    twice = np.flatnonzero(np.bincount(by_entities.distinct_ids) > 1)[0]
    rows = np.flatnonzero(by_entities.distinct_ids == twice)[:2]
    found = explain(by_entities, *ids(by_entities, *rows))
    assert found.identical and found.together and found.p_same == 1.0
    assert found.entity_rows == []


def test_records_that_were_never_compared(by_entities):
    closed = np.setdiff1d(np.arange(by_entities.first_rows.size), by_entities.marginals.active.wide)
    pair = ids(by_entities, by_entities.first_rows[closed[0]], by_entities.first_rows[closed[-1]])
    found = explain(by_entities, *pair)
    assert not found.compared and not found.together and found.p_same == 0.0
    assert found.match_weight < 0 and found.entity_rows == []
    assert "not sampled" in found.entity_question


def test_wrong_ids_are_refused(by_entities):
    (one,) = ids(by_entities, 0)
    with pytest.raises(InputError, match="both records are"):
        explain(by_entities, one, one)
    with pytest.raises(InputError, match="there is no record 'x9'"):
        explain(by_entities, one, "x9")


def test_constraints_are_named_and_obeyed(by_pairs):
    one, other = some_pair(by_pairs, together=True)
    inactive = np.flatnonzero(by_pairs.marginals.active.narrow < 0)
    far = ids(by_pairs, by_pairs.first_rows[inactive[0]])
    sure = {"id_l": one, "id_r": other, "constraint": "cannot", "weight": None}
    soft = {"id_l": one, "id_r": far[0], "constraint": "must", "weight": 2 * LN2}
    ruled = resolved("pairs", constraints=[sure, soft])
    apart, drawn = explain(ruled, one, other), explain(ruled, one, far[0])
    assert not apart.together and apart.p_same == 0.0
    assert apart.constraints == ["the two cannot be one entity, hard constraint"]
    assert next(row.bits for row in apart.entity_rows if row.label == "constraints") < -1e4
    assert drawn.constraints == ["the two must be one entity, constraint of 2.0 bits"]
    gained = [row.bits for row in drawn.entity_rows if row.label == "constraints"]
    assert gained == pytest.approx([2.0])


def test_another_reading_is_a_step_of_the_waterfall():
    found = resolved("auto", reading="pooled", draws=10)
    weights = found.record_pairs.scores.match_weight
    for k in np.linspace(0, weights.size - 1, 5).astype(int):
        pair = ids(found, found.record_pairs.left[k], found.record_pairs.right[k])
        explanation = explain(found, *pair)
        assert explanation.rows[-1].label == "reading: pooled"
        assert explanation.match_weight == pytest.approx(weights[k])
        assert sum(row.bits for row in explanation.rows) == pytest.approx(weights[k])
