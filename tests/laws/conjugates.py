"""Conjugate mixtures, the entity/mention model and the split-merge proposals of SDDS."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from partita.factors import (
    Model,
    bernoulli,
    categorical,
    conjugate,
    entity_mention,
    ewens,
    gaussian,
    multinomial,
)
from partita.proposals import (
    birth_death,
    dumb_split_smart_merge,
    gibbs_mention,
    mixture,
    one_canopy,
    random_mixing,
    restricted_gibbs,
    sdds,
    smart_smart,
    smart_split_dumb_merge,
    split_merge,
)
from partita.states import Partition
from tests.laws import naive
from tests.laws.registry import Subject, register

rng = np.random.default_rng(11)


def tokens_subject(n, states="unlabelled", empty=True):
    """The entity/mention model: all four readings have one twin."""
    tokens = np.array([0, 0, 1, 2, 1, 0])[:n]
    model = entity_mention(
        tokens, vocabulary=3, alpha=0.3, mu=1.0, sigma=0.8, states=states, empty=empty, most=n + 4
    ).model
    twin = naive.entity_mention(tokens, 3, 0.3, 1.0, 0.8, states == "labelled", empty, n + 4)
    return Subject(model, twin, Partition.singletons(n))


def bits_subject(n):
    """A Dirichlet-process mixture of Bernoulli columns."""
    bits = rng.integers(0, 2, (n, 3))
    model = Model(conjugate(bernoulli(bits, prior=0.4)), ewens(0.7))
    twin = naive.together(naive.columns(bits, [2, 2, 2], 0.4), naive.ewens)
    return Subject(model, twin, Partition.singletons(n))


def mixed_subject(n):
    """Categories with missing values and counts, together in one model."""
    codes = rng.integers(-1, 3, (n, 2))
    counts = rng.integers(0, 4, (n, 3))
    model = Model(
        conjugate(categorical(codes, prior=0.5, values=[3, 3])),
        conjugate(multinomial(counts, prior=0.8), weight=0.7),
        ewens(1.2),
    )
    twin = naive.together(
        naive.columns(codes, [3, 3], 0.5), naive.multinomial(counts, 0.8), naive.ewens
    )
    return Subject(model, twin, Partition.singletons(n))


def normal_subject(n, covariance):
    """Two columns, correlated; the values lie on the template's grid."""
    x = np.round(rng.normal(size=(n, 2)) * 64) / 64
    x[:, 1] += x[:, 0]
    scale = np.array([[0.5, 0.1], [0.1, 0.4]])
    prior = {"kappa": 0.3, "nu": 4.5, "scale": scale, "mean": np.array([0.25, -0.5])}
    model = Model(conjugate(gaussian(x, covariance=covariance, **prior)), ewens(0.9))
    twin = naive.together(naive.normal(x, covariance, **prior), naive.ewens)
    return Subject(model, twin, Partition.singletons(n))


KEYS = [0, 1, 0, 1, 0]


def kernels(n):
    """Every split-merge kernel, by name, with whether it reaches all states."""
    return {
        "smart_dumb": (smart_split_dumb_merge(), True),
        "smart_dumb average": (smart_split_dumb_merge(split="average", sizes=True), True),
        "dumb_smart": (dumb_split_smart_merge(merge="likelihood"), True),
        "dumb_smart ratio": (dumb_split_smart_merge(merge="ratio"), True),
        "dumb_smart keys": (dumb_split_smart_merge(keys=KEYS[:n]), False),
        "smart_smart": (smart_smart(), True),
        "sdds": (sdds(), True),
        "restricted": (restricted_gibbs(1), True),
        "restricted sizes": (restricted_gibbs(0, sizes=True), True),
        "mixing": (random_mixing(), True),
        "birth_death": (birth_death(), True),
        "gibbs": (gibbs_mention(), True),
        "split_merge": (split_merge(one_canopy(n)), True),
    }


TOKENS4, TOKENS5, BITS4 = tokens_subject(4), tokens_subject(5), bits_subject(4)
for name, (proposal, ergodic) in kernels(4).items():
    register(f"tokens4/{name}", TOKENS4, proposal, ergodic)
for name, (proposal, ergodic) in kernels(5).items():
    if name not in ("restricted", "restricted sizes", "split_merge"):
        register(f"tokens5/{name}", TOKENS5, proposal, ergodic)
for subject in (TOKENS4, TOKENS5):
    n = subject.start.entity.size
    # without new entities singletons could not move at all
    two = replace(subject, start=Partition.of(np.arange(n) % 2))
    register(f"tokens{n}/gibbs old", two, gibbs_mention(new=False), ergodic=False)
register("tokens5/restricted", TOKENS5, restricted_gibbs(0), True)
register("labelled/sdds", tokens_subject(4, "labelled"), sdds())
register("nonempty/sdds", tokens_subject(4, "labelled", empty=False), sdds())
register("bits/sdds", BITS4, sdds(split="average", sizes=True))
register("bits/restricted", BITS4, restricted_gibbs(1, sizes=True))
register("mixed/sdds", mixed_subject(4), sdds())
register("diag/sdds", normal_subject(4, "diag"), sdds())
register("full/sdds", normal_subject(4, "full"), sdds())
register("full/restricted", normal_subject(4, "full"), restricted_gibbs(1, sizes=True))
register("full/gibbs", normal_subject(4, "full"), mixture([gibbs_mention(), random_mixing()]))
