"""Templates: families of factors, and the Model that prices them by one weight vector."""

from partita.factors.affinity import affinity, repulsion
from partita.factors.agreement import agreement
from partita.factors.components import bernoulli, categorical, multinomial
from partita.factors.conjugate import conjugate
from partita.factors.dirichlet import dirichlet_multinomial
from partita.factors.emm import entity_mention
from partita.factors.fields import pairwise, potential, unary
from partita.factors.gaussian import gaussian
from partita.factors.model import Model
from partita.factors.priors import entities_prior, entity_cost, ewens, size_prior
from partita.factors.similarity import cluster_score, similarity
from partita.factors.template import Template
from partita.factors.urn import Field, urn

__all__ = [
    "Field",
    "Model",
    "Template",
    "affinity",
    "agreement",
    "bernoulli",
    "categorical",
    "cluster_score",
    "conjugate",
    "dirichlet_multinomial",
    "entities_prior",
    "entity_cost",
    "entity_mention",
    "ewens",
    "gaussian",
    "multinomial",
    "pairwise",
    "potential",
    "repulsion",
    "similarity",
    "size_prior",
    "unary",
    "urn",
]
