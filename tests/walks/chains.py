"""Chains made in one line, and what exact enumeration says of a small model."""

import numpy as np

from partita.estimators import exact
from partita.states import SPACES
from partita.walks import compile_chain, start_chain, total_score


def chain_of(model, start, proposal, estimator=None, seed=0, training_spec=None):
    estimator = estimator or exact()
    compiled = compile_chain(model, proposal, estimator, training_spec)
    rng = np.random.Generator(np.random.PCG64DXSM(seed))
    return start_chain(
        model,
        start,
        proposal,
        rng=rng,
        estimator=estimator,
        compiled=compiled,
        training_spec=training_spec,
    )


def score_of(chain, state=None):
    state = chain.state if state is None else state
    return total_score(chain.model, chain.estimator, chain.compiled, state)


def exact_posterior(chain, temperature=1.0):
    """All states that there are, and their probabilities."""
    space = SPACES[chain.model.state]
    states = [space.observe(s).tolist() for s in space.enumerate(chain.state)]
    scores = [score_of(chain, s) / temperature for s in space.enumerate(chain.state)]
    weights = np.exp(np.array(scores) - max(scores))
    return states, weights / weights.sum()


def frequencies(chain, draws, thin):
    """How often each state was seen."""
    space, seen = chain.space, {}
    for _ in range(draws):
        chain.run(thin)
        key = tuple(space.observe(chain.state).tolist())
        seen[key] = seen.get(key, 0) + 1
    return {key: count / draws for key, count in seen.items()}


def distance(chain, draws=4000, thin=6):
    """Total variation between frequencies and the exact posterior."""
    states, p = exact_posterior(chain)
    seen = frequencies(chain, draws, thin)
    assert set(seen) <= {tuple(s) for s in states}
    pairs = zip(states, p, strict=True)
    return 0.5 * sum(abs(seen.get(tuple(s), 0.0) - q) for s, q in pairs)
