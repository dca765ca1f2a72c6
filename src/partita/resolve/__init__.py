"""From records to entities: the pair model that needs no labels."""

from partita.resolve.pairs import PairModel, PairScores, fit_pairs

__all__ = ["PairModel", "PairScores", "fit_pairs"]
