"""Templates of tables and columns."""

import numpy as np
import pytest
from scipy import sparse

from partita import factors as f
from partita.errors import InputError
from tests.bad_input.sentences import INF, NAN, names_value_and_remedy

PAIRS = [[0, 1], [1, 2]]
TABLES = {
    "NaN score": (lambda: f.affinity(PAIRS, [1.0, NAN], 3), InputError, "1 is nan", "finite"),
    "infinite score": (lambda: f.affinity(PAIRS, [INF, 0], 3), InputError, "0 is inf", "finite"),
    "scores short": (
        lambda: f.affinity(PAIRS, [1.0], 3),
        *(InputError, r"\(1,\) for 2 pairs", "one row per pair"),
    ),
    "scores wide": (
        lambda: f.repulsion(PAIRS, np.ones((2, 2)), 3),
        *(InputError, r"\(2, 2\)", "one column per feature"),
    ),
    "text scores": (
        lambda: f.affinity(PAIRS, ["high", "low"], 3),
        *(InputError, "not numbers", "finite numbers"),
    ),
    "pair outside": (
        lambda: f.affinity([[0, 3]], [1.0], 3),
        *(InputError, r"\[0, 3\] is outside 0..2", "leave it out"),
    ),
    "pair with itself": (
        lambda: f.affinity([[1, 1]], [1.0], 3),
        *(InputError, "1 is paired with itself", "leave such pairs out"),
    ),
    "pair twice": (
        lambda: f.affinity([[0, 1], [1, 0]], [1.0, 1.0], 3),
        *(InputError, r"\[0, 1\] is listed twice", "each pair once"),
    ),
    "triples": (
        lambda: f.affinity([[0, 1, 2]], [1.0], 3),
        *(InputError, r"\(1, 3\)", "two columns"),
    ),
    "fractional pairs": (
        lambda: f.affinity([[0.0, 1.0]], [1.0], 3),
        *(InputError, "float64", "whole numbers"),
    ),
    "ragged pairs": (
        lambda: f.affinity([[0, 1], [2]], [1.0, 1.0], 3),
        *(InputError, "different lengths", "two columns"),
    ),
    "no mentions": (lambda: f.affinity([], [], 0), InputError, "mentions is 0", "whole number"),
    "NaN weight": (
        lambda: f.affinity(PAIRS, [1.0, 1.0], 3, weights=NAN),
        *(InputError, "is nan", "finite numbers"),
    ),
    "infinite weight": (
        lambda: f.affinity(PAIRS, [1.0, 1.0], 3, weights=[INF]),
        *(InputError, "entry 0 is inf", "finite numbers"),
    ),
    "too many weights": (
        lambda: f.affinity(PAIRS, [1.0, 1.0], 3, weights=[1.0, 2.0]),
        *(InputError, r"1 features and weights of shape \(2,\)", "one weight for each"),
    ),
    "no features": (
        lambda: f.affinity(PAIRS, np.ones((2, 0)), 3, features=()),
        *(InputError, "no features", "at least one"),
    ),
    "features twice": (
        lambda: f.affinity(PAIRS, np.ones((2, 2)), 3, features=("a", "a")),
        *(InputError, "'a' twice", "each its own"),
    ),
    "NaN cost": (lambda: f.entity_cost(NAN), InputError, "nan", "finite"),
    "alpha 0": (lambda: f.ewens(0.0), InputError, "is 0.0", "positive"),
    "alpha NaN": (lambda: f.ewens(NAN), InputError, "is nan", "positive"),
    "size 0 scores": (
        lambda: f.size_prior([1.0, 2.0]),
        InputError,
        "entry 0 is 1.0",
        "set entry 0 to 0",
    ),
    "size NaN": (lambda: f.size_prior([0.0, NAN]), InputError, "entry 1 is nan", "finite"),
    "one size": (lambda: f.size_prior([0.0]), InputError, r"shape \(1,\)", "at least two"),
    "count table": (
        lambda: f.entities_prior([[0.0, 1.0]]),
        *(InputError, r"\(1, 2\)", "at least two in a row"),
    ),
}
AGGREGATES = {
    "no columns": (f.agreement, InputError, "no column and no bag", "at least one"),
    "empty column": (lambda: f.agreement({"a": []}), InputError, "length 0", "at least one"),
    "lengths": (
        lambda: f.agreement({"a": [0, 1], "b": [0]}),
        *(InputError, r"\[1, 2\]", "equal ones"),
    ),
    "column table": (
        lambda: f.agreement({"a": [[0, 1]]}),
        *(InputError, r"\(1, 2\)", "one value per mention"),
    ),
    "NaN in a bag": (
        lambda: f.agreement({}, {"b": [[NAN, 1.0]]}),
        *(InputError, r"\(0, 0\) is nan", "finite"),
    ),
    "infinity in a sparse bag": (
        lambda: f.agreement({}, {"b": sparse.csr_array([[INF]])}),
        *(InputError, "entry 0 is inf", "finite"),
    ),
    "flat bag": (
        lambda: f.agreement({}, {"b": [1.0, 2.0]}),
        *(InputError, r"\(2,\)", "a matrix with one row each"),
    ),
    "text in a bag": (
        lambda: f.agreement({}, {"b": [["a"]]}),
        *(InputError, "not numbers", "finite numbers"),
    ),
    "NaN match": (lambda: f.agreement({"a": [0]}, match=NAN), InputError, "nan", "finite"),
    "storage": (
        lambda: f.agreement({"a": [0]}, storage="disk"),
        *(InputError, "'disk'", "'dense' or 'sparse'"),
    ),
    "half counts": (
        lambda: f.dirichlet_multinomial({}, {"b": [[0.5]]}),
        *(InputError, "0.5", "counts"),
    ),
    "negative counts": (
        lambda: f.dirichlet_multinomial({}, {"b": [[-1.0]]}),
        *(InputError, "-1", "counts"),
    ),
    "concentration": (
        lambda: f.dirichlet_multinomial({"a": [0, 1]}, concentration=-2.0),
        *(InputError, "-2.0", "positive"),
    ),
    "NaN concentration": (
        lambda: f.dirichlet_multinomial({"a": [0, 1]}, concentration={"a": NAN}),
        *(InputError, "nan", "finite"),
    ),
    "unknown concentration": (
        lambda: f.dirichlet_multinomial({"a": [0, 1]}, concentration={"z": 1.0}),
        *(InputError, "'z'", "columns or bags"),
    ),
    "base": (
        lambda: f.dirichlet_multinomial({"a": [0, 1]}, base="flat"),
        *(InputError, "'flat'", "'empirical' or 'uniform'"),
    ),
}


@pytest.mark.parametrize("name", TABLES)
def test_tables_of_pairs_and_sizes(name):
    names_value_and_remedy(TABLES[name])


@pytest.mark.parametrize("name", AGGREGATES)
def test_aggregated_columns_and_bags(name):
    names_value_and_remedy(AGGREGATES[name])
