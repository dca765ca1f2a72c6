"""The collapsed link factor: its scores on small cases and its checks."""

import numpy as np
import pytest
import scipy

from partita.errors import InputError
from partita.estimators import exact
from partita.factors import Model, collapsed_link
from partita.proposals import move_to_entity
from partita.states import Partition
from partita.walks import compile_chain, total_statistics


def score(template, labels):
    model = Model(template)
    compiled = compile_chain(model, move_to_entity(), exact())
    return float(total_statistics(model, exact(), compiled, Partition.of(np.array(labels)))[0])


def sparse(cells, shape):
    rows, columns, values = zip(*cells, strict=True)
    return scipy.sparse.csr_array((values, (rows, columns)), shape=shape)


def test_one_candidate_that_fits_all_is_a_constant():
    scores = sparse([(m, 0, 0.0) for m in range(4)], (4, 1))
    template = collapsed_link(scores, [0.5], 0.5)
    values = [score(template, labels) for labels in ([0, 1, 2, 3], [0, 0, 0, 0], [0, 0, 1, 1])]
    assert values == pytest.approx([values[0]] * 3)


def test_a_mention_without_candidates_changes_nothing():
    scores = sparse([(0, 0, 3.0), (1, 1, 2.0)], (3, 2))
    template = collapsed_link(scores, [0.3, 0.2], 0.5)
    assert score(template, [0, 1, 0]) == pytest.approx(score(template, [0, 1, 2]))


def test_a_shared_candidate_favours_one_entity():
    scores = sparse([(0, 0, 6.0), (1, 0, 6.0), (2, 1, 6.0)], (3, 2))
    template = collapsed_link(scores, [0.01, 0.01], 0.98)
    assert score(template, [0, 0, 1]) > score(template, [0, 1, 2]) > score(template, [0, 1, 0])


def test_groups_have_their_own_priors():
    """Two documents, one candidate each: scores are those of each document by itself."""
    both = collapsed_link(
        sparse([(0, 0, 2.0), (1, 1, 3.0)], (2, 2)), [0.4, 0.4], 0.6, groups=[0, 1]
    )
    singles = [
        score(collapsed_link(sparse([(0, 0, value)], (1, 1)), [0.4], 0.6), [0])
        for value in (2.0, 3.0)
    ]
    assert score(both, [0, 1]) == pytest.approx(sum(singles))
    with pytest.raises(InputError, match="whose sum is 1"):
        collapsed_link(sparse([(0, 0, 2.0)], (2, 2)), [0.4, 0.4], 0.6)


def test_bad_input_is_refused():
    scores = sparse([(0, 0, 1.0)], (2, 2))
    for call, text in (
        (lambda: collapsed_link(scores, [0.5], 0.5), "give one each"),
        (lambda: collapsed_link(scores, [0.5, 0.4], 0.5), "whose sum is 1"),
        (lambda: collapsed_link([[1.0]], [0.5], 0.5), "sparse matrix"),
    ):
        with pytest.raises(InputError, match=text):
            call()
