"""Laws of worlds: closure at infinite weight, the embedding alone without rules, enumeration."""

import itertools

import numpy as np
import pytest

from partita.knowledge.rules import parse_rules
from partita.knowledge.triples import load_triples
from partita.knowledge.worlds import build_world
from partita.posterior import sample
from partita.proposals import gibbs_label
from partita.states import Labels

ROWS = [("a", "r", "b"), ("b", "r", "c"), ("c", "s", "d"), ("d", "t", "a", 0), ("b", "s", "b")]
ROWS = [(*row, 1)[:4] for row in ROWS]
RULES = parse_rules("s(x,y) :- r(x,y)\nt(x,z) :- s(x,y), s(y,z)\nnot t(x,y) :- r(x,y), s(y,x)")


def world_of(rows, rules, **options):
    [triples] = load_triples(rows)
    return build_world(triples, rules, np.random.default_rng(0), **options)


def named(world, keys):
    return {world.triples.name(fact) for fact in world.triples.facts_of(np.asarray(keys))}


def log_score(world, log_odds, weights, label):
    """The score of a labelling by the definition of rules, grounding by grounding."""
    observed = set(world.triples.keys(world.triples.facts).tolist())
    truth = dict(zip(world.keys.tolist(), label, strict=True))

    def holds(key):
        return key in observed or bool(truth.get(key, 0))

    score = float(((weights[0] + weights[1] * log_odds) * label).sum())
    for number, (rule, made) in enumerate(zip(world.rules, world.groundings, strict=True)):
        for body, head, value in zip(made.body, made.head, made.share, strict=True):
            if all(map(holds, body.tolist())) and holds(int(head)) == rule.negated:
                score -= weights[2 + number] * value
    return score


@pytest.fixture(scope="module")
def world():
    return world_of([*ROWS, ("d", "s", "e", 1)], RULES)


def test_heads_enter_round_by_round(world):
    assert named(world_of(ROWS, RULES, depth=1), world_of(ROWS, RULES, depth=1).keys) == {
        *[("a", "s", "b"), ("b", "s", "c"), ("b", "t", "b")]
    }
    assert {("a", "t", "c"), ("b", "t", "d"), ("c", "t", "e")} <= named(world, world.keys)


@pytest.mark.parametrize("seed", range(4))
def test_the_model_scores_what_the_rules_say(world, seed):  # prose: ok
    rng = np.random.default_rng(seed)
    log_odds, weights = rng.normal(size=world.n), np.array([0.3, 0.8, 1.1, 0.7, 1.6])
    label = rng.integers(0, 2, world.n)
    score = log_score(world, log_odds, weights, label)
    pulls = world.pulls(label)
    for variable in range(world.n):
        other = label.copy()
        other[variable] = 1 - other[variable]
        gained = (log_score(world, log_odds, weights, other) - score) * (1 - 2 * label[variable])
        own = weights[0] + weights[1] * log_odds[variable]
        assert own + (pulls @ weights[2:])[variable] == pytest.approx(gained)


def exact(world, log_odds, weights):
    states = np.array(list(itertools.product([0, 1], repeat=world.n)))
    scores = np.array([log_score(world, log_odds, weights, state) for state in states])
    p = np.exp(scores - scores.max())
    return states, p / p.sum()


def test_the_walk_equals_enumeration(world):
    rng = np.random.default_rng(1)
    log_odds, weights = rng.normal(size=world.n), np.array([-0.2, 1.0, 1.5, 1.0, 2.0])
    states, p = exact(world, log_odds, weights)
    posterior = sample(
        world.model(log_odds, weights),
        Labels.of([0] * world.n, 2),
        proposal=gibbs_label(),
        draws=4000,
        tune=100,
        chains=2,
        random_seed=3,
        progressbar=False,
    )
    assert posterior.marginals()[:, 1] == pytest.approx(p @ states, abs=0.03)


def test_at_infinite_weight_the_mode_is_the_logical_closure(world):
    """Facts are improbable, so only those that follow from the observed ones are true."""
    log_odds, weights = np.full(world.n, -2.0), np.array([0.0, 1.0, 1e6, 1e6, 0.0])
    states, p = exact(world, log_odds, weights)
    closure = {("a", "s", "b"), ("b", "s", "c"), ("a", "t", "c"), ("b", "t", "d"), ("c", "t", "e")}
    closure |= {("a", "t", "b"), ("b", "t", "b"), ("b", "t", "c")}
    mode = states[p.argmax()]
    assert named(world, world.keys[mode == 1]) == closure & named(world, world.keys)
    assert mode.sum() == len(closure)


def test_without_rules_the_embedding_alone_is_left():
    [triples] = load_triples([("a", "r", "b"), ("b", "r", "a"), ("a", "r", "a")])
    observed = triples.without(np.array([False, True, True]))
    asked = triples.keys(triples.facts)
    world = build_world(observed, [], np.random.default_rng(0), queries=asked)
    assert world.n == 2
    log_odds = np.array([0.4, -1.2])
    posterior = sample(
        world.model(log_odds, np.array([0.0, 1.0])),
        Labels.of([0, 0], 2),
        proposal=gibbs_label(),
        draws=4000,
        tune=10,
        chains=1,
        random_seed=2,
        progressbar=False,
    )
    assert posterior.marginals()[:, 1] == pytest.approx(1 / (1 + np.exp(-log_odds)), abs=0.03)


def test_conflicts_are_observed_facts_that_violate_a_rule():
    rows = [
        ("ann", "bornIn", "Rome", 1),
        ("ann", "bornIn", "Oslo", 1),
        ("bob", "bornIn", "Rome", 1),
    ]
    rules = parse_rules("not bornIn(x,z) :- bornIn(x,y), bornIn(x,z), y != z")
    world = world_of(rows, rules)
    assert len(world.conflicts) == 2
    assert world.n == 0
    rows = [("a", "r", "b", 1), ("a", "s", "b", 0)]
    assert len(world_of(rows, parse_rules("s(x,y) :- r(x,y)")).conflicts) == 1
