import itertools

import numpy as np
import pytest

from partita.knowledge.groundings import find_groundings, index_facts
from partita.knowledge.rules import parse_rule
from partita.knowledge.triples import load_triples

ENTITIES = [f"e{k}" for k in range(7)]


def random_triples(seed, n=40):
    rng = np.random.default_rng(seed)
    rows = [
        (ENTITIES[a], "rst"[r], ENTITIES[b])
        for a, r, b in zip(*(rng.integers(0, m, n) for m in (7, 3, 7)), strict=True)
    ]
    every = [("e0", "r", name) for name in ENTITIES] + [("e0", name, "e1") for name in "rst"]
    return load_triples(rows, every)[0]


def naive(rule, triples):
    """All bindings of the variables, tried one by one: (body keys, head key)."""
    facts = {triples.name(fact) for fact in triples.facts}
    variables = sorted({v for atom in (*rule.body, rule.head) for v in atom.variables})
    out = set()
    for values in itertools.product(triples.entities, repeat=len(variables)):
        bound = dict(zip(variables, values, strict=True))

        def name(term, bound=bound):
            return bound[term] if isinstance(term, str) else term.name

        named = [(name(a.first), a.relation, name(a.second)) for a in (*rule.body, rule.head)]
        if all(fact in facts for fact in named[:-1]) and all(
            name(a) != name(b) for a, b in rule.distinct
        ):
            out.add(tuple(named))
    return out


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "text",
    [
        "t(x,y) :- r(x,y)",
        "t(x,y) :- r(y,x)",
        "t(x,z) :- r(x,y), s(y,z)",
        "t(x,z) :- r(y,x), s(y,z)",
        "t(x,z) :- r(x,y), s(z,y), x != z",
        "t(x,w) :- r(x,y), s(y,z), r(z,w)",
        "t(x,y) :- r(x,y), s(x,y)",
        "t(x,y) :- r(x,x), s(x,y)",
        "t(x,'e3') :- r(x,'e2'), s(y,x)",
        "t(x,y) :- r(x,'e1'), s('e2',y)",
    ],
)
def test_joins_equal_the_naive_search(text, seed):
    triples, rule = random_triples(seed), parse_rule(text)
    index = index_facts(triples, triples.keys(triples.facts))
    found = find_groundings(rule, index, index, np.random.default_rng(0))
    rows = [[*body, head] for body, head in zip(found.body, found.head, strict=True)]
    named = {tuple(triples.name(f) for f in triples.facts_of(np.array(row))) for row in rows}
    assert named == naive(rule, triples)
    assert len(named) == len(rows)
    assert found.sampled == 1.0
    assert ((found.share > 0) & (found.share <= 1)).all()


def test_the_share_counts_the_bindings_of_one_argument():
    rows = [("x", "near", "a"), ("x", "near", "b"), ("x", "near", "c"), ("y", "near", "a")]
    rows += [("a", "in", "R"), ("b", "in", "R"), ("c", "in", "S")]
    [triples] = load_triples(rows)
    index = index_facts(triples, triples.keys(triples.facts))
    rule = parse_rule("in(x,r) :- near(x,z), in(z,r)")
    found = find_groundings(rule, index, index, np.random.default_rng(0))
    total = {}
    for key, share in zip(found.head, found.share, strict=True):
        name = triples.name(triples.facts_of(np.array([key]))[0])
        total[name] = total.get(name, 0) + share
    assert total[("x", "in", "R")] == pytest.approx(2 / 3)
    assert total[("x", "in", "S")] == pytest.approx(1 / 3)
    assert total[("y", "in", "R")] == pytest.approx(1.0)
    rule = parse_rule("near(x,y) :- near(y,x)")
    assert find_groundings(rule, index, index, np.random.default_rng(0)).share.tolist() == [1.0] * 4


def test_a_large_join_is_sampled():
    rows = [(f"a{i}", "r", "hub") for i in range(60)] + [("hub", "s", f"b{i}") for i in range(60)]
    [triples] = load_triples([*rows, ("a0", "t", "b0")])
    index = index_facts(triples, triples.keys(triples.facts))
    rule = parse_rule("t(x,z) :- r(x,y), s(y,z)")
    found = find_groundings(rule, index, index, np.random.default_rng(0), limit=600)
    assert 200 < len(found.head) < 1200
    assert found.sampled == pytest.approx(600 / 3600)
