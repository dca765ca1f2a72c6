"""Resolver keeps scikit-learn's contract, with and without scikit-learn."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import partita
from partita.errors import InputError
from partita.linkage.resolver import Resolver
from partita.linkage.settings import Settings
from tests.linkage.made import persons, rules

# whole files: their kernels have tests of their own, which are run as plain Python too
pytestmark = pytest.mark.compiled

ROWS = [
    {"name": "Ann Lee", "town": "Ely"},
    {"name": "Bob Orr", "town": "Bath"},
    {"name": "Ann Lee", "town": "Ely"},
    {"name": "Cy Moss", "town": "Hove"},
]


def test_it_is_exported():
    assert partita.Resolver is Resolver


def test_parameters_are_the_settings():
    names = [*Resolver().get_params()]
    assert names[-2:] == ["config", "constraints"]
    expected = ["random_state" if name == "seed" else name for name in Settings.names()]
    assert names[:-2] == expected
    assert set(Resolver().get_params().values()) == {None}


def test_init_only_stores():
    given = {name: object() for name in Resolver().get_params()}
    made = Resolver(**given)
    assert all(getattr(made, name) is value for name, value in given.items())
    assert set(vars(made)) == set(given)


def test_set_params():
    made = Resolver(chains=3)
    assert made.set_params(draws=9, random_state=4) is made
    assert (made.chains, made.draws, made.random_state) == (3, 9, 4)
    assert repr(made) == "Resolver(chains=3, draws=9, random_state=4)"
    with pytest.raises(InputError, match="no parameter 'seed'; there are id, "):
        made.set_params(draws=2, seed=1)
    assert made.draws == 9


def test_fit_names_the_error_and_init_does_not():
    made = Resolver(chains=0)
    with pytest.raises(InputError, match="chains"):
        made.fit(ROWS)
    assert not hasattr(made, "labels_")


@pytest.mark.parametrize("kind", ["dicts", "pandas", "path"])
def test_fit_takes_what_resolve_takes(tmp_path, kind):
    given = {"dicts": ROWS, "pandas": pd.DataFrame(ROWS)}.get(kind)
    if kind == "path":
        given = tmp_path / "rows.csv"
        pd.DataFrame(ROWS).to_csv(given, index=False)
    made = Resolver()
    assert made.fit(given, y=[1, 2, 3, 4]) is made
    assert made.labels_.tolist() == [0, 1, 0, 2]
    assert made.n_features_in_ == 2
    assert made.feature_names_in_.tolist() == ["name", "town"]
    assert made.resolution_.labels is made.labels_


@pytest.mark.parametrize("dtype", [object, str])
def test_arrays_have_no_names(dtype):
    array = np.array([list(row.values()) for row in ROWS], dtype)
    made = Resolver().fit(ROWS)
    assert made.fit_predict(array).tolist() == [0, 1, 0, 2]
    assert made.n_features_in_ == 2
    assert not hasattr(made, "feature_names_in_")


def test_arrays_of_numbers():
    array = np.array([[1.5, 20.0], [7.25, np.nan], [1.5, 20.0]])
    assert Resolver().fit_predict(array).tolist() == [0, 1, 0]
    with pytest.raises(InputError, match="X has 1 dimensions"):
        Resolver().fit(array[:, 0])


def test_it_is_resolve():
    table, _ = persons(120)
    found = Resolver(random_state=3, draws=10).fit(table).resolution_
    plain = partita.resolve(table, seed=3, draws=10)
    assert found.settings == plain.settings
    np.testing.assert_array_equal(found.labels, plain.labels)
    np.testing.assert_array_equal(found.p_member, plain.p_member)


def test_parameters_go_before_the_config():
    config = {"seed": 6, "inference": {"draws": 7, "chains": 1}}
    found = Resolver(config=config, draws=5).fit(ROWS).resolution_.settings
    assert (found.seed, found.draws, found.chains) == (6, 5, 1)


def test_constraints_hold():
    ruled = rules((0, 2, "cannot"), (1, 3, "must"))
    assert Resolver(constraints=ruled).fit_predict(ROWS).tolist() == [0, 1, 2, 1]


def test_scikit_learn_takes_it():
    base = pytest.importorskip("sklearn.base")
    pipeline = pytest.importorskip("sklearn.pipeline")
    made = Resolver(chains=1, ignore=("town",)).fit(ROWS)
    copy = base.clone(made)
    assert copy.get_params() == made.get_params()
    assert not hasattr(copy, "labels_")
    assert base.is_clusterer(copy)
    assert pipeline.make_pipeline(copy).fit_predict(ROWS).tolist() == [0, 1, 0, 2]


def test_scikit_learn_is_not_needed():
    lines = (
        "import sys, partita\npartita.Resolver().get_params()\nassert 'sklearn' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", lines], check=True)
