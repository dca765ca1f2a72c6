"""Every state, template and proposal of the library, registered for every law."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import scipy

from partita.factors import (
    Field,
    Model,
    affinity,
    agreement,
    antecedents,
    clauses,
    cluster_score,
    collapsed_link,
    dirichlet_multinomial,
    entities_prior,
    entity_cost,
    ewens,
    hit_miss_model,
    pairwise,
    potential,
    repulsion,
    similarity,
    size_prior,
    surplus,
    unary,
)
from partita.proposals import (
    canopies_of,
    flip,
    gibbs_label,
    gibbs_mention,
    gibbs_neighbour,
    join_neighbour,
    metropolised_gibbs_label,
    mixture,
    move_to_entity,
    multi_try,
    one_canopy,
    pair_move,
    split_merge,
    split_merge_neighbour,
)
from partita.states import Labels, Partition
from tests.laws import naive
from tests.laws.registry import Subject, register

rng = np.random.default_rng(7)


def all_pairs(n):
    return np.array(list(itertools.combinations(range(n), 2)))


def symmetric(pairs, values, n):
    out = np.zeros((n, n, values.shape[1]))
    out[pairs[:, 0], pairs[:, 1]] = values
    out[pairs[:, 1], pairs[:, 0]] = values
    return out


def table_subject(n):
    """Affinity with two features, repulsion on some pairs, and a cost per entity."""
    pairs, some = all_pairs(n), all_pairs(n)[::2]
    values, push = rng.normal(size=(len(pairs), 2)), rng.normal(size=(len(some), 1))
    model = Model(
        affinity(pairs, values, n, features=("a", "b"), weights=(0.8, -0.5)),
        repulsion(some, push, n, weights=0.6),
        entity_cost(0.3),
    )
    twin = naive.together(
        naive.pair_sum(symmetric(pairs, values, n)),
        naive.pair_sum(symmetric(some, push, n), sign=-1),
        naive.entity_count,
    )
    return Subject(model, twin, Partition.singletons(n))


def near(data, i, j):
    return 0.5 - abs(data[i] - data[j])


def near_and_far(data, i, j):
    gap = abs(data[i] - data[j])
    return 0.5 - gap, gap * gap


def spread(data, members):
    low, high = data[members[0]], data[members[0]]
    for m in members:
        low = min(low, data[m])
        high = max(high, data[m])
    return low - high


def lazy_subject(n):
    """A user's function of pairs, one of whole entities, and priors on size and number."""
    data = rng.normal(size=n)
    sizes = np.array([0.0, 0.2, -0.3, 0.1])
    numbers = rng.normal(size=n + 1)
    model = Model(
        similarity(near_and_far, data, n, features=("near", "far"), weights=(1.2, -0.4)),
        cluster_score(spread, data, n, weight=0.7),
        similarity(near, data, n, weights=0.4, apart=True, name="apart"),
        size_prior(sizes),
        entities_prior(numbers),
    )
    one = np.array([[near(data, i, j) for j in range(n)] for i in range(n)])
    both = np.array([[near_and_far(data, i, j) for j in range(n)] for i in range(n)])
    twin = naive.together(
        naive.pair_sum(both),
        naive.cluster(spread, data),
        naive.pair_sum(one, sign=-1),
        naive.by_size(sizes),
        naive.by_count(numbers),
    )
    return Subject(model, twin, Partition.singletons(n))


def surplus_subject(n):
    """Further records of two sources, one mention without a source, and affinities."""
    source, values = np.array([0, 1, 0, -1, 0, 1][:n]), rng.normal(size=(len(all_pairs(n)), 1))
    costs = np.array([0.9, 0.4, 0.2, 0.7, 0.0, 1.3][:n])
    model = Model(affinity(all_pairs(n), values, n), surplus(source, ("one", "two"), costs))
    pairs = naive.pair_sum(symmetric(all_pairs(n), values, n))
    return Subject(
        model, naive.together(pairs, naive.surplus(source, costs)), Partition.singletons(n)
    )


def columns_and_bag(n, counts):
    columns = {"a": rng.integers(-1, 2, n), "b": rng.integers(-1, 3, n)}
    bag = rng.integers(0, 3, (n, 4)) if counts else np.round(rng.normal(size=(n, 4)) * 16) / 16
    return columns, bag


def agreement_subject(n, storage):
    columns, bag = columns_and_bag(n, counts=False)
    model = Model(agreement(columns, {"bag": bag}, missing=0.2, storage=storage), ewens(0.8))
    twin = naive.together(naive.agreement(list(columns.values()), [bag]), naive.ewens)
    return Subject(model, twin, Partition.singletons(n))


def dirichlet_subject(n, storage):
    columns, bag = columns_and_bag(n, counts=True)
    model = Model(
        dirichlet_multinomial(columns, {"bag": bag}, concentration=2.0, storage=storage),
        entity_cost(0.2),
    )
    priors = []
    for values in columns.values():
        shown = values[values >= 0]
        share = np.array([(shown == k).mean() for k in sorted(set(shown), key=str)])
        priors.append(2.0 * share)
    tokens = np.maximum(bag.sum(0).astype(float), 1e-12)
    priors.append(2.0 * tokens / tokens.sum())
    twin = naive.together(
        naive.dirichlet(list(columns.values()), [bag], priors), naive.entity_count
    )
    return Subject(model, twin, Partition.singletons(n))


def link_subject(n, storage):
    """Mentions with some candidates of four, one mention without any."""
    listed = np.array([[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 0, 0], [1, 0, 1, 1]], bool)[:n]
    values = np.round(rng.normal(size=listed.shape) * 16) / 16
    prior, nil, unlisted = np.array([0.2, 0.1, 0.3, 0.1]), 0.3, -1.5
    rows, places = np.nonzero(listed)
    scores = scipy.sparse.csr_array((values[listed], (rows, places)), shape=listed.shape)
    template = collapsed_link(scores, prior, nil, unlisted=unlisted, storage=storage)
    dense = np.where(listed, values, np.where(listed.any(1, keepdims=True), unlisted, 0.0))
    twin = naive.together(naive.collapsed_link(dense, prior, nil), naive.entity_count)
    return Subject(Model(template, entity_cost(0.4)), twin, Partition.singletons(n))


def antecedents_subject(n):
    """Mentions in order, each with a random distribution over earlier ones and a new entity."""
    shares = [rng.dirichlet(np.ones(j + 1)) for j in range(n)]
    start = np.cumsum([0, *range(n)])
    earlier = np.concatenate([np.arange(j) for j in range(n)])
    values = np.round(np.concatenate([share[1:] for share in shares]) * 2.0**40) / 2.0**40
    new = np.array([share[0] for share in shares])
    template = antecedents(start, earlier, values, new)
    dense = np.zeros((n, n))
    dense[np.tril_indices(n, -1)] = values
    twin = naive.together(naive.antecedents(dense, new), naive.entity_count)
    return Subject(Model(template, entity_cost(0.3)), twin, Partition.singletons(n))


def urn_subject(n, own=False):
    """Two fields with alike values, missing ones, rare and common ones.

    With `own` a field has frequencies by mention, and values that are alike for another reason.
    """
    fields, twins = {}, []
    for name, values, theta, term_frequency in (("name", 4, 2.0, 0.5), ("year", 3, 0.7, 0.0)):
        phi = rng.dirichlet(np.ones(values))
        codes = rng.integers(-1, values, n)
        ratios, pairs, levels = np.array([-0.2, 1.1, 0.4, -1.5]), [[0, 1], [2, 1]], [1, 2]
        fields[name] = Field(codes, phi, ratios, pairs, levels, theta, term_frequency)
        known = {(min(p), max(p)): level for p, level in zip(pairs, levels, strict=True)}
        twin = {"codes": codes, "phi": phi, "ratios": ratios, "levels": known}
        twins.append({**twin, "theta": theta, "term_frequency": term_frequency})
        if own and name == "name":
            alone = np.log(phi)[codes] - np.array([0.0, 0.7, 0.2, 1.1])[:n]
            fields[name] = replace(fields[name], own=alone, conditional_u=[0.0, 0.9])
            twins[-1] |= {"own": alone, "conditional_u": {(0, 1): 0.0, (1, 2): 0.9}}
    sizes = np.array([0.0, 0.0, -0.5, -0.2, 0.3])
    model = Model(hit_miss_model(fields, weights=(1.0, 0.6)), size_prior(sizes))
    twin = naive.together(naive.hit_miss(twins), naive.by_size(sizes))
    return Subject(model, twin, Partition.singletons(n))


def odd(data, k, values):
    total = 0
    for v in values:
        total += v
    return data[k] if total % 2 == 1 else 0.0


def labels_subject(domain=(2, 3, 2)):
    """Unary and pairwise factors with shared weights, and a user's factor of three variables."""
    n = len(domain)
    observed = rng.normal(size=(n, 2))
    edges, kinds = np.array([[0, 1], [2, 1]]), np.array([0, 1])
    scopes, data = [[0, 1, 2], [1, 2]], np.array([0.7, -0.4])
    model = Model(
        unary(observed, 3, weights=rng.normal(size=(3, 2))),
        pairwise(edges, 3, kind=kinds, kinds=("x", "y"), weights=rng.normal(size=18)),
        potential(odd, scopes, data, weight=1.3),
    )
    twin = naive.together(
        naive.unary(observed, 3),
        naive.pairwise(edges, kinds, 2, 3),
        naive.potential(odd, scopes, data),
    )
    return Subject(model, twin, Labels.of([0] * n, domain))


def rules_subject():
    """Unary factors of three facts, and five clauses of two rules over one to three of them."""
    observed = np.array([[0.4], [-0.7], [0.2]])
    scopes, bad = [[0], [0, 1], [1, 2], [2, 1, 0], [2]], [[0], [1, 0], [1, 0], [1, 1, 0], [1]]
    kinds, values = [0, 1, 0, 1, 1], [1.0, 0.5, 1.0, 0.25, 2.0]
    flat, lengths = [v for scope in scopes for v in scope], [len(scope) for scope in scopes]
    wrong = [label for row in bad for label in row]
    names, weights = ("implies", "joins"), (0.9, -0.6)
    model = Model(
        unary(observed, 2, weights=[[0.0], [1.0]]),
        clauses(flat, wrong, lengths, rule=kinds, rules=names, values=values, weights=weights),
    )
    twin = naive.together(naive.unary(observed, 2), naive.clauses(scopes, bad, kinds, values, 2))
    return Subject(model, twin, Labels.of([0, 0, 0], 2))


TABLE, TABLE3 = table_subject(4), table_subject(3)
LAZY = lazy_subject(4)
LABELS = labels_subject()
DENSE, SPARSE = agreement_subject(4, "dense"), agreement_subject(4, "sparse")
COUNTS, HASHED = dirichlet_subject(4, "dense"), dirichlet_subject(4, "sparse")
ALL4, SOME4 = one_canopy(4), all_pairs(4)[[0, 1, 3, 5]]

register("labels/flip", LABELS, flip())
register("labels/gibbs", LABELS, gibbs_label())
register("labels/metropolised_gibbs", LABELS, metropolised_gibbs_label())
register("labels/multi_try", LABELS, multi_try(flip(), 2))
register("rules/flip", rules_subject(), flip())
register("rules/gibbs", rules_subject(), gibbs_label())
register("table/move_to_entity", TABLE, move_to_entity())
register("table/pair_move", TABLE, pair_move(ALL4))
register("table/canopies", TABLE, pair_move(canopies_of([0, 0, 1, 0])), ergodic=False)
register("table/join_neighbour", TABLE, join_neighbour(SOME4, 4), ergodic=False)
register("table/gibbs_mention", TABLE, gibbs_mention())
register("table/gibbs_neighbour", TABLE, gibbs_neighbour(SOME4, 4), ergodic=False)
register("table/multi_try", TABLE3, multi_try(move_to_entity(), 2))
register("table/split_merge", TABLE, split_merge(ALL4))
register("table/split_merge_neighbour", TABLE, split_merge_neighbour(SOME4, 4), ergodic=False)
for make in (join_neighbour, gibbs_neighbour, split_merge_neighbour):
    # those that are not among them never move of themselves, so not every state is reached
    some = make(SOME4, 4, among=[1, 3])
    register(f"among/{some.name}", TABLE, some, ergodic=False)
register("table/mixture", TABLE, mixture([pair_move(ALL4), split_merge(ALL4)], [0.7, 0.3]))
register("lazy/pair_move", LAZY, pair_move(ALL4))
register("lazy/split_merge", LAZY, split_merge(ALL4))
register("dense/gibbs_mention", DENSE, gibbs_mention())
register("dense/split_merge", DENSE, split_merge(ALL4))
register("sparse/pair_move", SPARSE, pair_move(ALL4))
register("sparse/split_merge", SPARSE, split_merge(ALL4))
register("counts/multi_try", dirichlet_subject(3, "dense"), multi_try(pair_move(one_canopy(3)), 2))
register("counts/split_merge", COUNTS, split_merge(ALL4))
register("hashed/move_to_entity", HASHED, move_to_entity())
register("hashed/split_merge", HASHED, split_merge(ALL4))

LINKED, LINKED_SPARSE = link_subject(4, "dense"), link_subject(4, "sparse")
register("link/gibbs_mention", LINKED, gibbs_mention())
register("link/split_merge", LINKED, split_merge(ALL4))
register("link sparse/pair_move", LINKED_SPARSE, pair_move(ALL4))
register("link sparse/split_merge", LINKED_SPARSE, split_merge(ALL4))

TEXT = antecedents_subject(4)
register("antecedents/gibbs_mention", TEXT, gibbs_mention())
register("antecedents/pair_move", TEXT, pair_move(ALL4))
register("antecedents/split_merge", TEXT, split_merge(ALL4))

TABLE5, ALL5 = table_subject(5), one_canopy(5)
register("fifty-two/move_to_entity", TABLE5, move_to_entity())
register("fifty-two/pair_move", TABLE5, pair_move(ALL5))
register("fifty-two/gibbs_mention", agreement_subject(5, "sparse"), gibbs_mention())
SURPLUS = surplus_subject(5)
register("surplus/gibbs_mention", SURPLUS, gibbs_mention())
register("surplus/split_merge", SURPLUS, split_merge(ALL5))
URN = urn_subject(4)
register("urn/gibbs_mention", URN, gibbs_mention())
register("urn/split_merge", URN, split_merge(ALL4))
register("urn own/gibbs_mention", urn_subject(4, own=True), gibbs_mention())
register("urn own/split_merge", urn_subject(4, own=True), split_merge(ALL4))
