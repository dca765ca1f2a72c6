"""Models, proposals, estimators, learners and objectives."""

import pytest

from partita import Model, cooling
from partita import estimators as e
from partita import factors as f
from partita import learning as lr
from partita import proposals as p
from partita.errors import InputError, ModelError
from tests.bad_input.sentences import INF, NAN, names_value_and_remedy

MODELS = {
    "no templates": (Model, ModelError, "none was given", "at least one template"),
    "not a template": (lambda: Model(3), ModelError, "3 is not a template", "give templates"),
    "two kinds": (
        lambda: Model(f.ewens(), f.unary([[1.0]], 2)),
        *(ModelError, "Labels and Partition", "one type of state"),
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
        *(ModelError, "Labels and Partition", "one type of state"),
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


@pytest.mark.parametrize("name", MODELS)
def test_models(name):
    names_value_and_remedy(MODELS[name])


@pytest.mark.parametrize("name", PARTS)
def test_parts_of_a_chain(name):
    names_value_and_remedy(PARTS[name])
