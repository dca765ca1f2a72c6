"""Joint inference of entities and links in documents: antecedents and collapsed links together."""

from __future__ import annotations

from typing import NamedTuple

import scipy

from partita.factors import Model, entity_cost
from partita.kernel import Floats, Ints
from partita.knowledge.entity_links import (
    EntityLinks,
    add_agreement,
    average_links,
    pair_by_candidates,
    score_links,
)
from partita.knowledge.link_model import LinkModel
from partita.knowledge.name_table import NameTable
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

__all__ = [
    "Inference",
    "JointProblem",
    "JointWeights",
    "build_problem",
    "infer_entities",
]


class JointWeights(NamedTuple):
    """Weights of the templates beside the antecedents, whose weight is 1."""

    link: float = 0.5
    """Weight of the link factor. Origin: the development parts of AIDA and GUM."""
    entity: float = 0.3
    """Score of each entity: positive values favour more entities. Origin: the development part of
    GUM."""


MAX_AVERAGED = 40
"""Draws over which links are averaged: each gives exact probabilities."""


class JointProblem(NamedTuple):
    """Mentions with their antecedents, their links, a start and moves."""

    corpus: Corpus
    probabilities: Floats
    links: EntityLinks | None
    start: Partition
    proposal: Proposal

    def model(self, weights: JointWeights) -> Model:
        """The model of partitions."""
        others = [entity_cost(-weights.entity)]
        if self.links is not None:
            others.append(self.links.template(weights.link))
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
    options = own = None
    if table is not None and links is not None:
        options, own = links.infer(corpus.documents, table)
        if antecedents.agreement:
            corpus = add_agreement(corpus, options, own)
    probabilities = antecedents.probabilities(corpus)
    start = start_entities(corpus, probabilities)
    if options is None or own is None:
        proposal = build_proposal(corpus, probabilities)
        return JointProblem(corpus, probabilities, None, start, proposal)
    also = pair_by_candidates(options, own, corpus.first)
    proposal = build_proposal(corpus, probabilities, also)
    scored = score_links(corpus.documents, options, own, start.entity)
    return JointProblem(corpus, probabilities, scored, start, proposal)


def infer_entities(
    problem: JointProblem,
    *,
    weights: JointWeights | None = None,
    draws: int | None = None,
    cores: int | None = None,
    seed: int = 0,
    progress: bool = False,
) -> Inference:
    """Find the likeliest entities, draw from their posterior and average links over the draws."""
    model = problem.model(weights or JointWeights())
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
