"""What users do wrong: each gets one sentence that names the value and the remedy."""

import math
import re

import numpy as np
import pytest
from scipy import sparse

from partita import Labels, Model, Partition, cooling, sample
from partita import estimators as e
from partita import factors as f
from partita import learning as lr
from partita import proposals as p
from partita.errors import CheckpointError, InputError, ModeError, ModelError, PartitaError

NAN, INF = math.nan, math.inf
PAIRS = [[0, 1], [1, 2]]
THREE = Partition.singletons(3)


def pairs_model(n=3):
    return Model(f.affinity(PAIRS, [1.0, -1.0], n))


def field():
    return Model(f.unary(np.eye(2), 2))


def go(model=None, start=THREE, **settings):
    given = {"draws": 2, "tune": 0, "chains": 1, "random_seed": 0, "progressbar": False}
    return sample(pairs_model() if model is None else model, start, **given | settings)


def near(data, i, j):
    return data[i] * data[j]


def lopsided(data, i, j):
    return data[i]


def no_number(data, i, j):
    return NAN


def pair_of(data, i, j):
    return 1.0, 2.0


def of_text(data, i, j):
    return float(len(str(data[i]) + str(j)))


def nothing(data, members):
    return NAN


def no_score(data, k, values):
    return INF


def text_score(data, k, values):
    return float(len({"a": k}))


# (what is called, the error, words of the message: the value, then the remedy)
STATES = {
    "no mentions": (lambda: Partition.of([]), InputError, r"shape \(0,\)", "at least one"),
    "zero mentions": (lambda: Partition.singletons(0), InputError, "is 0", "at least 1"),
    "negative mentions": (lambda: Partition.one_entity(-2), InputError, "is -2", "at least 1"),
    "half a mention": (lambda: Partition.singletons(2.5), InputError, "2.5", "whole number"),
    "one label": (lambda: Partition.of("abc"), InputError, r"shape \(\)", "one label each"),
    "label table": (lambda: Partition.of([[0, 1]]), InputError, r"\(1, 2\)", "one label each"),
    "NaN label": (lambda: Partition.of([0.0, NAN]), InputError, "nan at 1", "every mention"),
    "no label": (
        lambda: Partition.of(np.array(["a", None], object)),
        *(InputError, "None at 1", "every mention"),
    ),
    "mixed labels": (
        lambda: Partition.of(np.array(["a", 3], object)),
        *(InputError, "int and str", "numbers or strings"),
    ),
    "ragged labels": (
        lambda: Partition.of([[0], [1, 2]]),
        *(InputError, "different lengths", "rows of one length"),
    ),
    "no variables": (lambda: Labels.of([], 2), InputError, r"shape \(0,\)", "at least one"),
    "label outside": (lambda: Labels.of([0, 3], 3), InputError, "value 3", "inside the domain"),
    "negative label": (lambda: Labels.of([-1], 3), InputError, "value -1", "inside the domain"),
    "half a label": (lambda: Labels.of([0.5], 3), InputError, "0.5", "whole numbers"),
    "named labels": (lambda: Labels.of(["x"], 3), InputError, "'x'", "whole numbers"),
    "NaN value": (lambda: Labels.of([NAN], 3), InputError, "nan", "whole numbers"),
    "no domain": (lambda: Labels.of([0], 0), InputError, "size 0", "at least 1"),
    "domains": (lambda: Labels.of([0, 0], [2] * 3), InputError, r"\(3,\) for 2", "one each"),
}
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
        *(InputError, "'a' twice", "each one name"),
    ),
    "NaN cost": (lambda: f.entity_cost(NAN), InputError, "nan", "finite"),
    "alpha 0": (lambda: f.ewens(0.0), InputError, "is 0.0", "positive"),
    "alpha NaN": (lambda: f.ewens(NAN), InputError, "is nan", "positive"),
    "size 0 scores": (lambda: f.size_prior([1.0, 2.0]), InputError, "entry 0 is 1.0", "score 0"),
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
        *(InputError, "'z'", "columns and bags only"),
    ),
    "base": (
        lambda: f.dirichlet_multinomial({"a": [0, 1]}, base="flat"),
        *(InputError, "'flat'", "'empirical' or 'uniform'"),
    ),
}
FIELDS = {
    "flat observations": (lambda: f.unary([1.0, 2.0], 2), InputError, r"\(2,\)", "a matrix"),
    "NaN observation": (lambda: f.unary([[NAN]], 2), InputError, r"\(0, 0\) is nan", "finite"),
    "one label": (lambda: f.unary([[1.0]], 1), InputError, "labels is 1", "at least two"),
    "text labels": (lambda: f.unary([[1.0]], "ab"), InputError, "'ab'", "list of names"),
    "half a label": (lambda: f.unary([[1.0]], 2.5), InputError, "2.5", "their number"),
    "feature names": (
        lambda: f.unary([[1.0]], 2, features=["a", "b"]),
        *(InputError, "2 feature names for 1 columns", "one name for each"),
    ),
    "weight matrix": (
        lambda: f.unary([[1.0]], 2, weights=np.ones((3, 1))),
        *(InputError, r"2 features and weights of shape \(3,\)", "one weight for each"),
    ),
    "loop": (lambda: f.pairwise([[1, 1]], 2), InputError, "variable 1 with itself", "`unary`"),
    "negative edge": (lambda: f.pairwise([[0, -1]], 2), InputError, "variable -1", "from 0"),
    "edges of three": (
        lambda: f.pairwise([[0, 1, 2], [1, 2, 3]], 2),
        *(InputError, r"\(2, 3\)", "two columns"),
    ),
    "kind outside": (
        lambda: f.pairwise([[0, 1]], 2, kind=[1]),
        *(InputError, "kind 1", "in 0..0"),
    ),
    "kinds short": (
        lambda: f.pairwise([[0, 1], [1, 2]], 2, kind=[0]),
        *(InputError, "1 kinds for 2 edges", "one each"),
    ),
    "no scopes": (lambda: f.potential(no_score, []), InputError, r"\[\]", "at least one"),
    "negative scope": (
        lambda: f.potential(no_score, [[-1]]),
        *(InputError, "variable -1", "from 0"),
    ),
}
FUNCTIONS = {
    "not a function": (lambda: f.similarity(3, np.ones(3), 3), ModelError, "3 is not", "give one"),
    "NaN": (
        lambda: f.similarity(no_number, np.ones(3), 3),
        *(ModelError, r"no_number \(line \d+\)\(data, 0, 1\) returned nan", "finite numbers"),
    ),
    "two values": (
        lambda: f.similarity(pair_of, np.ones(3), 3),
        *(ModelError, "returned 2 values for 1 features", "one for each"),
    ),
    "one value": (
        lambda: f.similarity(near, np.ones(3), 3, features=("a", "b")),
        *(ModelError, "returned 1 values for 2 features", "one for each"),
    ),
    "not symmetric": (
        lambda: f.similarity(lopsided, np.array([1.0, 2.0, 3.0]), 3),
        *(ModelError, "1.0.* for mentions 0 and 1 but .*2.0", "make it symmetric"),
    ),
    "computed NaN": (
        lambda: f.similarity(no_number, None, 3, pairs=PAIRS),
        *(ModelError, r"\(data, 0, 1\) returned nan", "finite numbers"),
    ),
    "computed pairs": (
        lambda: f.similarity(near, np.ones(3), 3, pairs=[[0, 7]]),
        *(InputError, r"\[0, 7\] is outside", "leave it out"),
    ),
    "no mentions": (lambda: f.similarity(near, np.ones(3), 0), InputError, "is 0", "at least 1"),
    "bound": (
        lambda: f.similarity(near, np.ones(3), 3, bound=-1.0),
        *(InputError, "bound is -1.0", "positive"),
    ),
    "NaN of a cluster": (
        lambda: f.cluster_score(nothing, np.ones(3), 3),
        *(ModelError, r"\(data, \[0\]\) returned nan", "finite numbers"),
    ),
    "infinite potential": (
        lambda: f.potential(no_score, [[0, 1]]),
        *(ModelError, r"\(data, 0, \[0, 0\]\) returned inf", "finite numbers"),
    ),
}
NOT_COMPILED = {
    "similarity": (
        lambda: f.similarity(of_text, np.ones(3), 3),
        *(ModelError, r"test_bad_input.py line \d+", "pass pairs="),
    ),
    "a dict as data": (
        lambda: f.similarity(near, {"a": 1.0}, 3),
        *(ModelError, "`near` cannot be compiled", "numbers and arrays only"),
    ),
    "potential": (
        lambda: f.potential(text_score, [[0]]),
        *(ModelError, r"test_bad_input.py line \d+", "numbers and arrays only"),
    ),
    "cluster": (
        lambda: f.cluster_score(of_text, np.ones(3), 3),
        *(ModelError, "takes 3 arguments and is called with 2", "numbers and arrays only"),
    ),
}
MODELS = {
    "no templates": (Model, ModelError, "none was given", "at least one template"),
    "not a template": (lambda: Model(3), ModelError, "3 is not a template", "give templates"),
    "two kinds": (
        lambda: Model(f.ewens(), f.unary([[1.0]], 2)),
        *(ModelError, "Labels and Partition", "one kind of state"),
    ),
    "unknown feature": (
        lambda: Model(f.ewens(), weights={"ewens.size": 1.0}),
        *(InputError, "'ewens.size'", "name one of ewens.entities"),
    ),
    "unknown weight": (lambda: Model(f.ewens()).weight("x"), InputError, "'x'", "name one of"),
    "NaN weight": (
        lambda: Model(f.ewens(), weights={"ewens.entities": NAN}),
        *(InputError, "'ewens.entities' is nan", "finite"),
    ),
    "text weight": (
        lambda: Model(f.ewens(), weights={"ewens.entities": "big"}),
        *(InputError, "'ewens.entities' are not numbers", "finite"),
    ),
    "weights short": (
        lambda: Model(f.ewens()).set_weights([1.0]),
        *(InputError, "1 weights for 2 features", "one for each"),
    ),
    "infinite weights": (
        lambda: Model(f.ewens()).set_weights([1.0, -INF]),
        *(InputError, "entry 1 is -inf", "finite"),
    ),
}
PARTS = {
    "canopies of nothing": (lambda: p.canopies_of([]), InputError, r"\(0,\)", "at least one"),
    "NaN canopy": (lambda: p.canopies_of([0.0, NAN]), InputError, "nan at 1", "every mention"),
    "no canopy": (lambda: p.one_canopy(0), InputError, "is 0", "at least 1"),
    "no proposals": (lambda: p.mixture([]), ModelError, "none was given", "at least one"),
    "mixed kinds": (
        lambda: p.mixture([p.flip(), p.move_to_entity()]),
        *(ModelError, "Labels and Partition", "one kind of state"),
    ),
    "weights short": (
        lambda: p.mixture([p.flip(), p.flip()], [1.0]),
        *(InputError, r"\[1.0\] for 2", "one positive number for each"),
    ),
    "weight 0": (
        lambda: p.mixture([p.flip(), p.flip()], [1.0, 0.0]),
        *(InputError, r"\[1.0, 0.0\]", "one positive number for each"),
    ),
    "NaN weight": (lambda: p.mixture([p.flip()], [NAN]), InputError, "nan", "positive"),
    "no tries": (lambda: p.multi_try(p.flip(), 0), InputError, "tries is 0", "at least 1"),
    "half a try": (lambda: p.multi_try(p.flip(), 1.5), InputError, "1.5", "whole number"),
    "tries of Gibbs": (
        lambda: p.multi_try(p.gibbs_label(), 3),
        *(ModelError, "'gibbs_label'", "give it one such as"),
    ),
    "candidates outside": (
        lambda: p.join_neighbour([[0, 5]], 3),
        *(InputError, r"\[0, 5\] is outside", "leave it out"),
    ),
    "p 0": (lambda: e.uniform(0.0), InputError, "p is 0.0", "above 0 and at most 1"),
    "p above 1": (lambda: e.uniform(1.5), InputError, "p is 1.5", "above 0 and at most 1"),
    "p NaN": (lambda: e.uniform(NAN), InputError, "p is nan", "above 0 and at most 1"),
    "p negative": (lambda: e.uniform(-0.1), InputError, "p is -0.1", "above 0 and at most 1"),
    "interval 0": (lambda: e.confidence(0.0), InputError, "i is 0.0", "positive"),
    "interval NaN": (lambda: e.confidence(NAN), InputError, "i is nan", "positive"),
    "first 0": (lambda: e.scheduled(0.0), InputError, "first is 0.0", "above 0"),
    "last 2": (lambda: e.scheduled(0.1, 2.0), InputError, "last is 2.0", "at most 1"),
    "until 0": (lambda: e.scheduled(0.1, 1.0, 0.0), InputError, "until is 0.0", "above 0"),
    "chi": (lambda: e.minibatch(-1.0), InputError, "chi is -1.0", "at least 0"),
    "rate": (lambda: lr.perceptron(0.0), InputError, "rate is 0.0", "positive"),
    "cap": (lambda: lr.mira(INF), InputError, "cap is inf", "positive"),
    "no truth": (lambda: lr.pair_accuracy([]), InputError, r"\(0,\)", "at least one"),
    "NaN truth": (lambda: lr.pair_accuracy([1.0, NAN]), InputError, "nan at 1", "every mention"),
    "named truth": (lambda: lr.hamming(["a"]), InputError, "'a'", "whole numbers"),
    "cooling": (lambda: cooling(1.0, -0.1), InputError, "-0.1", "positive"),
}
RUNS = {
    "a template": (lambda: go(f.ewens()), ModelError, "is no Model", "such as Model"),
    "an uncalled proposal": (
        lambda: go(proposal=p.move_to_entity),
        *(ModelError, "is no Proposal", r"such as move_to_entity\(\)"),
    ),
    "an uncalled estimator": (
        lambda: go(estimator=e.exact),
        *(ModelError, "is no Estimator", r"such as exact\(\)"),
    ),
    "a list": (lambda: go(start=[0, 1, 2], chains=3), InputError, "is int", "Partition.of"),
    "another state": (
        lambda: go(start=Labels.of([0], 2)),
        *(InputError, "start is Labels", "Partition.of"),
    ),
    "too few mentions": (
        lambda: go(start=Partition.singletons(2)),
        *(InputError, "3 mentions but the start has 2", "the same mentions"),
    ),
    "too many mentions": (
        lambda: go(Model(f.similarity(near, np.ones(3), 3)), Partition.singletons(9)),
        *(InputError, "3 mentions but the start has 9", "the same mentions"),
    ),
    "too many to list": (
        lambda: go(Model(f.cluster_score(lambda d, m: 1.0, 0.0, 3)), Partition.singletons(9)),
        *(InputError, "3 mentions but the start has 9", "the same mentions"),
    ),
    "columns": (
        lambda: go(Model(f.agreement({"a": [0, 1]}))),
        *(InputError, "2 mentions but the start has 3", "the same mentions"),
    ),
    "variables": (
        lambda: go(field(), Labels.of([0] * 3, 2)),
        *(InputError, "2 variables but the start has 3", "the same variables"),
    ),
    "edges outside": (
        lambda: go(Model(f.pairwise([[0, 4]], 2)), Labels.of([0] * 3, 2)),
        *(InputError, "5 variables but the start has 3", "the same variables"),
    ),
    "domain": (
        lambda: go(field(), Labels.of([0] * 2, 3)),
        *(InputError, "domain of 3", "a label for every value"),
    ),
    "candidates": (
        lambda: go(proposal=p.join_neighbour([[0, 1]], 2)),
        *(InputError, "2 mentions but the start has 3", "the same mentions"),
    ),
    "Gibbs candidates": (
        lambda: go(proposal=p.gibbs_neighbour([[0, 1]], 2)),
        *(InputError, "2 mentions but the start has 3", "the same mentions"),
    ),
    "canopies": (
        lambda: go(proposal=p.pair_move(p.one_canopy(4))),
        *(InputError, "4 mentions but the start has 3", "the same mentions"),
    ),
    "crossing": (
        lambda: go(start=Partition.one_entity(3), proposal=p.pair_move(p.canopies_of([0, 0, 1]))),
        *(InputError, "mention 0", "start from singletons"),
    ),
    "wrong proposal": (
        lambda: go(proposal=p.flip()),
        *(ModelError, "'flip' moves Labels", "a proposal for Partition"),
    ),
    "wrong proposal for labels": (
        lambda: go(field(), Labels.of([0, 0], 2), proposal=p.join_neighbour([[0, 1]], 2)),
        *(ModelError, "moves Partition", "a proposal for Labels"),
    ),
    "starts": (lambda: go(start=[THREE], chains=2), InputError, "1 starts for 2", "one for each"),
    "mode": (lambda: go(mode="best"), InputError, "'best'", "'posterior' or 'map'"),
    "sweep": (lambda: go(sweep="all"), InputError, "'all'", "'random' or 'canopies'"),
    "sweep without canopies": (
        lambda: go(sweep="canopies"),
        *(InputError, "'move_to_entity'", "use pair_move"),
    ),
    "no draws": (lambda: go(draws=0), InputError, "draws is 0", "at least 1"),
    "half a draw": (lambda: go(draws=1.5), InputError, "draws is 1.5", "whole number"),
    "negative tune": (lambda: go(tune=-1), InputError, "tune is -1", "at least 0"),
    "no chains": (lambda: go(chains=0), InputError, "chains is 0", "at least 1"),
    "no cores": (lambda: go(cores=0), InputError, "cores is 0", "at least 1"),
    "no thinning": (lambda: go(thin=0), InputError, "thin is 0", "at least 1"),
    "no steps": (lambda: go(steps=0), InputError, "steps is 0", "at least 1"),
    "no factors": (lambda: go(factors=-3), InputError, "factors is -3", "at least 1"),
    "no seconds": (lambda: go(seconds=0.0), InputError, "seconds is 0.0", "positive"),
    "NaN seconds": (lambda: go(seconds=NAN), InputError, "seconds is nan", "positive"),
    "checkpoint_every": (
        lambda: go(checkpoint_every=-1.0),
        *(InputError, "checkpoint_every is -1.0", "positive"),
    ),
    "negative seed": (lambda: go(random_seed=-1), InputError, "is -1", "at least 0"),
    "seed of text": (lambda: go(random_seed="x"), InputError, "'x'", "whole number"),
    "temperature 0": (lambda: go(temperature=0.0), InputError, "is 0.0", "positive"),
    "temperature below 0": (lambda: go(temperature=-1.0), InputError, "is -1.0", "positive"),
    "temperature NaN": (lambda: go(temperature=NAN), InputError, "is nan", "positive"),
    "temperature of text": (lambda: go(temperature="hot"), InputError, "'hot'", "a number"),
    "temperature of nothing": (
        lambda: go(temperature=lambda progress: None, mode="map"),
        *(InputError, "is None", "positive"),
    ),
    "cooling while sampling": (
        lambda: go(temperature=cooling()),
        *(InputError, "changing temperature", "use mode='map'"),
    ),
    "minibatch of a prior": (
        lambda: go(Model(f.ewens()), estimator=e.minibatch()),
        *(InputError, "needs a bound", "pass bound="),
    ),
    "minibatch when hot": (
        lambda: go(estimator=e.minibatch(), temperature=2.0),
        *(InputError, r"minibatch\(0\)", r"use exact\(\)"),
    ),
    "learning by minibatch": (
        lambda: go(
            estimator=e.minibatch(), learner=lr.mira(), objective=lr.pair_accuracy([0, 0, 1])
        ),
        *(ModelError, r"minibatch\(0\)", r"use exact\(\)"),
    ),
    "no objective": (lambda: go(learner=lr.mira()), ModelError, "no objective", "give both"),
    "truth short": (
        lambda: go(learner=lr.mira(), objective=lr.pair_accuracy([0, 1])),
        *(InputError, "2 true labels but the start has 3", "one for each"),
    ),
    "truth of labels": (
        lambda: go(learner=lr.mira(), objective=lr.hamming([0, 1, 0])),
        *(ModelError, "judges Labels", "an objective for Partition"),
    ),
    "too many draws": (
        lambda: go(draws=10**10),
        *(InputError, r"\d+\.\d GB", "record=False"),
    ),
    "folder": (
        lambda: go(checkpoint="/dev/null/x"),
        *(InputError, "/dev/null/x", "a folder that can be written"),
    ),
}
TABLE = {
    f"{group}: {name}": case
    for group, cases in (
        ("state", STATES),
        ("table", TABLES),
        ("aggregate", AGGREGATES),
        ("field", FIELDS),
        ("function", FUNCTIONS),
        ("model", MODELS),
        ("part", PARTS),
        ("run", RUNS),
    )
    for name, case in cases.items()
}


def told(call, error):
    """The message of the error, which must be one sentence."""
    with pytest.raises(PartitaError) as caught:
        call()
    assert caught.type is error
    message = str(caught.value)
    assert "\n" not in message
    assert not re.search(r"[.!?]\s+[A-Z]", message), "more than one sentence"
    assert not message.endswith((".", "!", " "))
    # the longest quotes a line of the user's own
    assert len(message) < 330
    return message


@pytest.mark.parametrize("name", TABLE)
def test_one_sentence_names_the_value_and_the_remedy(name):
    call, error, value, remedy = TABLE[name]
    message = told(call, error)
    assert re.search(value, message), message
    assert re.search(remedy, message), message


@pytest.mark.compiled
@pytest.mark.parametrize("name", NOT_COMPILED)
def test_functions_that_do_not_compile(name):
    call, error, value, remedy = NOT_COMPILED[name]
    message = told(call, error)
    assert re.search(value, message), message
    assert re.search(remedy, message), message


# ---- what comes to light while the chain runs


def trap(data, i, j):
    return data[0] if i + j == 3 else 0.0


@pytest.mark.parametrize("value", [NAN, INF])
def test_a_function_that_returns_nonsense_later(value, tmp_path):
    model = Model(f.similarity(trap, np.array([value]), 4))
    settings = {"start": Partition.singletons(4), "draws": 10**6, "checkpoint": tmp_path}
    message = told(lambda: go(model, **settings), ModelError)
    assert re.search(r"at step \d+ the score became NaN or infinite", message)
    assert "returns finite numbers" in message


def test_a_start_that_scores_nothing():
    model = Model(f.similarity(trap, np.array([-INF]), 4))
    message = told(lambda: go(model, Partition.one_entity(4)), InputError)
    assert "the score -inf; start from one" in message


def test_a_foreign_and_a_corrupt_checkpoint(tmp_path):
    go(checkpoint=tmp_path)
    message = told(lambda: go(checkpoint=tmp_path, random_seed=5), CheckpointError)
    assert re.search(r"its random_seed is 0, this one's is 5; give another folder", message)
    message = told(lambda: go(pairs_model(), checkpoint=tmp_path, draws=3), CheckpointError)
    assert "its draws is 2" in message
    (tmp_path / "chain-0.npz").write_bytes(b"rubbish")
    message = told(lambda: go(checkpoint=tmp_path), CheckpointError)
    assert re.search(r"chain-0.npz is damaged .*; delete .* to start anew", message)


def test_questions_that_a_search_cannot_answer():
    found = go(mode="map")
    message = told(lambda: found.p_same([[0, 1]]), ModeError)
    assert "p_same cannot be had from a MAP search" in message
    assert "run sample(..., mode='posterior')" in message


def test_errors_are_values_and_states_of_python_too():
    assert issubclass(InputError, ValueError)
    assert issubclass(ModelError, ValueError)
    assert issubclass(ModeError, RuntimeError)
    assert issubclass(CheckpointError, RuntimeError)
