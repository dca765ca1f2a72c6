import itertools

import numpy as np
import pytest

from papers.logic.toy import build_formulae
from partita.errors import InputError
from partita.kernel import entry
from partita.knowledge.matrix import (
    Cells,
    Formulae,
    MatrixSettings,
    fit_matrix,
    implication,
    sigmoid_loss,
    tensor_loss,
)

TRUTH = {True: (1.0, 0.0), False: (0.0, 1.0)}


@entry
def implied(at, af, bt, bf):
    return implication(at, af, bt, bf)


@entry
def tensor(cells, formulae, k, out):
    return tensor_loss(cells, formulae, k, out, 1.0)


@entry
def logistic(cells, formulae, k, out):
    return sigmoid_loss(cells, formulae, k, out, 1.0)


@pytest.mark.parametrize(("a", "b"), list(itertools.product([True, False], repeat=2)))
def test_the_tensor_is_the_boolean_table_at_its_corners(a, b):
    assert implied(*TRUTH[a], *TRUTH[b]) == TRUTH[not a or b]


def formulae(atoms):
    """A true cell, a false cell, and a rule with one atom or two."""
    body = np.zeros((3, 2, 2), int)
    body[2] = [[0, 0], [2, 1]]
    head = np.array([[0, 1], [1, 0], [1, 2]])
    return Formulae(
        head, body, np.array([0, 0, atoms]), np.array([1.0, 0.0, 1.0]), np.array([1, 0.5, 2.0])
    )


@pytest.mark.parametrize("k", range(3))
@pytest.mark.parametrize(("loss", "halves", "atoms"), [(tensor, 2, 1), (logistic, 1, 2)])
def test_gradients_equal_differences(loss, halves, atoms, k):
    rng = np.random.default_rng(4)
    parts = [rng.normal(size=(3, 4)), rng.normal(size=(3, 4 * halves)), rng.normal(size=3)]
    made, cells = formulae(atoms), Cells(*parts)
    out = Cells(*(np.zeros_like(part) for part in parts))
    loss(cells, made, k, out)
    for place, values in enumerate(parts):
        for at in np.ndindex(values.shape):
            ends = []
            for step in (1e-6, -1e-6):
                moved = [part.copy() for part in parts]
                moved[place][at] += step
                ends.append(loss(Cells(*moved), made, k, Cells(*(np.zeros_like(p) for p in parts))))
            assert out[place][at] == pytest.approx((ends[0] - ends[1]) / 2e-6, abs=1e-6)


def test_rules_raise_the_heads_of_true_bodies():
    settings = MatrixSettings(epochs=300, l2=0.015)
    plain, ruled = (
        fit_matrix(build_formulae("sigmoid", rules=rules), 7, 6, settings, seed=3).probabilities()
        for rules in (False, True)
    )
    for pair, relation in ((2, 1), (5, 4), (6, 4)):
        assert ruled[pair, relation] > max(0.8, plain[pair, relation])


def test_both_forms_fit_their_cells():
    for form, epochs in (("tensor", 100), ("sigmoid", 300)):
        made = fit_matrix(
            build_formulae(form, rules=True), 7, 6, MatrixSettings(form, epochs=epochs, l2=0.005)
        )
        assert made.losses[-1] < made.losses[0]
        assert made.probabilities()[0, 0] > 0.8
        assert made.probabilities(np.array([0])).shape == (1, 6)


def test_bad_settings_are_refused():
    with pytest.raises(InputError, match="form is 'box'"):
        fit_matrix(formulae(1), 3, 3, MatrixSettings("box"))
    with pytest.raises(InputError, match="two atoms in its body"):
        fit_matrix(formulae(2), 3, 3, MatrixSettings("tensor"))
