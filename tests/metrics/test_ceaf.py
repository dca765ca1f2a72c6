"""The best alignment against all alignments, sparse against dense, and Luo's table."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.metrics import ceaf, ceaf_e, ceaf_m
from tests.metrics import naive
from tests.metrics.partitions import LUO, LUO_TRUTH


@pytest.mark.parametrize(("answer", "f1"), [("a", 0.733), ("b", 0.667), ("c", 0.294), ("d", 0.178)])
def test_table_1_of_luo_2005(answer, f1):
    assert round(ceaf_e(list(LUO[answer]), list(LUO_TRUTH)).f1, 3) == f1


@st.composite
def bipartite(draw):
    """A gain for each cell of a table, many of them 0, ties wanted."""
    shape = draw(st.tuples(st.integers(1, 6), st.integers(1, 6)))
    cells = st.lists(st.integers(0, 5), min_size=shape[0] * shape[1], max_size=shape[0] * shape[1])
    return np.reshape(draw(cells), shape)


def edges(gain):
    rows, columns = np.nonzero(gain)
    return rows, columns, gain[rows, columns] / 5


@given(bipartite())
def test_best_alignment(gain):
    expected = float(naive.best_alignment(gain.tolist())) / 5
    assert ceaf.best_alignment(*edges(gain)) == pytest.approx(expected)


@given(bipartite())
def test_each_way_alone(gain):
    # nothing settled beforehand, and all parts sparse or all dense
    expected = float(naive.best_alignment(gain.tolist())) / 5
    for largest in (0, 10**6):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(ceaf, "MIN_SETTLED_SHARE", 2.0)
            patch.setattr(ceaf, "MAX_DENSE_CELLS", largest)
            assert ceaf.best_alignment(*edges(gain)) == pytest.approx(expected)


def test_sparse_equals_dense_on_a_giant_component(monkeypatch):
    rng = np.random.default_rng(5)
    found, truth = rng.integers(0, 300, 1000), rng.integers(0, 300, 1000)
    dense = ceaf_e(found, truth)
    monkeypatch.setattr(ceaf, "MAX_DENSE_CELLS", 0)
    assert ceaf_e(found, truth).f1 == pytest.approx(dense.f1, rel=1e-12)


def test_a_chain_is_not_settled_edge_by_edge(monkeypatch):
    # weights fall along a path, so that each round settles one edge only
    n = 200
    rows, columns = np.repeat(np.arange(n), 2)[:-1], np.repeat(np.arange(n), 2)[1:]
    weight = np.linspace(1, 0.9, len(rows))
    rounds = []
    sure = ceaf._select_certain
    monkeypatch.setattr(ceaf, "_select_certain", lambda *edge: rounds.append(1) or sure(*edge))
    found = ceaf.best_alignment(rows, columns, weight)
    assert len(rounds) < 10
    assert found == pytest.approx(weight[::2].sum())


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=12))
def test_ceaf_m_is_the_share_of_records_in_aligned_entities(pairs):
    found, truth = (list(labels) for labels in zip(*pairs, strict=True))
    gain = np.zeros((5, 5), int)
    np.add.at(gain, (found, truth), 1)
    expected = float(naive.best_alignment(gain.tolist())) / len(pairs)
    assert ceaf_m(found, truth).f1 == pytest.approx(expected)


def test_ceaf_m_of_luo_answers_by_hand():
    # one entity holds all twelve records: five of them align with the largest true entity
    assert ceaf_m([0] * 12, list(LUO_TRUTH)).f1 == pytest.approx(5 / 12)
