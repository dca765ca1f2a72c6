"""`Resolver`: `resolve` as a scikit-learn clusterer; scikit-learn itself is not needed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module
from inspect import signature
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from partita.comparison import Comparison
from partita.errors import InputError
from partita.kernel import Ints
from partita.linkage.config import Config
from partita.linkage.resolve import resolve
from partita.linkage.result import Resolution
from partita.linkage.settings import ColumnSettings

__all__ = ["Resolver"]


class Resolver:
    """A clusterer of records with `fit` and `labels_`, as scikit-learn has them.

    Parameters
    ----------
    id, source, ignore, compare, header, encoding, delimiter, map, mode, one_to_one, reference
        The settings of `partita.linkage.Settings`. None takes the value of `config`, else the
        default.
    mentions, extract, extract_column, columns, neighbours, rules, largest_block, model, reading
        The same.
    prior, predicates, false_merge_cost, posterior, chains, draws, tune, survivorship, threads
        The same.
    memory
        The same.
    random_state
        The seed, a whole number; None takes the seed of the settings.
    config
        A partita.toml, or the same as a dict or as `Settings`.
    constraints
        Pairs of records that must or cannot be one entity: a file or a table.

    Attributes
    ----------
    labels_
        The cluster of each record, numbered by first record.
    resolution_
        The whole `Resolution`: probabilities, draws, explanations.
    n_features_in_
        The number of columns of the input.
    feature_names_in_
        Their names; an array has none.

    Examples
    --------
    >>> rows = [{"name": "Ann Lee", "town": "Ely"}] * 2 + [{"name": "Bob Orr", "town": "Bath"}]
    >>> Resolver(random_state=1).fit_predict(rows).tolist()
    [0, 0, 1]
    """

    labels_: Ints
    resolution_: Resolution
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]

    def __init__(
        self,
        *,
        id: str | None = None,
        source: str | None = None,
        ignore: Iterable[str] | None = None,
        compare: Iterable[str] | None = None,
        header: bool | None = None,
        encoding: str | None = None,
        delimiter: str | None = None,
        map: Iterable[str] | None = None,
        mode: str | None = None,
        one_to_one: bool | None = None,
        reference: str | None = None,
        mentions: str | None = None,
        extract: str | None = None,
        extract_column: str | None = None,
        columns: Mapping[str, ColumnSettings | Comparison] | None = None,
        neighbours: int | None = None,
        rules: Iterable[Iterable[str]] | None = None,
        largest_block: int | None = None,
        model: Any = None,
        reading: str | None = None,
        prior: str | None = None,
        predicates: Iterable[Mapping[str, Any]] | None = None,
        posterior: str | None = None,
        false_merge_cost: float | None = None,
        chains: int | None = None,
        draws: int | None = None,
        tune: int | None = None,
        survivorship: Iterable[str] | None = None,
        random_state: int | None = None,
        threads: int | None = None,
        memory: str | int | None = None,
        config: Config = None,
        constraints: Any = None,
    ) -> None:
        self.id, self.source, self.ignore, self.compare = id, source, ignore, compare
        self.header, self.encoding, self.delimiter = header, encoding, delimiter
        self.map, self.mode = map, mode
        self.one_to_one, self.reference, self.mentions = one_to_one, reference, mentions
        self.extract, self.extract_column = extract, extract_column
        self.columns = columns
        self.neighbours = neighbours
        self.rules = rules
        self.largest_block = largest_block
        self.model = model
        self.reading = reading
        self.prior = prior
        self.predicates = predicates
        self.posterior = posterior
        self.false_merge_cost = false_merge_cost
        self.chains = chains
        self.draws = draws
        self.tune = tune
        self.survivorship = survivorship
        self.random_state = random_state
        self.threads = threads
        self.memory = memory
        self.config, self.constraints = config, constraints

    def fit(self, X: Any, y: Any = None) -> Self:
        """Resolve records; `y` exists for scikit-learn and is not used.

        Parameters
        ----------
        X
            Input of `partita.resolve`, or a two-dimensional array of text or numbers.
        """
        array = isinstance(X, np.ndarray)
        settings = self.get_params()
        seed = settings.pop("random_state")
        result = resolve(_named(X) if array else X, seed=seed, **settings)
        self.resolution_, self.labels_ = result, result.labels
        names = result.records.table.column_names
        self.n_features_in_ = len(names)
        if not array:
            self.feature_names_in_ = np.array(names, object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        return self

    def fit_predict(self, X: Any, y: Any = None) -> Ints:
        """The cluster of each record."""
        return self.fit(X, y).labels_

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """All parameters by name; there are none of other estimators for `deep` to add."""
        return {name: getattr(self, name) for name in signature(type(self)).parameters}

    def set_params(self, **params: Any) -> Self:
        """Change some parameters."""
        known = self.get_params()
        for name in params:
            if name not in known:
                raise InputError(f"there is no parameter {name!r}; there are {', '.join(known)}")
        for name, value in params.items():
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        parameters = {name: value for name, value in self.get_params().items() if value is not None}
        return f"Resolver({', '.join(f'{name}={value!r}' for name, value in parameters.items())})"

    def __sklearn_tags__(self) -> Any:
        # only scikit-learn calls this, so it is installed
        tags = import_module("sklearn.utils")
        return tags.Tags(
            estimator_type="clusterer",
            target_tags=tags.TargetTags(required=False),
            input_tags=tags.InputTags(string=True, categorical=True, allow_nan=True),
        )


def _named(X: NDArray[Any]) -> list[dict[str, Any]]:
    """The rows of an array, with columns named as scikit-learn names them."""
    if X.ndim != 2:
        raise InputError(f"X has {X.ndim} dimensions; give records as rows and columns, 2")
    names = [f"x{k}" for k in range(X.shape[1])]
    return [dict(zip(names, row, strict=True)) for row in X.tolist()]
