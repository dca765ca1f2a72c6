import numpy as np
import pyarrow.csv as csv
import pytest

import partita
from partita.errors import InputError
from partita.knowledge.embeddings import EmbeddingSettings
from partita.knowledge.fact_scores import label_share
from partita.knowledge.facts import MIN_HIDDEN_SHARE, _plan_folds
from partita.knowledge.rule_weights import CELL_GROUPS, group_cells
from partita.knowledge.rules import load_rules
from partita.knowledge.triples import load_triples
from partita.knowledge.worlds import build_world
from partita.metrics import calibration
from tests.knowledge.generated import RULES, make_families

# no kernels of its own: those it calls are tested as plain Python where they stand
pytestmark = pytest.mark.compiled

SMALL = EmbeddingSettings(rank=16, epochs=15)


@pytest.fixture(scope="module")
def families():
    kept, missing = make_families(120)
    return partita.facts(kept, RULES, embedding=SMALL, seed=1), missing


def test_missing_facts_get_high_probabilities(families):
    found, missing = families
    names = {found.world.triples.name(fact) for fact in found.world.facts}
    derived = [fact for fact in missing if fact in names]
    assert len(derived) > 0.5 * len(missing)
    inside = [found.probability(*fact) for fact in derived]
    others = [
        p
        for fact, p in zip(found.world.facts, found.p, strict=True)
        if found.world.triples.name(fact) not in set(missing)
    ]
    assert np.mean(inside) > 0.7 > 0.4 > np.mean(others)


def test_probabilities_are_calibrated(families):
    found, missing = families
    truth = [found.world.triples.name(fact) in set(missing) for fact in found.world.facts]
    assert calibration(found.p, truth).ece_width < 0.1


def test_weights_are_learned_and_rules_rated(families):
    found, _ = families
    rows = found.rules().to_pylist()
    assert found.summary()["weights"] == "learned"
    assert [row["rule"] for row in rows] == [str(rule) for rule in found.world.rules]
    assert rows[1]["pca_confidence"] == pytest.approx(1.0)
    assert 0.6 < rows[0]["pca_confidence"] < 1.0
    assert rows[1]["weight"] > 0.5
    assert found.learned.samplerank is not None


def test_a_fact_is_explained_by_its_groundings(families):
    found, _ = families
    row = next(row for row in found.table().to_pylist() if row["rule"] and row["p"] > 0.8)
    told = found.explain(row["head"], row["relation"], row["tail"])  # prose: ok
    assert told.p == pytest.approx(row["p"], abs=1e-6)
    assert told.pulls[0].rule == row["rule"]
    assert "without rules" in str(told)
    total = told.embedding + sum(pull.log_odds for pull in told.pulls)
    assert total > 0


def test_rules_alone_give_the_stated_confidence():
    rows = [("ann", "profAt", "ucl"), ("bob", "worksFor", "ucl"), ("cy", "profAt", "mit")]
    found = partita.facts(rows, "0.9 :: worksFor(x,y) :- profAt(x,y)", embedding=False)
    assert found.probability("ann", "worksFor", "ucl") == pytest.approx(0.9, abs=1e-6)
    assert found.probability("bob", "worksFor", "ucl") == 1.0
    assert found.table().num_rows == 2
    with pytest.raises(InputError, match="no rule derives bob profAt ucl"):
        found.probability("bob", "profAt", "ucl")


def test_facts_in_question_need_no_rule():
    kept, _ = make_families(30)
    found = partita.facts(kept, ask=[("ann0", "livesIn", "?")], embedding=SMALL)
    table = found.table().to_pylist()
    assert {row["head"] for row in table} == {"ann0"}
    p = [row["p"] for row in table]
    assert p == sorted(p, reverse=True)
    key = found.world.keys
    assert found.score(found.world.facts) == pytest.approx(found.log_odds, abs=1e-6)
    assert len(key) == len(p)


def test_conflicts_are_listed():
    rows = [("ann", "bornIn", "Rome"), ("ann", "bornIn", "Oslo"), ("bob", "bornIn", "Rome")]
    rules = "not bornIn(x,z) :- bornIn(x,y), bornIn(x,z), y != z"
    found = partita.facts(rows, rules, embedding=False)
    listed = found.conflicts().to_pylist()
    assert len(listed) == 2
    assert listed[0]["line"] == 1
    assert "ann bornIn" in listed[0]["head"]


def test_results_do_not_depend_on_the_order_of_facts():
    kept, _ = make_families(20)
    one = partita.facts(kept, RULES, embedding=False, learn=False, draws=50)
    other = partita.facts(kept[::-1], RULES, embedding=False, learn=False, draws=50)
    for row in one.table().to_pylist()[:10]:
        fact = row["head"], row["relation"], row["tail"]
        assert other.probability(*fact) == pytest.approx(row["p"], abs=0.1)


def test_tables_are_written(tmp_path, families):
    found, _ = families
    path = found.write(tmp_path / "facts.csv")
    assert csv.read_csv(path).column_names == [
        *("head", "relation", "tail", "p", "p_embedding", "groundings", "rule"),
    ]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "neither a rule nor a fact in question"),
        ({"ask": [("a", "q", "b")]}, "line 1 of ask has the unknown relation 'q'; no fact has it"),
        ({"ask": [("z", "r", "b")]}, "line 1 of ask names the unknown entity 'z'"),
        ({"rules": "r(x,y) :- r(y,x)", "missing": 1.5}, "missing is 1.5"),
        ({"rules": "r(x,y) :- r(y,x)", "depth": 0}, "depth is 0"),
        ({"rules": "q(x,y) :- r(y,x)"}, "line 1 of the rules has the unknown relation 'q'"),
        ({"rules": "r(x,z) :- r(y,x)"}, "leaves the variable 'z'"),
    ],
)
def test_bad_input_is_refused(arguments, words):
    with pytest.raises(InputError) as caught:
        partita.facts([("a", "r", "b")], embedding=False, **arguments)
    assert words in str(caught.value)


def test_unknown_names_are_refused(families):
    found, _ = families
    with pytest.raises(InputError, match="no entity 'zoe'"):
        found.probability("zoe", "livesIn", "town1")
    with pytest.raises(InputError, match="is observed to be true"):
        found.explain(*found.world.triples.name(found.world.triples.facts[0]))


def test_the_posterior_is_calibrated_on_hidden_facts():
    kept, _ = make_families(200, seed=2)
    completed = partita.facts(kept, RULES, embedding=SMALL, seed=2)
    intercept, slope = completed.learned.calibration
    assert (intercept, slope) != (0.0, 1.0)
    p = completed.pulls.p
    expected = 1 / (1 + np.exp(-(intercept + slope * np.log(p / (1 - p)))))
    np.testing.assert_allclose(completed.p, expected, atol=1e-9)
    stated = partita.facts(kept, RULES, embedding=False, learn=False, seed=2)
    assert stated.learned.calibration == (0.0, 1.0)


def test_a_fact_has_the_same_group_in_every_world():
    keys = np.arange(4_000, dtype=np.int64) * 37
    groups = group_cells(keys)
    assert np.array_equal(group_cells(keys[::3]), groups[::3])
    assert np.abs(np.bincount(groups, minlength=CELL_GROUPS) / keys.size - 0.25).max() < 0.05


def test_true_heads_stay_likely_beside_rules_that_do_not_matter():
    # all alliances are mutual, so that every fact in question is true
    rng = np.random.default_rng(0)
    pairs = [(i, j) for i in range(40) for j in range(i) if rng.random() < 0.4]
    rows = [(f"e{a}", "allied", f"e{b}") for i, j in pairs for a, b in ((i, j), (j, i))]
    kept = [row for row in rows if rng.random() > 0.2]
    rules = ["allied(y, x) :- allied(x, y)"]
    for number in range(20):
        rules.append(f"allied(y, x) :- allied(x, y), red{number}(x, x)")
        kept += [(f"e{k}", f"red{number}", f"e{k}") for k in rng.choice(40, 8, replace=False)]
    completed = partita.facts(kept, "\n".join(rules), embedding=False, seed=1)
    assert completed.summary()["weights"] == "learned"
    assert completed.p.mean() > 0.95


def test_labels_of_hidden_facts_are_a_share_of_the_absent_true_ones():
    labelled, shift = label_share(0.2, 0.2)
    assert labelled == pytest.approx(0.8 / 1.8)
    assert shift == pytest.approx(-np.log(1.8))
    # 100 true facts: 20 are absent, a tenth of the other 80 is hidden
    labelled, shift = label_share(0.2, 0.1)
    assert labelled == pytest.approx(8 / 28)
    assert np.exp(-shift) == pytest.approx(28 / 20)


def test_folds_hide_few_facts_of_a_large_world_and_more_of_a_small_one():
    rules = load_rules(RULES)
    plans = []
    for families in (20, 2_000):
        [observed] = load_triples(make_families(families)[0])
        world = build_world(observed, rules, np.random.default_rng(0))
        plans.append(_plan_folds(world, 0.2))
    assert plans[0] == (0.2, 5)
    assert plans[1][0] == MIN_HIDDEN_SHARE
    assert plans[1][1] * plans[1][0] <= 1.0
