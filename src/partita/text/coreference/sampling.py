"""Entities of documents: the model of partitions, its moves, and draws from its posterior.

The mentions of all documents are one partition. Moves go along pairs of mentions of one document,
so that no entity crosses documents.
"""

from __future__ import annotations

import numpy as np

from partita.estimators import exact
from partita.factors import Model, Template
from partita.factors.antecedents import antecedents
from partita.kernel import Floats, Ints
from partita.posterior import Posterior, sample
from partita.proposals import (
    Proposal,
    gibbs_neighbour,
    mixture,
    neighbour_lists,
    split_merge_neighbour,
)
from partita.states import Partition
from partita.text.coreference.antecedents import Corpus, guess_entities
from partita.walks import Settings, cooling, run_chains

__all__ = [
    "build_model",
    "build_proposal",
    "sample_entities",
    "search_entities",
    "start_entities",
]

MIN_PROBABILITY = 0.01
"""Probability of an antecedent from which a mention may move to its entity."""
SPLIT_MERGE_SHARE = 0.05
"""Share of split-merge moves: each costs as much as tens of others."""
DRAWS = 100
"""Draws of a chain."""
TUNE = 30
"""Draws discarded at the start of a chain, which begins at a good partition."""
CHAINS = 2
START_TEMPERATURE = 0.5
"""Temperature at which the search begins: it starts at a good partition."""
END_TEMPERATURE = 0.05
"""Temperature at which the search ends."""
STEPS_PER_MENTION = 200
"""Steps of the search for each mention. Origin: with 40, B3 of named entities on GUM's development
part lies between 77 and 81 by the seed of the search; with 200 between 80 and 81, as with 600."""
CHECKS = 10
"""Times that the search compares its state with the best state."""


def build_model(
    corpus: Corpus, probabilities: Floats, *others: Template, weight: float = 1.0
) -> Model:
    """The antecedents of all mentions, summed out, and further templates of entities."""
    template = antecedents(
        corpus.start - np.arange(corpus.n + 1),
        corpus.pairs.other,
        probabilities[corpus.pair_options],
        np.maximum(probabilities[corpus.start[:-1]], np.finfo(float).tiny),
        weight=weight,
    )
    return Model(template, *others)


def start_entities(corpus: Corpus, probabilities: Floats) -> Partition:
    """Every mention with its likeliest antecedent, or alone."""
    return Partition.of(guess_entities(corpus, probabilities))


def build_proposal(corpus: Corpus, probabilities: Floats, also: Ints | None = None) -> Proposal:
    """Gibbs moves, splits and merges along likely antecedents and the pairs of `also`."""
    likely = probabilities[corpus.pair_options] >= MIN_PROBABILITY
    pairs = np.stack([corpus.pairs.other[likely], corpus.pairs.mention[likely]], 1)
    if also is not None:
        pairs = np.concatenate([pairs, np.sort(also, 1)])
    near = neighbour_lists(np.unique(pairs, axis=0), corpus.n)
    return mixture(
        [gibbs_neighbour(near, corpus.n), split_merge_neighbour(near, corpus.n)],
        [1 - SPLIT_MERGE_SHARE, SPLIT_MERGE_SHARE],
    )


def sample_entities(
    model: Model,
    start: Partition,
    proposal: Proposal,
    *,
    draws: int = DRAWS,
    tune: int = TUNE,
    chains: int = CHAINS,
    cores: int | None = None,
    seed: int = 0,
    progress: bool = False,
) -> Posterior:
    """Draw partitions of the mentions; a draw takes as many steps as there are mentions."""
    return sample(
        model,
        start,
        proposal=proposal,
        draws=draws,
        tune=tune,
        chains=chains,
        cores=cores,
        random_seed=seed,
        progressbar=progress,
    )


def search_entities(
    model: Model, start: Partition, proposal: Proposal, *, seed: int = 0
) -> Partition:
    """Search for the likeliest partition at a falling temperature, from a good start."""
    settings = Settings(
        mode="map",
        temperature=cooling(START_TEMPERATURE, END_TEMPERATURE),
        steps=STEPS_PER_MENTION * start.entity.size,
        draws=CHECKS,
        chains=1,
        seed=seed,
        progressbar=False,
        measured=False,
    )
    result = run_chains(model, start, proposal, exact(), settings)
    return Partition.of(result.chains[0].best)
