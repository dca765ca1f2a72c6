"""Posterior: probabilities, point estimates and traces from the draws of a run."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from partita.errors import InputError, ModeError
from partita.kernel import Floats
from partita.posterior.diagnostics import diagnose, to_datatree
from partita.posterior.points import binder_partition
from partita.states import Labels, Partition, space_of
from partita.states.checks import integers
from partita.walks import Run

__all__ = ["Posterior"]

PAIRS_PER_BATCH = 4096
"""Pairs compared at once, to bound memory."""


class Posterior:
    """The result of `sample`.

    A MAP search gives only the best state, the traces and the counters; probabilities raise
    ModeError, because the states of a search are not draws.
    """

    def __init__(self, run: Run) -> None:
        self.run = run
        self.mode = run.mode

    def __repr__(self) -> str:
        chains, draws = len(self.run.chains), self.n_draws
        return f"Posterior({self.mode}, {chains} chains of {draws} draws, {self.run.estimator})"

    @property
    def n_draws(self) -> int:
        """Number of draws of every chain."""
        return min(len(next(iter(c.traces.values()), [])) for c in self.run.chains)

    @property
    def draws(self) -> NDArray[np.int32]:
        """Recorded states, chains by draws by `observe`: labels, or entity numbers."""
        self._recorded("draws")
        return np.stack([np.array(c.draws[: self.n_draws]) for c in self.run.chains])

    @property
    def parameters(self) -> dict[str, NDArray[Any]]:
        """Recorded values of the unknown parameters by block: chains by draws by components."""
        self._recorded("parameters")
        n = self.n_draws
        return {
            name: np.stack([np.array(c.parameters[name][:n]) for c in self.run.chains])
            for name in self.run.components
        }

    @property
    def components(self) -> dict[str, tuple[str, ...]]:
        """Names of the entries of `parameters`, by block."""
        return self.run.components

    @property
    def traces(self) -> dict[str, Floats]:
        """Scalars by name, chains by draws."""
        names = next((c.traces for c in self.run.chains if not c.traces), self.run.chains[0].traces)
        n = self.n_draws
        return {k: np.array([c.traces[k][:n] for c in self.run.chains]) for k in names}

    @property
    def acceptance(self) -> dict[str, float]:
        """Share of proposed moves that were accepted, by proposal."""
        return self.run.acceptance()

    @property
    def examined(self) -> int:
        """Factors examined by all chains."""
        return sum(chain.examined for chain in self.run.chains)

    @property
    def steps(self) -> int:
        """Steps taken by all chains."""
        return sum(chain.steps for chain in self.run.chains)

    @property
    def weights(self) -> list[Floats]:
        """The weights with which each chain ended."""
        return [chain.weights for chain in self.run.chains]

    @property
    def best_score(self) -> float:
        """Score of the best state seen at a draw, above that of the model's origin."""
        return max(chain.best_score for chain in self.run.chains)

    def map(self) -> Any:
        """Return the best state of all draws, over all chains."""
        best = max(self.run.chains, key=lambda chain: chain.best_score)
        return space_of(self.run.start).restore(self.run.start, best.best)

    def marginals(self) -> Floats:
        """Return P(label) of each variable: variables by labels; 0 outside a variable's domain."""
        self._of(Labels, "marginals")
        draws = self._flat()
        size = int(self.run.start.domain.max())
        shares = np.zeros((draws.shape[1], size))
        for label in range(size):
            shares[:, label] = (draws == label).mean(0)
        return shares

    def p_same(self, pairs: ArrayLike) -> Floats:
        """Return P(one entity) of each pair of mentions (two columns)."""
        draws = self._groups("p_same")
        columns = np.atleast_2d(integers(pairs, "the table of pairs"))
        n = draws.shape[1]
        if columns.ndim != 2 or columns.shape[1] != 2:
            raise InputError(f"pairs have shape {columns.shape}; give two columns of mentions")
        if ((columns < 0) | (columns >= n)).any():
            wrong = columns[((columns < 0) | (columns >= n)).any(1)][0].tolist()
            raise InputError(f"the pair {wrong} is outside 0..{n - 1}; give mentions in this range")
        shares = np.zeros(len(columns))
        for at in range(0, len(columns), PAIRS_PER_BATCH):
            i, j = columns[at : at + PAIRS_PER_BATCH].T
            shares[at : at + PAIRS_PER_BATCH] = (draws[:, i] == draws[:, j]).mean(0)
        return shares

    def co_clustering(self) -> Floats:
        """Return P(one entity) of all pairs, as a matrix; for up to a few thousand mentions."""
        draws = self._groups("co_clustering")
        return sum((row[:, None] == row[None, :]).astype(float) for row in draws) / len(draws)

    def entities(self, interval: float = 0.95) -> dict[str, float]:
        """Return the number of entities: mean, and the ends of an equal-tailed interval."""
        self._grouped("entities")
        if not 0 < interval < 1:
            raise InputError(f"interval is {interval}; give a number between 0 and 1")
        self._some_draws()
        values = self.traces["entities"].reshape(-1)
        low, high = np.quantile(values, [(1 - interval) / 2, (1 + interval) / 2])
        return {"mean": float(values.mean()), "low": float(low), "high": float(high)}

    def point(self, join: float = 0.5) -> Any:
        """Return the state that minimises expected loss.

        For partitions this is Binder's loss, where a wrong merge of two mentions costs `join` and a
        wrong split 1 - join; for labels it is the Hamming loss.
        """
        self._only_draws("a point estimate")
        if isinstance(self.run.start, Labels):
            labels = self.marginals().argmax(1).astype(np.int64)
            return Labels.of(labels, self.run.start.domain)
        return binder_partition(self._groups("a point estimate"), join)

    def diagnostics(self) -> dict[str, dict[str, float]]:
        """Return mean, sd, R-hat, bulk and tail ESS of every trace."""
        self._only_draws("R-hat and ESS")
        self._some_draws()
        return diagnose(self.traces)

    def to_arviz(self) -> Any:
        """Return scalar traces as an ArviZ DataTree (needs arviz-base)."""
        self._only_draws("an ArviZ posterior")
        self._some_draws()
        traces = dict(self.traces)
        return to_datatree(traces, {"log_score": traces.pop("log_score")})

    def _recorded(self, method: str) -> None:
        self._only_draws(method)
        if not self.run.recorded:
            raise ModeError("no states were recorded (record=False); run again with record=True")
        self._some_draws()

    def _flat(self) -> NDArray[np.int32]:
        draws = self.draws
        return draws.reshape(-1, draws.shape[2])

    def _grouped(self, method: str) -> Any:
        """Return the function that groups mentions; raise a ModeError if the state has none."""
        self._only_draws(method)
        groups = space_of(self.run.start).grouping
        if groups is None:
            self._of(Partition, method)
        return groups

    def _groups(self, method: str) -> NDArray[np.int32]:
        """Return entity numbers of the mentions, by draw."""
        grouping = self._grouped(method)
        if isinstance(self.run.start, Partition):
            return self._flat()
        return np.array([grouping(self.run.start, row) for row in self._flat()])

    def _of(self, kind: type, method: str) -> None:
        self._only_draws(method)
        if not isinstance(self.run.start, kind):
            other = type(self.run.start).__name__
            raise ModeError(f"{method} is for {kind.__name__}, not {other}; use draws or map()")

    def _some_draws(self) -> None:
        if self.n_draws == 0:
            spent = next((c.stopped for c in self.run.chains if c.stopped), "interrupted")
            raise ModeError(
                f"no draw was kept, because a chain ended ({spent}) while it was tuning; "
                "raise that budget or lower tune"
            )

    def _only_draws(self, method: str) -> None:
        if self.mode == "map":
            raise ModeError(
                f"{method} is not available from a MAP search: its states are not draws from the "
                "posterior; run sample(..., mode='posterior')"
            )
