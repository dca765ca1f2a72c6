import json

import numpy as np
import pytest

from partita.comparison.comparisons import Comparisons
from partita.errors import InputError
from partita.linkage import PairModel, fit_pairs
from partita.linkage.pairwise.random_pairs import RandomPairs, estimate_u
from tests.linkage.generated import Sample, average_precision, column, people


@pytest.fixture(scope="module")
def sample():
    return people()


@pytest.fixture(scope="module")
def comparisons(sample):
    return Comparisons(sample.columns, sample.column_types)


@pytest.fixture(scope="module")
def model(sample):
    return fit_pairs(sample.columns, sample.column_types, sample.pairs, sample.n)


def test_duplicates_are_found_without_labels(sample, comparisons, model):
    scores = model.score(comparisons, sample.pairs)
    assert 0.02 < sample.truth.mean() < 0.9
    assert average_precision(scores.total, sample.truth) > 0.99
    found = scores.probability > 0.5
    assert (found == sample.truth).mean() > 0.99
    assert scores.probability.sum() == pytest.approx(sample.truth.sum(), rel=0.1)
    assert model.lam == pytest.approx(sample.truth.sum() / (sample.n * (sample.n - 1) / 2), rel=0.1)


def test_m_is_near_what_the_true_matches_show(sample, comparisons, model):
    levels = comparisons.levels(sample.pairs)[sample.truth]
    for q, m in enumerate(model.m):
        seen = levels[:, q][levels[:, q] >= 0]
        assert m[0] == pytest.approx((seen == 0).mean(), abs=0.05)


def test_a_score_is_the_sum_of_its_parts(sample, comparisons, model):
    scores = model.score(comparisons, sample.pairs)
    parts = scores.prior + scores.columns.sum(1) + scores.term_frequency.sum(1) + scores.dependence
    assert scores.total == pytest.approx(parts)
    assert scores.match_weight == pytest.approx(scores.total / np.log(2))
    assert scores.probability == pytest.approx(1 / (1 + np.exp(-scores.total)))
    missing = scores.levels < 0
    assert missing.any()
    assert (scores.columns[missing] == 0).all()
    assert (scores.term_frequency[missing] == 0).all()


def test_weights_fall_and_profiles_are_distributions(model):
    for q, weight in enumerate(model.weights()):
        assert (np.diff(weight) <= 1e-9).all()
        assert len(weight) == len(model.level_names[q])
        assert model.m[q].sum() == pytest.approx(1)
        assert model.u[q].sum() == pytest.approx(1)
        assert model.m[q][-1] <= 0.2 + 1e-9


@pytest.mark.compiled
def test_levels_given_are_not_compared_again(sample, comparisons, model):
    levels = comparisons.levels(sample.pairs)
    again = fit_pairs(
        sample.columns,
        sample.column_types,
        sample.pairs,
        sample.n,
        comparisons=comparisons,
        levels=levels,
    )
    assert again.lam == model.lam
    one, two = (
        model.score(comparisons, sample.pairs, levels=given).total for given in (levels, None)
    )
    assert np.array_equal(one, two)


@pytest.mark.compiled
def test_the_same_seed_gives_the_same_model(sample, model, monkeypatch):
    again = fit_pairs(sample.columns, sample.column_types, sample.pairs, sample.n, seed=0)
    assert again.as_dict() == model.as_dict()
    # few enough records are compared all with all; make chance count
    monkeypatch.setattr("partita.linkage.pairwise.random_pairs.RANDOM_PAIRS", 20_000)
    models = [
        fit_pairs(sample.columns, sample.column_types, sample.pairs, sample.n, seed=seed).as_dict()
        for seed in (1, 1, 2)
    ]
    assert models[0] == models[1]
    assert models[0] != models[2]


@pytest.mark.compiled
def test_the_order_of_pairs_does_not_matter(sample, comparisons, model):
    order = np.random.default_rng(0).permutation(len(sample.pairs))
    turned = sample.pairs[order][:, ::-1]
    again = fit_pairs(sample.columns, sample.column_types, turned, sample.n)
    assert again.lam == pytest.approx(model.lam)
    one = model.score(comparisons, sample.pairs).total[order]
    assert again.score(comparisons, turned).total == pytest.approx(one)


@pytest.mark.compiled
def test_households_are_not_taken_for_people():
    sample = people(household=4)
    comparisons = Comparisons(sample.columns, sample.column_types)
    model = fit_pairs(
        sample.columns, sample.column_types, sample.pairs, sample.n, comparisons=comparisons
    )
    blind = PairModel.from_dict(model.as_dict() | {"edges": [], "household": None})
    scores, naive = (one.score(comparisons, sample.pairs) for one in (model, blind))
    assert model.edges or model.household is not None
    assert scores.dependence.min() < -2
    same_home = (scores.levels[:, 2] == 0) & ~sample.truth
    assert same_home.sum() > 100
    assert (scores.probability[same_home] > 0.5).mean() < (
        naive.probability[same_home] > 0.5
    ).mean()
    assert average_precision(scores.total, sample.truth) > average_precision(
        naive.total, sample.truth
    )


def linked(sample, seed=0):
    """Two clean sources: the first record of each entity, and the second one."""
    first = np.unique(sample.entity, return_index=True)[1]
    source = np.ones(sample.n, int)
    source[first] = 0
    # entities with one record are split between the sources
    alone = first[np.bincount(sample.entity)[sample.entity[first]] == 1]
    source[alone] = np.random.default_rng(seed).integers(0, 2, len(alone))
    across = source[sample.pairs[:, 0]] != source[sample.pairs[:, 1]]
    pairs = sample.pairs[across]
    return Sample(sample.columns, sample.column_types, sample.n, sample.entity, pairs), source


@pytest.mark.compiled
@pytest.mark.parametrize("one_to_one", [False, True])
def test_records_of_two_sources_are_linked(sample, comparisons, one_to_one):
    across, source = linked(sample)
    model = fit_pairs(
        *(across.columns, across.column_types, across.pairs, across.n),
        source=[["left", "right"][k] for k in source],
        one_to_one=one_to_one,
    )
    scores = model.score(comparisons, across.pairs)
    assert average_precision(scores.total, across.truth) > 0.99
    size = np.bincount(source)
    assert model.lam == pytest.approx(across.truth.sum() / (size[0] * size[1]), rel=0.1)


def test_a_model_survives_json(sample, comparisons, model):
    again = PairModel.from_dict(json.loads(json.dumps(model.as_dict())))
    assert np.array_equal(
        again.score(comparisons, sample.pairs).total, model.score(comparisons, sample.pairs).total
    )
    with pytest.raises(InputError, match="version 7"):
        PairModel.from_dict(model.as_dict() | {"version": 7})


@pytest.mark.compiled
def test_warnings_name_the_column_and_the_level(sample, model, monkeypatch):
    assert model.converged
    assert any("given (" in one and "'nickname'" in one for one in model.warnings)
    assert not any("converged" in one for one in model.warnings)
    monkeypatch.setattr("partita.linkage.pairwise.em.MAX_STEPS", 1)
    short = fit_pairs(sample.columns, sample.column_types, sample.pairs, sample.n)
    assert not short.converged
    assert any("did not converge in 1 step;" in one for one in short.warnings)


def test_bad_input_gets_one_clear_sentence(sample, comparisons, model):
    given = sample.columns, sample.column_types
    one_source = [0] * sample.n
    cases = [
        (lambda: fit_pairs(*given, [], sample.n), "no candidate pairs"),
        (lambda: fit_pairs(*given, sample.pairs, sample.n + 1), "give one number"),
        (lambda: fit_pairs(*given, sample.pairs, sample.n, source=[0, 1]), "give one for each"),
        (lambda: fit_pairs(*given, sample.pairs, sample.n, source=one_source), "of one source"),
        (lambda: fit_pairs(*given, sample.pairs, sample.n, one_to_one=True), "several sources"),
        (lambda: fit_pairs(*given, sample.pairs, sample.n, seed=-1), "at least 0"),
        (
            lambda: fit_pairs(
                *given, sample.pairs, sample.n, source=np.arange(sample.n) >= sample.n // 2
            ),
            "is of one source; leave such pairs out",
        ),
        (
            lambda: fit_pairs(*given, sample.pairs, sample.n, levels=np.zeros((1, 1), np.int8)),
            "levels have shape (1, 1)",
        ),
        (
            lambda: model.score(Comparisons(given[0][:1], given[1][:1]), sample.pairs),
            "are not those of the model",
        ),
    ]
    for call, words in cases:
        with pytest.raises(InputError) as caught:
            call()
        assert words in str(caught.value)


@pytest.mark.compiled
def test_columns_without_information_change_nothing(sample, comparisons, model):
    empty = column("empty", [""] * sample.n)
    constant = column("constant", ["x"] * sample.n)
    columns, column_types = (
        [*sample.columns, empty, constant],
        [*sample.column_types, "code", "category"],
    )
    wide = fit_pairs(columns, column_types, sample.pairs, sample.n)
    found = wide.score(Comparisons(columns, column_types), sample.pairs)
    assert (found.columns[:, -2] == 0).all()
    assert np.abs(found.columns[:, -1]).max() < 0.1
    assert found.total == pytest.approx(model.score(comparisons, sample.pairs).total, abs=0.5)


def test_u_of_equal_values_is_counted_and_not_drawn(sample, comparisons, monkeypatch):
    monkeypatch.setattr("partita.linkage.pairwise.random_pairs.RANDOM_PAIRS", 2000)
    codes = sample.columns[4].codes
    filled = codes[codes >= 0]
    equal = (filled[:, None] == filled[None]).sum() - len(filled)
    truth = equal / (len(filled) * (len(filled) - 1))
    common = [0.0] * 4 + [truth, 0.0]
    found = estimate_u(comparisons, common, None, RandomPairs.draw(comparisons, None, 0))[4]
    assert found.sum() == pytest.approx(1)
    assert found[0] == pytest.approx(truth, rel=1e-6)


def test_dates_written_in_two_ways_are_equal_by_chance_too():
    texts = ["1999 01 02", "02 01 1999"] * 50
    both = Comparisons([column("born", texts)], ["date"])
    found = estimate_u(both, [49 / 99], None, RandomPairs.draw(both, None, 0))[0]
    assert found[0] > 0.99
