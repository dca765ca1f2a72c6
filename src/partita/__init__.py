"""Partita resolves messy records and text into entities and returns the whole posterior."""

from partita import deprecated, estimators, factors, learning, proposals
from partita.errors import CheckpointError, InputError, ModeError, ModelError, PartitaError
from partita.factors import Model, Template
from partita.lazy import lazily
from partita.posterior import Posterior, sample
from partita.states import Labels, Partition
from partita.walks import cooling

__version__ = "0.1.0"

deprecated.install()

__getattr__ = lazily(
    __name__,
    {
        "resolve": "partita.linkage.resolve",
        "Resolver": "partita.linkage.resolver",
        "train": "partita.linkage.supervision.training",
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
    "Partition",
    "Posterior",
    "Resolver",
    "Template",
    "cooling",
    "estimators",
    "factors",
    "learning",
    "proposals",
    "resolve",
    "sample",
    "train",
]
