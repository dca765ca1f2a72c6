"""Readings: EM is kept where another reading agrees, and replaced where none does."""

import numpy as np
import pyarrow as pa
import pytest

from partita import read, resolve
from partita.linkage.readings.choice import measure_agreement
from partita.metrics import pairwise
from partita.synthetic import companies, people, places, products

# no kernels of its own: those it calls are tested as plain Python where they stand
pytestmark = pytest.mark.compiled


def f1(result, truth):
    return pairwise(result.labels, truth).f1


def generated(make, n, seed, **given):
    table = make(n, seed, **given).table()
    return table.drop_columns(["entity"]), np.asarray(table.column("entity"))


def test_agreement_is_the_f1_of_matches():
    one, other = np.array([1.0, 2.0, -1.0, -1.0]), np.array([1.0, -2.0, -1.0, 3.0])
    assert measure_agreement(one, other) == 0.5
    assert np.isnan(measure_agreement(-abs(one), -abs(other)))


def test_em_is_kept_on_people():
    data, truth = generated(people, 600, 3)
    found = resolve(data, seed=1)
    assert found.reading.name == "em" and max(found.reading.agreement.values()) >= 0.85
    assert found.reading.scorer is None and not found.record_pairs.scores.reading.any()
    assert f1(found, truth) > 0.95


@pytest.mark.compiled
def test_the_prior_agrees_on_many_people():
    # fitted to a large file, the prior takes household pairs for matches
    data, _ = generated(people, 20_000, 3)
    assert resolve(data, seed=1).reading.agreement["em-prior"] >= 0.85


def test_a_file_without_duplicates_stays_apart():
    """Cross-fitted weights find some class of pairs in any file; the prior has to share it."""
    rng, n = np.random.default_rng(4), 3000

    def names(count):
        letters = list("abcdefghiklmnoprstuvw")
        words = ["".join(rng.choice(letters, rng.integers(4, 9))) for _ in range(count)]
        return np.array(words)[rng.zipf(1.3, n) % count]

    data = {"given": names(150), "family": names(300)}
    for name, first, size in (("year", 1930, 60), ("month", 1, 12), ("day", 1, 28)):
        data[name] = (first + rng.integers(0, size, n)).astype(str)
    result = resolve(pa.table(data), seed=1)
    assert np.unique(result.labels).size > 0.99 * n
    assert result.trust.level == "disagree"


@pytest.mark.parametrize("reading", ["em", "prior", "pooled"])
def test_a_reading_can_be_required(reading):
    data, truth = generated(companies, 400, 3)
    found = resolve(data, seed=1, reading=reading)
    assert found.reading.name == reading
    assert found.reading.why == "the settings require it"
    assert f1(found, truth) > 0.6


def test_scores_state_the_adjustment_by_the_reading():
    data, _ = generated(companies, 400, 5)
    scores = resolve(data, seed=1, reading="pooled").record_pairs.scores
    parts = scores.prior + scores.columns.sum(1) + scores.term_frequency.sum(1)
    assert scores.total == pytest.approx(parts + scores.dependence + scores.reading)
    assert abs(scores.reading).max() > 1


def test_an_explanation_adds_up_to_the_score_of_the_reading():
    data, _ = generated(companies, 300, 5)
    found = resolve(data, seed=1, reading="pooled")
    pairs = found.record_pairs
    best = int(np.argmax(abs(pairs.scores.reading)))
    rows = found.names.take([pairs.left[best], pairs.right[best]]).to_pylist()
    explained = found.explain(*rows)
    assert "reading: pooled" in str(explained)
    assert sum(part.bits for part in explained.rows) == pytest.approx(
        pairs.scores.match_weight[best], abs=1e-6
    )


def test_one_text_column_is_read_by_the_prior():
    words = ["alpine", "harbour", "crystal", "meadow", "copper", "winter", "velvet", "thunder"]
    names = [f"{a} {b} ltd" for a in words for b in words if a != b]
    rows = [{"name": name} for name in (*names, "thunder velvet limited", "velvt copper ltd")]
    found = resolve(rows, seed=1)
    assert found.reading.name == "prior"
    assert "one column" in found.reading.why
    # a list of different names stays a list of different names
    assert np.unique(found.labels).size >= len(names) - 4


def test_two_shops_hold_hardly_any_duplicates():
    table = products(800, 4, sources=2).table()
    truth = np.asarray(table.column("entity"))
    shops = {
        name: table.filter(np.asarray(table.column("source")) == name).drop_columns(
            ["entity", "source", "unique_id"]
        )
        for name in ("a", "b")
    }
    order = np.argsort(np.asarray(table.column("source")), kind="stable")
    found = resolve(shops, seed=1)
    assert found.mode == "both" and found.scored.rates.further.max() < 0.1
    assert np.mean(np.bincount(found.labels) > 2) < 0.01
    assert "--one-to-one" in found.why_mode
    assert f1(found, truth[order]) > 0.5


def test_the_prior_alone_scores_links_where_second_best_candidates_give_its_zero():
    data, truth = generated(places, 3000, 21, sources=2)
    names = np.asarray(data.column("source"))
    files = {name: data.filter(names == name).drop_columns(["source"]) for name in ("a", "b")}
    truth = truth[np.argsort(names, kind="stable")]
    found = resolve(files, id="unique_id", seed=1)
    assert found.reading.name == "prior" and "second-best candidates" in found.reading.why
    assert found.reading.scorer.prior.zero != 0 and found.reading.scorer.columns is None
    pooled = resolve(files, id="unique_id", seed=1, reading="pooled")
    assert pooled.reading.scorer.columns is not None
    assert f1(found, truth) > max(0.85, f1(pooled, truth))


def test_the_choice_is_reproducible():
    data, _ = generated(companies, 300, 7)
    one, other = (resolve(read(data), seed=2) for _ in range(2))
    assert one.reading.name == other.reading.name
    assert (one.labels == other.labels).all() and (one.p_member == other.p_member).all()
