"""Delta equals the difference of the twin's statistics; commit keeps caches; undo restores."""

import numpy as np
import pytest

from partita.estimators import exact
from partita.kernel import clear, dump, entry, record
from partita.states import Forest, Partition
from partita.walks import Chain, build_engine, total_score, total_statistics
from tests.laws.registry import case_parameters, compiled_once

STEPS = 60


def probe(case):
    """Compiled access to one proposed move: its score, its change, and apply / undo."""
    engine, _ = build_engine(case.subject.model, exact())
    propose = case.proposal.bind(engine)
    estimate, apply, undo = engine.exact, engine.apply, engine.undo
    commit, reverse, idle = engine.commit, engine.reverse, engine.idle

    @entry
    def look(rng, state, context, proposal_table):
        move, _ = propose(rng, proposal_table, state, context, 1.0)
        for delta in context.deltas:
            clear(delta)
            record(delta, 1)
        score = 0.0 if idle(move) else estimate(rng, context, state, move)
        for delta in context.deltas:
            record(delta, 0)
        return move, score

    @entry
    def forth(state, context, move):
        if not idle(move):
            apply(state, move)
            commit(context.tables, state, move)

    @entry
    def back(state, context, move):
        if not idle(move):
            undo(state, move)
            commit(context.tables, state, reverse(move))

    return look, forth, back


def arrays(state):
    """All that a state shows: its arrays, and the members of each entity in order."""
    if isinstance(state, Forest):
        return nodes(state)
    if not isinstance(state, Partition):
        return {name: array.copy() for name, array in dump(state).items()}
    shown = {name: getattr(state, name).copy() for name in ("entity", "slot", "size", "live")}
    shown["ids"], shown["rank"] = state.ids.copy(), state.rank.copy()
    for e in state.ids[: state.live[0]]:
        first = state.start[e]
        shown[f"members {e}"] = state.members[first : first + state.size[e]].copy()
    return shown


def nodes(state):
    """Of a forest: what is shown of live nodes, and the children of each in order."""
    shown = {name: getattr(state, name).copy() for name in ("parent", "count", "size", "live")}
    shown["ids"], shown["rank"] = state.ids.copy(), state.rank.copy()
    for p in np.flatnonzero(state.count):
        shown[f"values {p}"], shown[f"slot {p}"] = state.value[p].copy(), state.slot[[p]]
        shown[f"children {p}"] = state.children[state.start[p] :][: state.size[p]].copy()
    return shown


def same(before, after):
    assert before.keys() == after.keys()
    for name, array in before.items():
        np.testing.assert_array_equal(array, after[name], err_msg=name)


PROBES = {}


@pytest.fixture(params=case_parameters())
def case(request):
    return request.param


@pytest.fixture
def probed(case):
    if case.name not in PROBES:
        PROBES[case.name] = probe(case)
    return PROBES[case.name]


# compiled, the totals and the replays below call the same kernels; the access to single moves would
# take the compiler as long as both
@pytest.mark.interpreted
def test_delta_equals_the_twin_and_undo_restores(case, probed):
    look, forth, back = probed
    chain = case.chain(seed=3)
    subject, moved = case.subject, 0
    for _ in range(STEPS):
        before, phi = arrays(chain.state), subject.phi(np.array(subject.observed(chain.state)))
        move, score = look(chain.rng, chain.state, chain.context, chain.proposal_table)
        same(before, arrays(chain.state))
        change = np.concatenate([delta.change.copy() for delta in chain.context.deltas])
        forth(chain.state, chain.context, move)
        subject.space.check(chain.state)
        gained = subject.phi(np.array(subject.observed(chain.state))) - phi
        np.testing.assert_allclose(change, gained, atol=1e-9)
        assert score == pytest.approx(float(subject.model.weights @ gained), abs=1e-9)
        back(chain.state, chain.context, move)
        same(before, arrays(chain.state))
        forth(chain.state, chain.context, move)
        moved += bool(np.abs(gained).max() > 0)
    assert moved >= 3


@pytest.mark.interpreted
def test_commit_keeps_caches_equal_to_fresh_ones(case, probed):
    look, forth, _ = probed
    chain = case.chain(seed=5)
    for _ in range(STEPS):
        move, _ = look(chain.rng, chain.state, chain.context, chain.proposal_table)
        forth(chain.state, chain.context, move)
    fresh = case.chain(chain.state, seed=9)
    for seed in range(20):
        a, b = np.random.default_rng(seed), np.random.default_rng(seed)
        first = look(a, chain.state, chain.context, chain.proposal_table)
        second = look(b, chain.state, fresh.context, fresh.proposal_table)
        assert first[0] == second[0]
        assert first[1] == pytest.approx(second[1], abs=1e-9)


def test_total_score_and_statistics_equal_the_twin(case):
    subject = case.subject
    compiled = compiled_once(subject.model, case.proposal, exact())
    origin = subject.space.origin(subject.start)
    zero = subject.phi(np.array(subject.observed(origin)))
    for state in list(subject.space.enumerate(subject.start))[::3]:
        phi = subject.phi(np.array(subject.observed(state))) - zero
        found = total_statistics(subject.model, exact(), compiled, state)
        np.testing.assert_allclose(found, phi, atol=1e-9)
        score = total_score(subject.model, exact(), compiled, state)
        assert score == pytest.approx(float(subject.model.weights @ phi), abs=1e-9)


def test_the_same_seed_replays_the_same_walk(case):
    def walk(chain: Chain):
        chain.run(200)
        middle = chain.rng.bit_generator.state, case.subject.space.copy(chain.state)
        chain.run(100)
        return middle, case.subject.observed(chain.state), chain.examined

    middle, end, examined = walk(case.chain(seed=11))
    assert walk(case.chain(seed=11))[1:] == (end, examined)
    resumed = case.chain(middle[1], seed=0)
    resumed.rng.bit_generator.state = middle[0]
    resumed.run(100)
    assert case.subject.observed(resumed.state) == end
