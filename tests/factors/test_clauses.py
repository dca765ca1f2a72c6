import numpy as np
import pytest

from partita.errors import InputError
from partita.estimators import exact
from partita.factors import Model, clauses
from partita.proposals import flip
from partita.states import Labels
from partita.walks import compile_chain, total_statistics
from tests.factors.probe import Probe, follows

SCOPES = [[0, 1, 2], [3], [2, 0], [4, 3, 1, 0]]
BAD = [[1, 1, 0], [0], [1, 0], [1, 0, 1, 1]]
RULE, VALUES = [1, 0, 1, 0], [1.0, 0.5, 0.25, 2.0]
FLAT = [v for scope in SCOPES for v in scope]
WRONG = [label for row in BAD for label in row]
LENGTHS = [len(scope) for scope in SCOPES]


def phi(label):
    out = np.zeros(2)
    for scope, bad, rule, value in zip(SCOPES, BAD, RULE, VALUES, strict=True):
        out[rule] -= value * (label[scope] == bad).all()
    return out


@pytest.fixture(scope="module")
def probe():
    made = clauses(FLAT, WRONG, LENGTHS, rule=RULE, rules=("a", "b"), values=VALUES, weights=1.5)
    return Probe(made)


@pytest.mark.parametrize("seed", range(4))
def test_clauses_against_counts(probe, seed):
    start = Labels.of(np.random.default_rng(seed).integers(0, 2, 6), 2)
    follows(probe, phi, start, seed, moves=40)


def test_statistics_of_a_whole_state():
    model = Model(clauses(FLAT, WRONG, LENGTHS, rule=RULE, rules=("a", "b"), values=VALUES))
    compiled = compile_chain(model, flip(), exact())
    for label in ([1, 1, 0, 0, 1], [0, 0, 1, 1, 0]):
        state = Labels.of(label, 2)
        found = total_statistics(model, exact(), compiled, state)
        assert found == pytest.approx(phi(np.array(label)) - phi(np.zeros(5, int)))


def test_the_bound_is_the_largest_penalty():
    made = clauses(FLAT, WRONG, LENGTHS, rule=RULE, rules=("a", "b"), values=VALUES)
    assert made.bound(np.array([1.0, -3.0])) == 3.0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([0, 1], [1], [2]), "2 variables, 1 bad labels"),
        (([0], [1], [0, 1]), "give each clause a variable"),
        (([0, 0], [1, 1], [2]), "names the variable 0 twice"),
        (([-1], [1], [1]), "names the variable -1"),
    ],
)
def test_bad_clauses_are_refused(arguments, words):
    with pytest.raises(InputError, match=words):
        clauses(*arguments)


def test_bad_rules_and_values_are_refused():
    with pytest.raises(InputError, match=r"a rule in 0\.\.0"):
        clauses([0], [1], [1], rule=[1])
    with pytest.raises(InputError, match="2 values for 1 clauses"):
        clauses([0], [1], [1], values=[1.0, 2.0])
    with pytest.raises(InputError, match="was built for 3 variables"):
        Model(clauses([2], [1], [1])).check(Labels.of([0, 0], 2))
