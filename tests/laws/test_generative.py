"""Geweke's test of the generative record model, whose parameters are drawn with the partition.

Parameters, sizes, a partition and records are simulated from the model's own story. A chain that
starts at this truth, and is given the records only, must end at a truth of the same distribution:
the mean change of any statistic is zero (Geweke 2004, with paired differences).
"""

from dataclasses import replace

import numpy as np
import pytest

from partita.estimators import exact
from partita.factors import FieldSwap, Model, hit_miss_model, size_law
from partita.factors.entity_model.swaps import SWAP_PRIOR
from partita.factors.sizes import Laws, base_law
from partita.proposals import gibbs_mention, mixture, one_canopy, split_merge
from partita.states import Partition
from partita.walks import compile_chain, start_chain
from tests.laws.generative_cases import BACKGROUND, PHI, PRIOR, field

N, LARGEST = 6, 60
LAWS = Laws(np.array([1.0, 5.0]), np.array([0.3, 0.6]))
ROUNDS, STEPS = 6, 5
PROPOSAL = mixture([gibbs_mention(), split_merge(one_canopy(N))], [0.7, 0.3])


def simulated_sizes(rng):
    """A law, and sizes drawn one after the other until they add up to N; or all over again."""
    while True:
        law = (int(rng.integers(2)), int(rng.integers(2)))
        expected = LAWS.totals[law[0]] * base_law(LARGEST, LAWS.repeats[law[1]])
        # whatever is larger can never fit
        expected[0] = LAWS.totals[law[0]] - expected.sum()
        seen, sizes = np.zeros(LARGEST + 1), []
        while sum(sizes) < N and 0 not in sizes:
            share = expected + seen
            sizes.append(int(rng.choice(share.size, p=share / share.sum())))
            seen[sizes[-1]] += 1
        if sum(sizes) == N and 0 not in sizes:
            return law, sizes


def simulated_values(rng, n, rates, theta):
    """Values of n records around a latent one that at least one of them shows."""
    while True:
        y, values = int(rng.integers(PHI.size)), []
        levels = [0 if x == y else 1 if x // 2 == y // 2 else 2 for x in range(PHI.size)]
        chance = np.where(np.equal(levels, 0), 1.0, PHI) * (rates / BACKGROUND)[levels]
        for j in range(n):
            if rng.random() < theta / (theta + j):
                values.append(int(rng.choice(PHI.size, p=chance / chance.sum())))
            else:
                values.append(values[int(rng.integers(j))])
        if n == 0 or y in values:
            return values


def simulated(rng):
    """A law of sizes, labels, and two fields with rates, concentration and values."""
    law, sizes = simulated_sizes(rng)
    labels = np.repeat(np.arange(len(sizes)), sizes)[rng.permutation(N)]
    fields = []
    for _ in range(2):
        rates, theta = rng.dirichlet(PRIOR.rates), float(rng.choice(PRIOR.concentrations))
        codes = np.full(N, -1)
        missing = rng.random(N) < 0.15
        for e in range(len(sizes)):
            rows = np.flatnonzero((labels == e) & ~missing)
            codes[rows] = simulated_values(rng, rows.size, rates, theta)
        fields.append((codes, rates, theta))
    return law, labels, fields


def model_of(law, fields, prior, turned=None):
    template = size_law(N, totals=LAWS.totals, repeats=LAWS.repeats)
    LAWS.set(template.table, *law)
    given = {f"f{q}": field(*one, prior) for q, one in enumerate(fields)}
    exchanges = () if turned is None else [FieldSwap("f0", "f1", turned, np.arange(N))]
    return Model(hit_miss_model(given, swaps=exchanges), template)


def statistics(labels, law, fields, rates, thetas):
    same = labels[:, None] == labels[None]
    agree = sum(((c[:, None] == c[None]) & (c >= 0)[:, None] & same).sum() for c, _, _ in fields)
    found = [len(set(labels.tolist())), same.sum(), np.bincount(labels).max(), agree, *law]
    for k, theta in zip(rates, thetas, strict=True):
        found += [k[0], k[0] ** 2, k[1], np.log(theta), k[0] * agree, np.log(theta) * found[0]]
    return np.array(found, float)


def exchanging(rng, rare):
    """Which mentions show both fields exchanged; the values are given where they belong."""
    return (rng.random(N) < rng.beta(*rare)).astype(np.int64)


def of_turned(turned, labels):
    return [turned.sum(), turned.sum() ** 2, turned @ np.bincount(labels)[labels]]


def changes(times, seed, prior=PRIOR, rare=None):
    """What a chain changes in each statistic, once for each simulated data set."""
    rng, compiled, rows = np.random.default_rng(seed), None, []
    for _ in range(times):
        law, labels, fields = simulated(rng)
        turned = None if rare is None else exchanging(rng, rare)
        model = model_of(law, fields, prior, turned)
        compiled = compiled or compile_chain(model, PROPOSAL, exact())
        chain = start_chain(model, Partition.of(labels), PROPOSAL, rng=rng, compiled=compiled)
        for _ in range(ROUNDS):
            chain.run(STEPS)
            chain.update_parameters()
        table, sizes = chain.context.tables
        shown = [
            (table.value[:, q] - PHI.size * q * (table.value[:, q] >= 0), 0, 0) for q in range(2)
        ]
        after = statistics(chain.state.entity, sizes.law, shown, table.chance, table.rate[:, 0])
        first = [[one[1] for one in fields], [one[2] for one in fields]]
        change = after - statistics(labels, law, fields, *first)
        if turned is not None:
            ends = ((table.swaps.swapped[0], chain.state.entity), (turned, labels))
            change = np.append(change, np.subtract(*(of_turned(*one) for one in ends)))
        rows.append(change)
    return np.array(rows)


def z_scores(found):
    return found.mean(0) / (found.std(0) / np.sqrt(len(found)))


# in plain Python this takes seconds, and compiling alone would take longer
@pytest.mark.interpreted
def test_chains_keep_the_joint_distribution():
    assert np.abs(z_scores(changes(300, 5))).max() < 3.5


@pytest.mark.interpreted
def test_a_model_that_is_not_the_story_s_is_found_out():
    wrong = replace(PRIOR, rates=[2.0, 2.0, 2.0])
    assert np.abs(z_scores(changes(200, 5, wrong))).max() > 5.0


@pytest.mark.interpreted
def test_chains_that_exchange_fields_keep_the_joint_distribution():
    assert np.abs(z_scores(changes(300, 6, rare=SWAP_PRIOR))).max() < 3.5


@pytest.mark.interpreted
def test_a_wrong_share_of_exchanged_fields_is_found_out():
    assert np.abs(z_scores(changes(200, 6, rare=(9.0, 3.0)))).max() > 5.0


@pytest.mark.compiled
@pytest.mark.long
def test_chains_that_exchange_fields_keep_the_joint_distribution_for_long():
    assert np.abs(z_scores(changes(12_000, 3, rare=SWAP_PRIOR))).max() < 4.0


@pytest.mark.compiled
@pytest.mark.long
def test_chains_keep_the_joint_distribution_for_long():
    assert np.abs(z_scores(changes(12_000, 2))).max() < 4.0
