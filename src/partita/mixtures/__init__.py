"""Clustering of arrays with an unknown number of clusters, with the scikit-learn contract."""

from partita.mixtures.dirichlet_mixture import DirichletMixture

__all__ = ["DirichletMixture"]
