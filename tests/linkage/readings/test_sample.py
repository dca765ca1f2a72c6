"""The sample of candidates: it holds whole records of every order of sources."""

import numpy as np
import pytest

from partita import read
from partita.comparison.comparisons import Comparisons
from partita.linkage.pairwise.fit import unfitted_model
from partita.linkage.pairwise.scored_pairs import ScoredPairs
from partita.linkage.readings import sample, scorers
from partita.linkage.readings.prior import load_prior

N = 40
ROWS = [{"name": f"person {k // 2} lee", "town": ["york", "bath"][k % 4 // 2]} for k in range(N)]


def sample_rows(source):
    """A sample of all pairs across sources."""
    records = read(ROWS)
    columns = [records.column(name) for name in ("name", "town")]
    comparisons = Comparisons(columns, ["full name", "category"])
    every = np.stack(np.triu_indices(N, 1), 1)
    pairs = every[source[every[:, 0]] != source[every[:, 1]]]
    scored = ScoredPairs.of(comparisons, unfitted_model(comparisons), pairs, None, source)
    return pairs, sample.sample_candidates(scored, pairs, columns, True, 1)


@pytest.mark.parametrize("source", [np.arange(N) % 2, np.arange(N) // 20, 1 - np.arange(N) % 2])
def test_half_of_the_records_are_sampled_in_any_order_of_sources(monkeypatch, source):
    monkeypatch.setattr(sample, "MAX_PAIRS_READ", 200)
    pairs, found = sample_rows(source)
    assert len(pairs) == 400 and found.share == 0.5
    chosen = np.unique(found.pairs[source[found.pairs] == 0])
    assert chosen.size == 10
    assert len(found.pairs) == chosen.size * 20


def test_labels_do_not_depend_on_the_slices(monkeypatch):
    _, found = sample_rows(np.arange(N) % 2)
    fit, _, scores = scorers.fit_prior(found, load_prior(), scorers.tabulate_features(found))
    assert (fit.score(found.pairs, found.scores.levels) == scores).all()
    whole = fit.label(found.pairs, found.scores.levels)
    monkeypatch.setattr(scorers, "SLICE", 7)
    assert (fit.label(found.pairs, found.scores.levels) == whole).all()
    assert fit.label(found.pairs[:0], found.scores.levels[:0]).size == 0


def test_a_thinned_sample_keeps_the_scores_of_its_pairs():
    _, found = sample_rows(np.arange(N) % 2)
    thin = found.thin(len(found.pairs) // 3)
    assert len(thin.pairs) <= len(found.pairs) // 3
    assert thin.share == pytest.approx(len(thin.pairs) / len(found.pairs) * found.share)
    again = thin.comparisons.levels(thin.pairs)
    assert (thin.scores.levels == again).all()
    assert found.thin(10 * len(found.pairs)).share == found.share
