"""Estimators: exact, sampled (with a declared bias), and the exact minibatch test."""

from partita.estimators.estimator import Estimator, build_estimate
from partita.estimators.exact import exact
from partita.estimators.minibatch import minibatch
from partita.estimators.sampled import confidence, scheduled, uniform

__all__ = [
    "Estimator",
    "build_estimate",
    "confidence",
    "exact",
    "minibatch",
    "scheduled",
    "uniform",
]
