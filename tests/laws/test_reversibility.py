"""Every move has a way back, with the negated log ratio and the probability that it promises."""

import math
from collections import defaultdict

import pytest

from partita.estimators import exact
from partita.walks import build_engine
from tests.laws.forking import outcomes
from tests.laws.registry import all_cases

pytestmark = pytest.mark.interpreted


def proposal_masses(case):
    """Probability of proposing x -> y with a given log ratio, over everything that is drawn."""
    engine, _ = build_engine(case.subject.model, exact())
    propose, apply = case.proposal.bind(engine), case.subject.space.apply
    masses = defaultdict(float)
    for state in case.states():
        before = case.subject.observed(state)

        def draw(rng, state=state, before=before):
            chain = case.chain(state, rng=rng)
            move, log_q = propose(rng, chain.proposal_table, chain.state, chain.context, 1.0)
            assert case.subject.observed(chain.state) == before
            if not engine.idle(move):
                apply(chain.state, move)
            return case.subject.observed(chain.state), log_q

        for probability, (after, log_q) in outcomes(draw):
            if after != before:
                masses[before, after, round(log_q, 9)] += probability
    return masses


@pytest.mark.parametrize("case", all_cases(), ids=lambda case: case.name)
def test_the_way_back_has_the_promised_probability(case):
    masses = proposal_masses(case)
    assert masses
    checked = 0
    for (before, after, log_q), mass in masses.items():
        if log_q == math.inf:
            # decided by its score: any state may follow, and each must lead back
            assert any(key[:2] == (after, before) for key in masses)
        elif log_q == -math.inf:
            # no way back, so never accepted
            assert not any(key[:2] == (after, before) for key in masses)
        else:
            back = masses.get((after, before, round(-log_q, 9) + 0.0), 0.0)
            assert back == pytest.approx(mass * math.exp(log_q), rel=1e-6)
        checked += 1
    assert checked == len(masses)
