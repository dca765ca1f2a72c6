"""Chunks: every canopy once, and scores that keys left out do not change."""

import numpy as np
import pytest

from partita import Model, Partition
from partita.estimators import exact
from partita.factors import agreement, dirichlet_multinomial
from partita.proposals import move_to_entity
from partita.scale import aggregated_pairwise, dirichlet_entities, local, plan, scratch
from partita.scale.chunks import renumber
from partita.walks import compile_chain, total_score
from tests.scale.cases import CONCENTRATION, WEIGHTS, authors

pytestmark = pytest.mark.compiled


def score(model, labels):
    compiled = compile_chain(model, move_to_entity(), exact())
    return total_score(model, exact(), compiled, Partition.of(labels))


def test_every_canopy_of_two_or_more_is_in_one_chunk():
    mentions, _ = authors(2000)
    chunks = plan(mentions, 300)
    sizes = np.diff(mentions.canopy)
    assert sorted(np.concatenate(chunks)) == np.flatnonzero(sizes > 1).tolist()
    totals = [sizes[chunk].sum() for chunk in chunks]
    assert all(total <= 300 or chunk.size == 1 for total, chunk in zip(totals, chunks, strict=True))
    assert sizes[chunks[0][0]] == sizes.max()


def test_keys_of_one_mention_are_left_out_and_counted():
    mentions, _ = authors(600)
    canopies = plan(mentions, 100)[0]
    chunk = local(mentions, canopies, scratch(mentions))
    shown = np.bincount(chunk.key)
    assert shown.min() >= 2
    for row, i in enumerate(chunk.rows):
        a, b = mentions.start[i], mentions.start[i + 1]
        group = mentions.vocabulary.group[mentions.key[a:b]]
        tokens = np.bincount(group, mentions.count[a:b], chunk.own.shape[1])
        assert np.array_equal(chunk.own[row], tokens)
        kept = chunk.origin[chunk.key[chunk.start[row] : chunk.start[row + 1]]]
        assert set(kept) <= set(mentions.key[a:b].tolist())
        assert (np.diff(chunk.key[chunk.start[row] : chunk.start[row + 1]]) > 0).all()


def test_scratch_is_left_clean():
    mentions, _ = authors(600)
    room = scratch(mentions)
    for canopies in plan(mentions, 100):
        local(mentions, canopies, room)
    assert not room.seen.any()
    assert (room.number == -1).all()
    assert renumber is not None


def dense(mentions, rows, group, weigh):
    """The rows of one group as a matrix; counts by idf over their norm if asked."""
    words = mentions.vocabulary
    low, high = words.edges[group], words.edges[group + 1]
    out = np.zeros((rows.size, high - low))
    for place, i in enumerate(rows):
        for q in range(mentions.start[i], mentions.start[i + 1]):
            if low <= mentions.key[q] < high:
                rare = words.idf()[mentions.key[q]] if weigh else 1.0
                out[place, mentions.key[q] - low] = mentions.count[q] * rare
    norm = np.sqrt((out**2).sum(1, keepdims=True))
    return out / np.where(norm > 0, norm, 1.0) if weigh else out


def first_chunk(n=300):
    mentions, _ = authors(n)
    canopies = plan(mentions, 1)[0]
    return mentions, local(mentions, canopies, scratch(mentions))


def column(mentions, rows, group):
    full = dense(mentions, rows, group, False)
    return np.where(full.any(1), full.argmax(1), -1)


def test_aggregated_pairwise_is_agreement_on_all_keys():
    mentions, chunk = first_chunk()
    names = mentions.vocabulary.names
    columns = {names[g]: column(mentions, chunk.rows, g) for g in range(3)}
    bags = {names[g]: dense(mentions, chunk.rows, g, True) for g in range(3, 6)}
    full = Model(agreement(columns, bags))
    full.set_weights({f"agreement.{name}": value for name, value in WEIGHTS.items()})
    method = aggregated_pairwise(mentions.vocabulary, WEIGHTS)
    labels = np.random.default_rng(3).integers(0, 4, chunk.size)
    assert score(method.model(chunk), labels) == pytest.approx(score(full, labels), rel=1e-5)


def test_dirichlet_entities_differ_from_all_keys_by_a_constant():
    mentions, chunk = first_chunk()
    words = mentions.vocabulary
    few = {name: CONCENTRATION[name] for name in words.names}
    bags = {words.names[g]: dense(mentions, chunk.rows, g, False) for g in range(6)}
    full = Model(dirichlet_multinomial({}, bags, concentration=few))
    base = words.base() * np.array([few[name] for name in words.names])[words.group]
    prior = np.concatenate([base[a:b] for a, b in zip(words.edges, words.edges[1:], strict=False)])
    table = full.templates[0].table
    full.templates[0].table.prior[:] = prior[: table.prior.size]
    method = dirichlet_entities(words, few)
    drawn = np.random.default_rng(3).integers(0, 4, (2, chunk.size))
    own = [score(method.model(chunk), labels) for labels in drawn]
    other = [score(full, labels) for labels in drawn]
    assert own[0] - own[1] == pytest.approx(other[0] - other[1], rel=1e-9)
