"""Cases of the generative record model: the urn with priors on its rates, and the law of sizes."""

import math

import numpy as np

from partita.factors import Field, Model, RatePrior, hit_miss_model, size_law
from partita.factors.sizes import base_law
from partita.proposals import gibbs_mention, one_canopy, split_merge
from partita.states import Partition
from tests.laws import naive
from tests.laws.registry import Subject, register

PHI = np.full(6, 1 / 6)
BACKGROUND = np.array([1.0, 1 / 6, 4 / 6])
PAIRS, LEVELS = [[0, 1], [2, 3], [4, 5]], [1, 1, 1]
PRIOR = RatePrior([6.0, 2.0, 1.5], BACKGROUND, np.geomspace(0.5, 8.0, 7))


def field(codes, rates, theta, prior=PRIOR):
    """Six equally frequent values in three pairs that are alike; K sums to one."""
    ratios = np.log(np.asarray(rates) / BACKGROUND)
    ratios[0] = math.log(rates[0])
    return Field(codes, PHI, ratios, PAIRS, LEVELS, theta, prior=prior)


def missed(theta, same, n):
    """-log P(one of n records shows the latent value), and 0 below two records."""
    if n < 2:
        return 0.0
    chance = 1.0
    for j in range(n):
        chance *= (theta * (1 - same) + j) / (theta + j)
    return -math.log(1 - chance)


def fields_twin(fields, rates, thetas):
    known = {tuple(pair): level for pair, level in zip(PAIRS, LEVELS, strict=True)}
    rows = [
        {"codes": np.asarray(one.codes), "phi": PHI, "ratios": one.ratios, "levels": known}
        | {"theta": one.concentration, "term_frequency": 0.0}
        for one in fields
    ]

    def phi(labels):
        found = naive.hit_miss(rows)(labels)
        for q, row in enumerate(rows):
            for e in naive.entities(labels):
                shown = int((row["codes"][e] >= 0).sum())
                found[q] += missed(thetas[q], rates[q][0], shown)
        return found

    return phi


def sizes_twin(total, repeat, alone):
    """The law of sizes by its formula, above that of all records alone or not at all."""

    def phi(labels):
        sizes = [len(e) for e in naive.entities(labels)]
        counts = np.bincount(sizes + [1] * alone)
        k, law = len(sizes) + alone, total * base_law(len(counts) - 1, repeat)
        score = math.lgamma(k + 1) - math.lgamma(total + k)
        score += sum(math.lgamma(s + 1) for s in sizes)
        for s in range(1, len(counts)):
            score += math.lgamma(law[s] + counts[s]) - math.lgamma(law[s])
        return np.array([score])

    return phi


def generative_subject(n):
    rng = np.random.default_rng(11)
    rates, thetas = [[0.7, 0.2, 0.1], [0.5, 0.2, 0.3]], [1.3, 0.6]
    fields = [
        field(rng.integers(-1, 6, n), one, theta) for one, theta in zip(rates, thetas, strict=True)
    ]
    law = size_law(n, alone=3, totals=[2.0], repeats=[0.4])
    model = Model(hit_miss_model({"a": fields[0], "b": fields[1]}), law)
    twin = naive.together(fields_twin(fields, rates, thetas), sizes_twin(2.0, 0.4, 3))
    return Subject(model, twin, Partition.singletons(n))


GENERATIVE = generative_subject(4)
register("generative/gibbs_mention", GENERATIVE, gibbs_mention())
register("generative/split_merge", GENERATIVE, split_merge(one_canopy(4)))
