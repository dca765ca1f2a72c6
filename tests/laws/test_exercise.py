"""Sampling the exercise's matching gives the link probabilities of its enumeration."""

import numpy as np
import pytest

import partita
from partita.errors import InputError
from partita.estimators import minibatch
from partita.factors import Model
from partita.proposals import mixture
from partita.states import SPACES
from tests.laws.exercise import (
    Matching,
    link_or_leave,
    linkage,
    linkage_phi,
    pick_two,
)

LEFTS, RIGHTS = 4, 5
SCORES = np.random.default_rng(17).normal(size=(LEFTS, RIGHTS))
MODEL = Model(linkage(SCORES, (1.1, 0.2)))


def links(partners):
    """linked[draw, i, j] of partners[draw, i]."""
    return np.asarray(partners)[:, :, None] == np.arange(RIGHTS)


def exact_links():
    """P(i and j are linked) by enumeration, with the twin."""
    states = [s.left for s in SPACES[Matching].enumerate(Matching.empty(LEFTS, RIGHTS))]
    phi = linkage_phi(SCORES)
    scores = np.array([MODEL.weights @ phi(left) for left in states])
    target = np.exp(scores - scores.max())
    return np.einsum("s,sij->ij", target / target.sum(), links(states))


def sampled(proposal, estimator=None, draws=2500):
    return partita.sample(
        MODEL,
        Matching.of([2, -1, 0, -1], RIGHTS),
        proposal=proposal,
        estimator=estimator,
        draws=draws,
        tune=100,
        chains=4,
        cores=1,
        thin=8,
        random_seed=5,
        progressbar=False,
    )


WAYS = {
    "pick_two": pick_two(),
    "link_or_leave": link_or_leave(),
    "mixture": mixture([pick_two(), link_or_leave()]),
}


def agrees(posterior):
    """Whether all link probabilities are within 4.5 standard errors, none of them large."""
    found = links(posterior.draws.reshape(-1, LEFTS))
    # batches of 100 draws are nearly independent: a standard error that knows the correlation
    batches = found.reshape(100, -1, LEFTS, RIGHTS).mean(1)
    error = batches.std(0, ddof=1) / np.sqrt(len(batches))
    return np.all(np.abs(found.mean(0) - exact_links()) < 4.5 * error) and error.max() < 0.02


@pytest.mark.parametrize("way", WAYS)
def test_sampled_links_agree_with_enumeration(way):
    assert agrees(sampled(WAYS[way]))


@pytest.mark.compiled
def test_minibatched_links_agree_with_enumeration():
    assert agrees(sampled(link_or_leave(), minibatch(1.0)))


def test_the_best_state_is_a_matching_of_the_same_size():
    posterior = sampled(pick_two(), draws=200)
    best = posterior.map()
    SPACES[Matching].check(best)
    assert (best.left.size, best.right.size) == (LEFTS, RIGHTS)
    assert posterior.traces["links"].max() <= LEFTS


@pytest.mark.parametrize(
    ("partners", "rights", "message"),
    [([0, 0], 2, "twice"), ([0, 2], 2, "names no right"), ([], 2, "some of both")],
)
def test_what_is_no_matching_is_refused(partners, rights, message):
    with pytest.raises(InputError, match=message):
        Matching.of(partners, rights)


def test_scores_must_fit_the_start():
    with pytest.raises(InputError, match="as many"):
        partita.sample(MODEL, Matching.empty(2, 2), proposal=pick_two(), progressbar=False)
