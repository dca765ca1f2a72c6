"""Partita resolves messy records and text into entities and returns the whole posterior."""

from typing import TYPE_CHECKING

from partita import deprecated
from partita.errors import (
    CheckpointError,
    InputError,
    ModeError,
    ModelError,
    PartitaError,
    PartitaWarning,
)
from partita.lazy import load_lazily

if TYPE_CHECKING:
    from partita import comparison, estimators, factors, learning, proposals
    from partita.data import read
    from partita.factors import Model, Template
    from partita.knowledge.coref import coref
    from partita.knowledge.facts import facts
    from partita.knowledge.linking import link
    from partita.linkage.output.explain import explain
    from partita.linkage.resolve import resolve
    from partita.linkage.resolver import Resolver
    from partita.linkage.supervision.training import train
    from partita.metrics import evaluate
    from partita.posterior import Posterior, sample
    from partita.states import Labels, Partition
    from partita.store.store import Store
    from partita.text.extraction.extract import extract
    from partita.walks import cooling

__version__ = "0.2.0"

deprecated.install()

__getattr__, __dir__ = load_lazily(
    __name__,
    {
        "Labels": "partita.states:Labels",
        "Model": "partita.factors:Model",
        "Partition": "partita.states:Partition",
        "Posterior": "partita.posterior:Posterior",
        "Resolver": "partita.linkage.resolver:Resolver",
        "Store": "partita.store.store:Store",
        "Template": "partita.factors:Template",
        "comparison": "partita.comparison",
        "cooling": "partita.walks:cooling",
        "coref": "partita.knowledge.coref:coref",
        "estimators": "partita.estimators",
        "evaluate": "partita.metrics:evaluate",
        "explain": "partita.linkage.output.explain:explain",
        "extract": "partita.text.extraction.extract:extract",
        "factors": "partita.factors",
        "facts": "partita.knowledge.facts:facts",
        "learning": "partita.learning",
        "link": "partita.knowledge.linking:link",
        "proposals": "partita.proposals",
        "read": "partita.data:read",
        "resolve": "partita.linkage.resolve:resolve",
        "sample": "partita.posterior:sample",
        "train": "partita.linkage.supervision.training:train",
    },
)

__all__ = [
    "CheckpointError",
    "InputError",
    "Labels",
    "ModeError",
    "Model",
    "ModelError",
    "PartitaError",
    "PartitaWarning",
    "Partition",
    "Posterior",
    "Resolver",
    "Store",
    "Template",
    "comparison",
    "cooling",
    "coref",
    "estimators",
    "evaluate",
    "explain",
    "extract",
    "factors",
    "facts",
    "learning",
    "link",
    "proposals",
    "read",
    "resolve",
    "sample",
    "train",
]
