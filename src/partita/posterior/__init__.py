"""Probabilities, point estimates and diagnostics from draws."""

from partita.posterior.posterior import Posterior
from partita.posterior.sample import sample

__all__ = ["Posterior", "sample"]
