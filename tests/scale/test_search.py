"""The search finds the entities, and the same ones for any division into parts."""

from dataclasses import replace

import numpy as np
import pytest

from partita import Partition
from partita.errors import InputError
from partita.metrics import pairwise
from partita.scale import (
    Settings,
    aggregated_pairwise,
    dirichlet_entities,
    hill_climbing,
    plan,
    search,
)
from partita.states.partition import canonical
from tests.scale.cases import CONCENTRATION, WEIGHTS, authors

pytestmark = pytest.mark.compiled

SHORT = Settings(temperatures=(0.3, 0.3), chunk=500)


@pytest.fixture(scope="module")
def data():
    return authors(4000)


@pytest.fixture(scope="module")
def method(data):
    return dirichlet_entities(data[0].vocabulary, CONCENTRATION)


@pytest.fixture(scope="module")
def found(data, method):
    return search(data[0], method, SHORT)


def test_entities_are_found_within_canopies(data, found):
    mentions, truth = data
    assert pairwise(found.labels, truth).f1 > 0.85
    canopy = np.repeat(np.arange(mentions.canopy.size - 1), np.diff(mentions.canopy))
    assert np.array_equal(canopy, canopy[found.labels])
    assert (found.labels <= np.arange(mentions.size)).all()
    assert np.array_equal(found.labels[found.labels], found.labels)
    assert found.notes == ()


def test_pairwise_finds_them_too(data):
    mentions, truth = data
    method = aggregated_pairwise(mentions.vocabulary, WEIGHTS, cost=-2.0)
    assert pairwise(search(mentions, method, SHORT).labels, truth).f1 > 0.85


def test_anchored_splits_take_apart_what_was_joined(data):
    mentions, truth = data
    method = dirichlet_entities(
        mentions.vocabulary, CONCENTRATION, proposal=hill_climbing(0.0, 0.0, splits=0.2)
    )
    joined = replace(method, start=lambda chunk: Partition.of(chunk.canopies.canopy))
    canopy = np.repeat(np.arange(mentions.canopy.size - 1), np.diff(mentions.canopy))
    before = pairwise(canopy, truth).precision
    after = pairwise(search(mentions, joined, SHORT).labels, truth)
    assert after.precision > max(0.9, before + 0.2)
    assert after.recall > 0.3


def test_threads_and_shards_change_nothing(data, method, found):
    mentions, _ = data
    two = search(mentions, method, Settings(temperatures=(0.3, 0.3), chunk=500, threads=3))
    assert np.array_equal(found.labels, two.labels)
    chunks = list(enumerate(plan(mentions, 500)))
    joined = np.arange(mentions.size)
    for part in (chunks[1::2], chunks[::2]):
        own = search(mentions, method, SHORT, chunks=part).labels
        joined = np.where(own != np.arange(mentions.size), own, joined)
    assert np.array_equal(found.labels, joined)


def test_seeds_differ(data, method, found):
    other = search(data[0], method, Settings(temperatures=(0.3, 0.3), chunk=500, seed=1))
    assert not np.array_equal(other.labels, found.labels)


def test_watch_sees_every_chunk_once(data, method, found):
    seen, labels = [], np.arange(4000)

    def watch(done):
        seen.append(done.number)
        labels[done.rows] = done.labels

    search(data[0], method, SHORT, watch=watch)
    assert sorted(seen) == list(range(found.chunks))
    assert np.array_equal(labels, found.labels)


def test_a_canopy_above_the_limit_is_cut_with_a_message(data, method, caplog):
    mentions, truth = data
    whole = mentions._replace(canopy=np.array([0, mentions.size]))
    ended = search(whole, method, Settings(temperatures=(0.3,), largest=400))
    assert len(ended.notes) == 1
    assert "4,000 mentions" in ended.notes[0]
    assert "narrower canopies" in caplog.text
    assert np.bincount(canonical(ended.labels)).max() <= 400
    assert np.array_equal(ended.labels[ended.labels], ended.labels)
    assert pairwise(ended.labels, truth).precision > 0.1


def test_nothing_to_find():
    mentions, _ = authors(100)
    alone = mentions._replace(canopy=np.arange(101))
    method = dirichlet_entities(mentions.vocabulary, CONCENTRATION)
    assert np.array_equal(search(alone, method).labels, np.arange(100))


def test_bad_settings(data, method):
    with pytest.raises(InputError, match="threads"):
        search(data[0], method, Settings(threads=0))
