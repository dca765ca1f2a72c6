"""Bounds on scores: they prune pairs that cannot match, and no others."""

import numpy as np
import pytest

from partita.linkage.pairwise import pruning as bounds
from partita.linkage.pairwise.pruning import score_above
from partita.linkage.resolve import resolve
from tests.linkage.made import persons


@pytest.fixture(scope="module")
def scored():
    return resolve(persons(150)[0], seed=1, draws=4).scored


def everything(n):
    return np.stack(np.triu_indices(n, 1), axis=1)


@pytest.mark.parametrize("least", [-25.0, -6.0, 0.0, 5.0])
@pytest.mark.parametrize("known", [False, True])
def test_pairs_above_the_least_are_those_of_scoring_everything(scored, least, known, monkeypatch):
    monkeypatch.setattr(bounds, "SLICE", 1000)
    pairs, model = everything(scored.n), scored.model
    whole = model.score(scored.comparisons, pairs)
    levels = whole.levels if known else None
    found = list(score_above(model, scored.comparisons, pairs, least, levels))
    place = np.concatenate([one for one, _ in found])
    np.testing.assert_array_equal(place, np.flatnonzero(whole.total > least))
    total = np.concatenate([one.total for _, one in found])
    np.testing.assert_allclose(total, whole.total[place], rtol=1e-12)
    assert 0 < len(place) < len(pairs)


def test_most_pairs_are_not_compared_in_every_column(scored, monkeypatch):
    pairs, made = everything(scored.n), scored.comparisons
    compared = []
    for column in made.columns:
        levels = column.levels
        monkeypatch.setattr(
            column, "levels", lambda some, levels=levels: compared.append(len(some)) or levels(some)
        )
    list(score_above(scored.model, made, pairs, -6.0))
    assert sum(compared) < 0.8 * len(pairs) * len(made.columns)
