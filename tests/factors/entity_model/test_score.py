"""Changes by one record equal differences of whole scores, or the fallback is reported."""

import math

import numpy as np
import pytest

from partita.factors.entity_model.cache import MOST_LATENT, add, new_shown, subtract
from partita.factors.entity_model.score import gain, joint, loss
from partita.factors.entity_model.table import listed_pairs, near_table, rates
from partita.kernel import entry

VALUES = 24


@entry
def whole(near, rate, shown):
    return joint(near, rate, shown, 0)


@entry
def changed(near, rate, shown, value, phi):
    """Gain and loss foretold by one record more and then one less, with J in between."""
    before = joint(near, rate, shown, 0)
    more = gain(near, rate, shown, 0, value, phi)
    add(shown, 0, value, phi)
    after = joint(near, rate, shown, 0)
    less = loss(near, rate, shown, 0, value, phi)
    return more, less, after - before


@entry
def taken(shown, value):
    subtract(shown, 0, value, False)


def setting():
    rng = np.random.default_rng(4)
    phi = rng.dirichlet(np.ones(VALUES))
    pairs = np.array([(a, b) for a in range(VALUES) for b in range(a) if rng.random() < 0.3])
    part = {"phi": phi, "ratios": np.array([-0.1, 2.0, 0.5, -3.0]), "pairs": pairs}
    part |= {"levels": rng.integers(1, 3, len(pairs)), "theta": 1.5, "term_frequency": 0.5}
    near = near_table([part], listed_pairs([part]))
    return phi, near, rates([part])[0], new_shown(1, 1)


@pytest.mark.parametrize("values", [1, 2, 5, MOST_LATENT, VALUES])
def test_one_record_more_or_less(values):
    phi, near, rate, shown = setting()
    rng, foretold = np.random.default_rng(values), 0
    assert whole(near, rate, shown) == 0.0
    for _ in range(120):
        x = int(rng.integers(values))
        more, less, change = changed(near, rate, shown, x, phi[x])
        for found, true in ((more, change), (less, -change)):
            foretold += not math.isnan(found)
            assert math.isnan(found) or found == pytest.approx(true, abs=1e-9)
    assert foretold == 240 if values <= MOST_LATENT else 60 < foretold < 240


def test_scores_forget_the_order_of_records():
    phi, near, rate, shown = setting()
    for x in (3, 1, 9, 3):
        changed(near, rate, shown, x, phi[x])
    first = whole(near, rate, shown)
    for x in (5, 9, 3, 1, 1):
        changed(near, rate, shown, x, phi[x])
    for x in (1, 5, 3, 9, 1):
        taken(shown, x)
    assert whole(near, rate, shown) == first
