"""Each pair of names has a share of matches of its own."""

import numpy as np
import pytest

from partita import resolve
from partita.linkage.authors.name_shares import estimate_name_odds, group_by_names
from partita.linkage.pairwise.pruning import score_above
from partita.synthetic import authors


def group(codes, level):
    return group_by_names(np.array(codes), 4, np.array(level, np.int8))


def test_different_names_are_no_evidence_for_a_match():
    level = np.array([0, 0, 2, 2], np.int8)
    groups = group([[0, 0], [0, 0], [1, 2], [1, 2]], level)
    odds, _ = estimate_name_odds(groups, level, np.full(4, 0.9), 4)
    assert odds[-1] <= 0.0
    # no candidate has the second level
    assert odds[1] == odds[0] > 0.0


def test_two_pairs_of_names_of_one_level_have_their_own_shares():
    level = np.full(20_000, 1, np.int8)
    groups = group([[0, 1]] * 10_000 + [[2, 3]] * 10_000, level)
    q = np.repeat([0.99, 0.01], 10_000)
    odds, extra = estimate_name_odds(groups, level, q, 3)
    assert abs(odds[1]) < 1e-9
    assert extra[0] > 2.0
    assert extra[1] < -2.0


def test_few_records_are_drawn_to_the_share_of_their_level():
    level = np.zeros(40, np.int8)
    groups = group([[0, 0]] * 39 + [[1, 1]], level)
    q = np.append(np.full(39, 0.9), 0.1)
    _, extra = estimate_name_odds(groups, level, q, 2)
    # one pair is little evidence
    assert abs(extra[1]) < 0.5


def test_values_of_pairs_of_names_ignore_their_order():
    groups = group([[0, 1], [2, 1], [3, 3]], [1, 2, 0])
    values = np.array([1.5, -2.0, 0.7])
    unequal = groups.list_unequal(values)
    assert unequal.find(np.array([[1, 0], [1, 2], [0, 3], [3, 3], [-1, 0]])).tolist() == [
        *(1.5, -2.0),
        *(0.0, 0.0, 0.0),
    ]
    assert unequal.largest().tolist() == [1.5, 1.5, 0.0, 0.0]
    assert groups.list_equal(values).tolist() == [0.0, 0.0, 0.0, 0.7]


@pytest.mark.compiled
def test_pruning_keeps_every_pair_above_the_bound():
    table = authors(400, seed=5, truth=None).table().drop_columns(["mention_id"])
    result = resolve(table, seed=1, threads=1, draws=20)
    scored, pairs = result.scored, result.blocking.pairs.astype(np.int64)
    total = scored.model.score(scored.comparisons, pairs).total
    for least in (0.0, 3.0):
        parts = [place for place, _ in score_above(scored.model, scored.comparisons, pairs, least)]
        kept = np.sort(np.concatenate(parts))
        assert kept.tolist() == np.flatnonzero(total > least).tolist()
        assert 0 < kept.size < total.size
