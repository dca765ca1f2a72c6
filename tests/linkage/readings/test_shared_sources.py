"""Records of one source: different entities where the most similar pairs lie across sources."""

import numpy as np
import pytest

from partita import resolve
from partita.linkage.readings.shared_sources import (
    are_sources_apart,
    collect_sources,
    share_source,
)
from partita.linkage.supervision.trained_model import load_model
from partita.metrics import pairwise

# no kernels of its own: those it calls are tested as plain Python where they stand
pytestmark = pytest.mark.compiled

LAST = ["salamander", "cavefish", "murrelet", "warbler", "tortoise", "sturgeon", "chipmunk"]


def two_lists(seed=1):
    """A list of names in pairs of similar ones, and one of some of them in the other order."""
    rng = np.random.default_rng(seed)
    letters = list("abdeghiklmnoprstuvw")
    words = ["".join(rng.choice(letters, 7)) for _ in range(150)]
    twins = [f"{word}{end}" for word in words for end in ("us", "um")]
    names = [(word, LAST[k // 2 % len(LAST)]) for k, word in enumerate(twins)]
    first = [{"list": "one", "name": " ".join(name), "truth": k} for k, name in enumerate(names)]
    second = [
        {"list": "two", "name": f"{last}, {word}", "truth": k}
        for k, (word, last) in enumerate(names)
        if k % 3 == 0
    ]
    rows = [*first, *second, first[0]]
    return [rows[k] for k in rng.permutation(len(rows))]


def test_a_record_of_several_rows_has_the_sources_of_all():
    sets = collect_sources(np.array([0, 1, 1, 2]), np.array([0, 0, 1, 2]), 3)
    assert sets.tolist() == [3, 2, 4]
    pairs = np.array([[0, 1], [0, 2], [1, 2], [1, 1]])
    assert share_source(sets, pairs).tolist() == [True, False, False, False]
    assert collect_sources(np.array([0, 10]), np.array([0, 1]), 2) is None


@pytest.mark.parametrize(("share", "apart"), [(0.0, True), (0.5, False), (0.9, False)])
def test_the_likeliest_pairs_decide(share, apart):
    rng, n = np.random.default_rng(3), 400
    sets = np.where(np.arange(n) % 2, 2, 1)
    left = rng.integers(0, n // 2, 2000) * 2
    is_within = np.arange(2000) % 100 < 100 * share
    right = (left + np.where(is_within, 2, 1)) % n
    labels = rng.permutation(np.linspace(-8, 8, 2000))
    assert are_sources_apart(sets, np.stack([left, right], 1), labels) == apart


def test_few_pairs_and_a_single_source_decide_nothing():
    pairs = np.array([[0, 1]])
    assert not are_sources_apart(np.array([1, 2]), pairs, np.array([3.0]))
    many = np.stack(np.triu_indices(20, 1), 1)
    assert not are_sources_apart(np.ones(20, np.int64), many, np.arange(len(many), dtype=float))


@pytest.fixture(scope="module")
def lists():
    rows = two_lists()
    data = [{key: row[key] for key in ("list", "name")} for row in rows]
    return data, np.array([row["truth"] for row in rows])


def test_similar_names_of_one_list_stay_apart(lists):
    data, truth = lists
    # names stay whole: by words, EM finds the similar names of one list
    result = resolve(data, source="list", seed=1)
    assert result.mode == "both" and result.reading.name == "prior"
    assert result.reading.scorer.prior.source_sets is not None
    # equal names of one list are one entity
    assert pairwise(result.labels, truth).f1 > 0.9
    one = resolve(data, ignore=["list"], seed=1, reading="prior")
    assert pairwise(one.labels, truth).f1 < pairwise(result.labels, truth).f1


def test_a_saved_model_keeps_the_records_of_a_list_apart(lists, tmp_path):
    data, _ = lists
    result = resolve(data, source="list", seed=1, reading="prior")
    result.save_model(tmp_path / "model.json")
    again = resolve(data, source="list", seed=1, model=load_model(tmp_path / "model.json"))
    assert again.reading.scorer.prior.source_sets is not None
    assert (again.labels == result.labels).mean() > 0.99


def test_random_halves_may_hold_duplicates(lists):
    data, _ = lists
    halves = np.random.default_rng(2).integers(0, 2, len(data))
    rows = [{**row, "list": "ab"[half]} for row, half in zip(data, halves, strict=True)]
    result = resolve(rows, source="list", seed=1, reading="prior")
    assert result.reading.scorer.prior.source_sets is None
