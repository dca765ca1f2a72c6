import numpy as np
import pytest

from partita.errors import InputError
from partita.metrics.ranking import (
    Ranking,
    average_precision,
    mean_average_precision,
    rank_answers,
)


def naive(scores, truth):
    """Precision at each threshold times the recall gained there."""
    total, before = 0.0, 0.0
    for threshold in sorted(set(scores), reverse=True):
        chosen = scores >= threshold
        recall = (truth & chosen).sum() / truth.sum()
        total += (truth & chosen).sum() / chosen.sum() * (recall - before)
        before = recall
    return total


@pytest.mark.parametrize("seed", range(5))
def test_average_precision_equals_the_definition(seed):
    rng = np.random.default_rng(seed)
    scores, truth = rng.integers(0, 6, 30) / 5, rng.random(30) < 0.4
    assert average_precision(scores, truth) == pytest.approx(naive(scores, truth))
    order = rng.permutation(30)
    assert average_precision(scores[order], truth[order]) == average_precision(scores, truth)


def test_perfect_worst_and_empty():
    assert average_precision([3, 2, 1], [1, 1, 0]) == 1.0
    assert average_precision([3, 2, 1], [0, 0, 1]) == pytest.approx(1 / 3)
    assert average_precision([1, 2], [0, 0]) == 0.0


def test_means_over_groups():
    scores, truth, groups = [3, 2, 1, 3, 2], [1, 1, 0, 0, 1], list("aaabb")
    assert mean_average_precision(scores, truth, groups) == pytest.approx(0.75)
    weighted = mean_average_precision(scores, truth, groups, weighted=True)
    assert weighted == pytest.approx(5 / 6)


def test_ranks_are_filtered_and_ties_are_halved():
    scores = np.array([5.0, 4.0, 4.0, 3.0])
    assert rank_answers(scores, 3) == 4
    assert rank_answers(scores, 3, [0, 1, 3]) == 2
    assert rank_answers(scores, 1) == 2.5
    found = Ranking.of([1, 2, 4])
    assert found.mrr == pytest.approx((1 + 0.5 + 0.25) / 3)
    assert (found.hits_1, found.hits_3, found.hits_10) == pytest.approx((1 / 3, 2 / 3, 1.0))


def test_bad_input():
    with pytest.raises(InputError, match="one finite number"):
        average_precision([1.0, np.nan], [1, 0])
    with pytest.raises(InputError, match="at least one rank"):
        Ranking.of([])
