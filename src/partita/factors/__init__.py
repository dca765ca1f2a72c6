"""Templates: families of factors, and the Model that prices them by one weight vector."""

from partita.factors.affinity import affinity, repulsion
from partita.factors.agreement import agreement
from partita.factors.antecedents import antecedents
from partita.factors.clauses import clauses
from partita.factors.collapsed_link import collapsed_link
from partita.factors.components import bernoulli, categorical, multinomial
from partita.factors.conjugate import conjugate
from partita.factors.dirichlet import dirichlet_multinomial
from partita.factors.emm import entity_mention
from partita.factors.entity_model.fields import Field
from partita.factors.entity_model.model import hit_miss_model
from partita.factors.entity_model.rates import RatePrior
from partita.factors.entity_model.swaps import FieldSwap
from partita.factors.fields import pairwise, potential, unary
from partita.factors.gaussian import gaussian
from partita.factors.model import Model
from partita.factors.predicates.core import (
    aggregates,
    average,
    count,
    distinct,
    every,
    fraction,
    highest,
    lowest,
    some,
)
from partita.factors.predicates.subjects import over_pairs, over_values
from partita.factors.priors import entities_prior, entity_cost, ewens, size_prior
from partita.factors.segments import adjacent_segments, segment_attributes, token_attributes
from partita.factors.similarity import cluster_score, similarity
from partita.factors.sizes import size_law
from partita.factors.surplus import surplus
from partita.factors.template import Cache, FastPaths, Template
from partita.factors.trees.agreement import tree_agreement
from partita.factors.trees.core import tree_shape, tree_values, uniform_trees
from partita.factors.trees.parents import child_parent
from partita.lazy import alias_renamed

__all__ = [
    "Cache",
    "FastPaths",
    "Field",
    "FieldSwap",
    "Model",
    "RatePrior",
    "Template",
    "adjacent_segments",
    "affinity",
    "aggregates",
    "agreement",
    "antecedents",
    "average",
    "bernoulli",
    "categorical",
    "child_parent",
    "clauses",
    "cluster_score",
    "collapsed_link",
    "conjugate",
    "count",
    "dirichlet_multinomial",
    "distinct",
    "entities_prior",
    "entity_cost",
    "entity_mention",
    "every",
    "ewens",
    "fraction",
    "gaussian",
    "highest",
    "hit_miss_model",
    "lowest",
    "multinomial",
    "over_pairs",
    "over_values",
    "pairwise",
    "potential",
    "repulsion",
    "segment_attributes",
    "similarity",
    "size_law",
    "size_prior",
    "some",
    "surplus",
    "token_attributes",
    "tree_agreement",
    "tree_shape",
    "tree_values",
    "unary",
    "uniform_trees",
]

RENAMED = {"urn": "hit_miss_model", "Exchange": "FieldSwap"}
"""Public names of version 0.1 and their successors."""

__getattr__ = alias_renamed(__name__, RENAMED)
