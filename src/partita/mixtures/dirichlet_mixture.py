"""DirichletMixture: clusters of rows and their number, by split-merge MCMC."""

from __future__ import annotations

import importlib
import inspect
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logsumexp

from partita.errors import InputError
from partita.factors import Model, bernoulli, categorical, conjugate, ewens, gaussian, multinomial
from partita.factors.components import Component
from partita.factors.template import finite
from partita.kernel import Floats, Ints, distinct_of
from partita.mixtures.predictive import log_densities, predictive
from partita.posterior import Posterior, sample
from partita.proposals import Proposal, gibbs_mention, mixture, sdds
from partita.states import Partition
from partita.states.checks import positive, whole

__all__ = ["DirichletMixture"]

COMPONENTS = ("gaussian", "bernoulli", "categorical", "multinomial")

GIBBS_SHARE = 0.05
"""Gibbs steps after each split-merge proposal, as a share of a scan over all rows."""

AVERAGED_PARTITIONS = 20
"""Number of partitions over which predictive densities are averaged."""


class DirichletMixture:
    """A Dirichlet-process mixture of conjugate components, sampled in full (SDDS section 5.2).

    Parameters
    ----------
    component
        "gaussian" for numbers, "bernoulli" for 0 and 1, "categorical" for codes (negative is
        missing), "multinomial" for rows of counts.
    concentration
        Concentration of the Dirichlet process: a larger value gives more clusters.
    covariance_type
        "full" or "diag", of Gaussian clusters.
    scale, kappa
        Gaussian clusters: expected variance in units of the data's, and the weight of the prior
        mean in rows.
    prior
        The other components: pseudo-counts of each value.
    draws, tune, chains, cores
        Kept partitions and discarded earlier ones of each chain, number of chains, and number of
        parallel chains.
    random_state
        A whole number for reproducible results.

    Attributes
    ----------
    labels_
        The cluster of each row in the partition with the highest posterior among the draws.
    n_clusters_
        The number of its clusters.
    n_clusters_posterior_
        P(number of clusters | data), by number.
    posterior_
        All draws, with diagnostics.
    """

    def __init__(
        self,
        component: str = "gaussian",
        *,
        concentration: float = 1.0,
        covariance_type: str = "full",
        scale: float = 0.1,
        kappa: float = 0.1,
        prior: float = 1.0,
        draws: int = 50,
        tune: int = 50,
        chains: int = 2,
        cores: int | None = None,
        random_state: int | None = None,
    ) -> None:
        # stored unchanged: scikit-learn's contract forbids checks before fit
        self.component, self.concentration = component, concentration
        self.covariance_type, self.scale, self.kappa = covariance_type, scale, kappa
        self.prior, self.draws, self.tune = prior, draws, tune
        self.chains, self.cores, self.random_state = chains, cores, random_state

    def fit(self, X: ArrayLike, y: Any = None) -> DirichletMixture:
        """Sample the posterior of the rows' clusters."""
        table = self._table(X)
        n = len(table)
        alpha = positive(self.concentration, "the concentration")
        component = self._component(table, table)
        self.posterior_: Posterior = sample(
            Model(conjugate(component), ewens(alpha)),
            Partition.one_entity(n),
            proposal=split_merge_and_gibbs(n),
            draws=whole(self.draws, "draws"),
            tune=whole(self.tune, "tune", 0),
            chains=whole(self.chains, "chains"),
            cores=self.cores,
            random_seed=self.random_state,
            progressbar=False,
        )
        self._train = table
        self.n_features_in_ = table.shape[1]
        best = self.posterior_.map()
        _, labels = np.unique(best.entity, return_inverse=True)
        self.labels_: Ints = labels.reshape(-1).astype(np.int64)
        self.n_clusters_ = int(best.live[0])
        numbers, counts = np.unique(self.posterior_.traces["entities"], return_counts=True)
        shares = (counts / counts.sum()).tolist()
        self.n_clusters_posterior_ = dict(zip(numbers.astype(int).tolist(), shares, strict=True))
        return self

    def fit_predict(self, X: ArrayLike, y: Any = None) -> Ints:
        """Return the cluster of each row."""
        return self.fit(X).labels_

    def predict(self, X: ArrayLike) -> Ints:
        """Return the most probable cluster of `labels_` for each row."""
        return self.predict_proba(X).argmax(1)

    def predict_proba(self, X: ArrayLike) -> Floats:
        """Return P(cluster | row) over the clusters of `labels_`."""
        weighed = self._weighed(self._seen(X), [self.labels_])[0][:, :-1]
        shares: Floats = np.exp(weighed - logsumexp(weighed, axis=1, keepdims=True))
        return shares

    def score_samples(self, X: ArrayLike) -> Floats:
        """Return the log predictive density of each row, averaged over draws of the posterior."""
        flat = self.posterior_.draws.reshape(-1, len(self._train)).astype(np.int64)
        chosen = distinct_of(np.linspace(0, len(flat) - 1, AVERAGED_PARTITIONS).astype(int))
        each = self._weighed(self._seen(X), [flat[k] for k in chosen])
        logs = np.stack([logsumexp(density, axis=1) for density in each])
        densities: Floats = logsumexp(logs, axis=0) - np.log(len(logs))
        return densities

    def score(self, X: ArrayLike, y: Any = None) -> float:
        """Return the mean log predictive density of the rows."""
        return float(self.score_samples(X).mean())

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the constructor's arguments."""
        return {name: getattr(self, name) for name in _arguments()}

    def set_params(self, **params: Any) -> DirichletMixture:
        """Change arguments of the constructor; takes effect at the next fit."""
        for name, value in params.items():
            if name not in _arguments():
                raise InputError(f"there is no parameter {name!r}; give one of {_arguments()}")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self)).parameters
        changed = [
            f"{name}={value!r}"
            for name, value in self.get_params().items()
            if value != defaults[name].default
        ]
        return f"DirichletMixture({', '.join(changed)})"

    def __sklearn_tags__(self) -> Any:
        """Return the tags of a scikit-learn estimator; only scikit-learn calls it."""
        utils = importlib.import_module("sklearn.utils")
        target = utils.TargetTags(required=False)
        return utils.Tags(estimator_type="clusterer", target_tags=target)

    def _table(self, X: ArrayLike) -> Floats:
        table = finite(X, "the rows")
        if table.ndim != 2 or 0 in table.shape:
            raise InputError(
                f"X has shape {table.shape}; give a matrix with one row per observation"
            )
        return table

    def _seen(self, X: ArrayLike) -> Floats:
        if not hasattr(self, "labels_"):
            raise InputError("this DirichletMixture is not fitted; call fit first")
        table = self._table(X)
        if table.shape[1] != self.n_features_in_:
            raise InputError(
                f"X has {table.shape[1]} columns but fit had {self.n_features_in_}; "
                "give the same columns"
            )
        return table

    def _component(self, table: Floats, train: Floats) -> Component:
        """Build the component of the rows, with a prior from the training rows."""
        if self.component == "gaussian":
            spread = train.var(0)
            unit = positive(self.scale, "the scale") * np.where(spread > 0, spread, 1.0)
            return gaussian(
                table,
                covariance=self.covariance_type,
                kappa=self.kappa,
                scale=unit,
                mean=train.mean(0),
            )
        if self.component == "bernoulli":
            return bernoulli(table, prior=self.prior)
        if self.component == "multinomial":
            return multinomial(table, prior=self.prior)
        if self.component == "categorical":
            values = [int(v) + 1 for v in np.maximum(train.max(0), 0)]
            return categorical(table, prior=self.prior, values=values)
        raise InputError(f"component is {self.component!r}; give one of {COMPONENTS}")

    def _weighed(self, table: Floats, partitions: list[Ints]) -> list[Floats]:
        """Return log P(cluster) p(x | cluster) by partition; the last column is a new cluster."""
        component = self._component(np.concatenate([self._train, table]), self._train)
        fill, total = predictive(component), len(self._train) + self.concentration
        logs = []
        for labels in partitions:
            sizes = np.append(np.bincount(labels).astype(float), self.concentration)
            logs.append(log_densities(component, fill, labels) + np.log(sizes / total))
        return logs


def split_merge_and_gibbs(n: int) -> Proposal:
    """Mix split-merge proposals with Gibbs steps of one row in twenty."""
    return mixture(
        [sdds(split="average", sizes=True), gibbs_mention()], [1.0, max(1.0, GIBBS_SHARE * n)]
    )


def _arguments() -> list[str]:
    return list(inspect.signature(DirichletMixture).parameters)
