"""The pretrained prior: its file, its trees, and errors that name the next step."""

import json
from importlib import resources

import numpy as np
import pytest

from partita import InputError
from partita.linkage.readings.features import FALLING, FEATURES, RISING
from partita.linkage.readings.prior import load_prior
from partita.linkage.readings.trees import predict, trees_from_dict

STUMPS = {
    "base": 0.5,
    "start": [0, 3],
    "feature": [1, -1, -1, 0, -1, -1],
    "threshold": [2.0, 10.0, 20.0, 0.0, 1.0, 2.0],
    "left": [1, 0, 0, 4, 0, 0],
    "right": [2, 0, 0, 5, 0, 0],
    "missing": [2, 0, 0, 4, 0, 0],
}


def test_trees_add_the_leaves_that_a_row_reaches():
    rows = np.array([[-1.0, 2.0], [1.0, 3.0], [np.nan, np.nan]])
    assert predict(trees_from_dict(STUMPS), rows).tolist() == [11.5, 22.5, 21.5]


@pytest.mark.compiled
def test_the_shipped_prior_obeys_the_signs_of_its_features():
    """More agreement never lowers a score, more contradiction never raises it."""
    rng = np.random.default_rng(1)
    prior = load_prior()
    rows = rng.random((500, len(FEATURES)))
    for trees in (prior.dedupe, prior.link):
        before = predict(trees, rows)
        for name in (*RISING, *FALLING):
            more = rows.copy()
            more[:, FEATURES.index(name)] += 0.5
            change = predict(trees, more) - before
            assert (change * (1 if name in RISING else -1)).min() > -1e-3, name


def test_the_shipped_prior_is_small():
    size = len(resources.files("partita.linkage.readings").joinpath("prior.json").read_bytes())
    assert size < 300_000


def test_a_wrong_file_is_an_error(tmp_path):
    path = tmp_path / "prior.json"
    with pytest.raises(InputError, match="cannot read the prior"):
        load_prior(path)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="is not a prior"):
        load_prior(path)
    path.write_text("[]")
    with pytest.raises(InputError, match="is not a prior"):
        load_prior(path)
    stored = {"version": 99, "features": [], "dedupe": STUMPS, "link": STUMPS}
    path.write_text(json.dumps(stored))
    with pytest.raises(InputError, match="version 99 with 0 features"):
        load_prior(path)
