"""Factors of children and parents: true deltas of every type of move on larger forests."""

from collections import Counter

import numpy as np
import pytest

from partita.errors import InputError
from partita.factors import Model, child_parent, tree_agreement, tree_shape, tree_values
from partita.proposals import one_canopy, tree_moves
from partita.states import SPACES, Forest
from tests.laws import naive
from tests.laws.registry import Case, Subject
from tests.laws.test_delta import probe
from tests.laws.tree_cases import flat, joined, parents, shape, values

N, STEPS = 9, 1200
rng = np.random.default_rng(31)
BAG = np.round(rng.random((N, 6)) * 16) / 16 * (rng.random((N, 6)) < 0.6)
SHOWN = rng.integers(-1, 3, (N, 1))
COLUMN = rng.integers(-1, 3, N)


def kind(move):
    """Return the name of a move of HCOREF, or of its reverse."""
    if move.attribute >= 0:
        return "sample attribute"
    if move.many > 1:
        if move.source_way == 3:
            return "collapse" if move.source_at >= 0 else "merge left and collapse"
        return "gather" if move.target_at >= 0 else "part of a node leaves"
    return {0: "split right", 1: "merge left", 2: "merge up"}[move.target_way]


def everything():
    """All templates of trees in one model, and its twin."""
    groups, short = [[0, 0, 1]], [[0, 1, 0]]
    model = Model(
        tree_agreement({"a": COLUMN}, {"bag": BAG}, storage="sparse"),
        child_parent({"bag": BAG}, storage="dense"),
        tree_values(["x"], N, groups=groups, short=short),
        tree_shape(width=3),
    )
    # the twins of forests without attributes see the parents only
    bare = [
        flat(naive.agreement([COLUMN], [BAG]), N),
        parents(N, [BAG]),
    ]

    def cut(twin):
        return lambda observed: twin(observed[: 2 * N])

    twin = joined(*map(cut, bare), values(N, SHOWN, groups, short), shape(N, 3, 1))
    start = Forest.singletons(N, attributes=SHOWN, domain=[3])
    return Subject(model, twin, start)


@pytest.mark.interpreted
def test_every_kind_of_move_has_its_true_delta_on_larger_forests():
    subject = everything()
    case = Case("larger", subject, tree_moves(one_canopy(N), attributes=True))
    look, forth, _ = probe(case)
    chain = case.chain(seed=8)
    seen = Counter()
    phi = subject.phi(np.array(subject.observed(chain.state)))
    for _ in range(STEPS):
        move, _ = look(chain.rng, chain.state, chain.context, chain.proposal_table)
        change = np.concatenate([delta.change.copy() for delta in chain.context.deltas])
        forth(chain.state, chain.context, move)
        after = subject.phi(np.array(subject.observed(chain.state)))
        np.testing.assert_allclose(change, after - phi, atol=1e-9, err_msg=str(move))
        phi = after
        if move.many or move.attribute >= 0:
            seen[kind(move)] += 1
    assert len(seen) == 8, seen
    SPACES[Forest].check(chain.state)


@pytest.mark.interpreted
def test_the_paper_s_delta_misses_what_changes_above():
    state = Forest.of([0, 0, 0, 1])
    bags = {"bag": np.array([[1.0, 0], [1, 1], [0, 1], [1, 2]])}
    moves = {}
    for delta in ("true", "paper"):
        subject = Subject(Model(child_parent(bags, delta=delta)), None, state)
        look, _, _ = probe(Case(delta, subject, tree_moves(one_canopy(4))))
        chain = Case(delta, subject, tree_moves(one_canopy(4))).chain(seed=0)
        for _ in range(200):
            move, score = look(chain.rng, chain.state, chain.context, chain.proposal_table)
            if move.node == 3 and move.target == 4 and move.target_way == 1:
                moves[delta] = score
                break
    assert moves["true"] != pytest.approx(moves["paper"], abs=1e-3)


def test_bad_input_is_refused():
    with pytest.raises(InputError, match="'true' or 'paper'"):
        child_parent({"bag": BAG}, delta="rough")
    with pytest.raises(InputError, match="built for 9 mentions"):
        child_parent({"bag": BAG}).check(Forest.singletons(3))
