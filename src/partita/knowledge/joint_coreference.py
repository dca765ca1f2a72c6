"""Joint inference of entities and links in documents: antecedents and collapsed links together."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy

from partita.factors import Model
from partita.kernel import Floats, Ints
from partita.knowledge.entity_links import (
    EntityLinks,
    average_links,
    pair_by_candidates,
    score_links,
)
from partita.knowledge.mention_links import LinkModel, LinkOptions, list_options
from partita.knowledge.name_table import NameTable
from partita.learning import Instance, pair_accuracy, perceptron, train
from partita.posterior import Posterior
from partita.proposals import Proposal
from partita.states import Partition
from partita.text.coreference.antecedents import AntecedentModel, Corpus
from partita.text.coreference.sampling import (
    build_model,
    build_proposal,
    sample_entities,
    search_entities,
    start_entities,
)

__all__ = ["Inference", "JointProblem", "build_problem", "infer_entities", "learn_link_weight"]

LINK_WEIGHT = 0.4
"""Weight of the link factor beside the antecedents, whose weight is 1: both contain the agreement
of names, so that full weights would count it twice. Origin: SampleRank on AIDA's testa."""
MAX_AVERAGED = 40
"""Draws over which links are averaged: each gives exact probabilities."""
EPOCHS = 5
"""Visits of SampleRank; a visit takes one step for each mention."""
RATE = 0.01
"""Step of SampleRank, in units of the scores of moves (nats)."""


class JointProblem(NamedTuple):
    """Mentions with their antecedents, their links, a start and moves."""

    corpus: Corpus
    probabilities: Floats
    links: EntityLinks | None
    start: Partition
    proposal: Proposal

    def model(self, link_weight: float) -> Model:
        """The model of partitions."""
        others = () if self.links is None else (self.links.template(link_weight),)
        return build_model(self.corpus, self.probabilities, *others)


class Inference(NamedTuple):
    """The likeliest entities, draws of entities, and links averaged over the draws."""

    entity: Ints
    posterior: Posterior
    links: scipy.sparse.csr_array | None
    """P(record) of each mention: mentions by columns of the problem's links."""


def build_problem(
    corpus: Corpus,
    antecedents: AntecedentModel,
    table: NameTable | None = None,
    links: LinkModel | None = None,
) -> JointProblem:
    """Score antecedents, and links to a knowledge base if there is one."""
    probabilities = antecedents.probabilities(corpus)
    start = start_entities(corpus, probabilities)
    if table is None or links is None:
        proposal = build_proposal(corpus, probabilities)
        return JointProblem(corpus, probabilities, None, start, proposal)
    options: LinkOptions = list_options(corpus.documents, table, context=links.context)
    own = links.probabilities(options)
    also = pair_by_candidates(options, own, corpus.first)
    proposal = build_proposal(corpus, probabilities, also)
    scored = score_links(corpus.documents, options, own, start.entity)
    return JointProblem(corpus, probabilities, scored, start, proposal)


def learn_link_weight(problem: JointProblem, seed: int = 0) -> float:
    """Learn the weight of links relative to antecedents by SampleRank on annotated mentions."""
    truth = problem.corpus.entities()
    unknown = truth < 0
    truth[unknown] = truth.max(initial=0) + 1 + np.arange(int(unknown.sum()))
    objective = pair_accuracy(truth)
    instance = Instance(problem.model(LINK_WEIGHT), problem.start, objective, problem.proposal)
    learned = train(instance, perceptron(RATE), epochs=EPOCHS, random_seed=seed).weights
    return float(np.clip(learned[1] / max(learned[0], 1e-9), 0.0, 1.0))


def infer_entities(
    problem: JointProblem,
    *,
    link_weight: float = LINK_WEIGHT,
    draws: int | None = None,
    cores: int | None = None,
    seed: int = 0,
    progress: bool = False,
) -> Inference:
    """Find the likeliest entities, draw from their posterior and average links over the draws."""
    model = problem.model(link_weight)
    best = search_entities(model, problem.start, problem.proposal, seed=seed)
    options = {} if draws is None else {"draws": draws}
    posterior = sample_entities(
        model, best, problem.proposal, cores=cores, seed=seed, progress=progress, **options
    )
    if problem.links is None:
        return Inference(best.entity, posterior, None)
    flat = posterior.draws.reshape(-1, problem.corpus.n)
    some = flat[:: max(1, len(flat) // MAX_AVERAGED)]
    return Inference(best.entity, posterior, average_links(problem.links, some))
