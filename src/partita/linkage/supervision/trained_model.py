"""Learned models: match weights by name in a versioned file, and the columns they compare."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from partita.comparison import Comparison
from partita.errors import InputError
from partita.kernel import logistic
from partita.linkage.pairwise.model import PairModel
from partita.linkage.pairwise.scored_pairs import ScoredPairs
from partita.linkage.prepare import Prepared
from partita.linkage.readings.choice import Reading
from partita.linkage.readings.saved import SavedReading
from partita.linkage.settings import MODELS, ColumnSettings, Settings
from partita.linkage.word_groups import parse_group
from partita.states.checks import shown

if TYPE_CHECKING:
    from partita.linkage.result import Resolution

__all__ = [
    "HeldOut",
    "RejectedChange",
    "TrainedModel",
    "interpret_model",
    "learned_model",
    "load_model",
    "name_weights",
]

KIND = "resolution"
PRIOR = "prior"
DERIVED = ("m", "lam", "warnings")
"""Fields of a pair model that follow from the weights by name; the file omits them."""


class RejectedChange(NamedTuple):
    """A change that lowered the loss on held-out labels but did not resolve them better."""

    strength: float
    """The penalty of the refit."""
    loss: float
    """Mean of -log P(label) on held-out labels."""
    wrong: int
    """Held-out labels on the wrong side of even odds."""
    gained: int
    """Held-out labels that only the records resolved with the change agree with."""
    lost: int
    """Held-out labels that only the records resolved without the change agree with."""


class HeldOut(NamedTuple):
    """The effect of the kept weights on held-out labels, which the weights were not fitted to."""

    labels: int
    matches: int
    strength: float
    """The penalty of the refit; infinite if the weights did not change."""
    loss_before: float
    """Mean of -log P(label) with the weights before training, and with the kept weights."""
    loss: float
    wrong_before: int
    """Labels on the wrong side of even odds, before training and with the kept weights."""
    wrong: int
    gained: int = 0
    """Held-out labels that only the records resolved with the kept change agree with."""
    lost: int = 0
    """Held-out labels that only the records resolved without the kept change agree with."""
    rejected: RejectedChange | None = None
    """The change that training tried and rejected, if any."""

    @property
    def changed(self) -> bool:
        """Whether training changed the weights."""
        return math.isfinite(self.strength)

    def sentences(self) -> list[tuple[str, str]]:
        """The outcome of training, as titles and sentences."""
        lines = [("labels", f"{self.labels:,}, of which {self.matches:,} are matches")]
        if self.changed:
            held_out = (
                f"weights changed: {self.wrong} of {self.labels} wrong instead of "
                f"{self.wrong_before}; log loss {self.loss:.3f} instead of {self.loss_before:.3f}"
            )
        else:
            why = "no change is better" if self.rejected is None else "the change was rejected"
            held_out = (
                f"weights unchanged, {why}: {self.wrong} of {self.labels} wrong, log loss "
                f"{self.loss:.3f}"
            )
        lines.append(("held-out labels", held_out))
        if self.rejected is not None:
            tried = self.rejected
            rejected = (
                f"a change with log loss {tried.loss:.3f} and {tried.wrong} of {self.labels} "
                f"wrong; the records resolved with it correct {tried.gained} held-out labels and "
                f"break {tried.lost}"
            )
            lines.append(("rejected", rejected))
        elif self.gained or self.lost:
            resolved = f"{self.gained} held-out labels corrected, {self.lost} broken"
            lines.append(("resolved records", resolved))
        return lines

    def as_dict(self) -> dict[str, Any]:
        """All fields for JSON; an infinite strength is null."""
        rejected = None if self.rejected is None else self.rejected._asdict()
        strength = self.strength if self.changed else None
        return {**self._asdict(), "strength": strength, "rejected": rejected}

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> HeldOut:
        """The inverse of `as_dict`; files of earlier versions have no rejected change."""
        strength = math.inf if fields["strength"] is None else fields["strength"]
        tried = fields.get("rejected")
        rejected = None if tried is None else RejectedChange(**tried)
        return cls(**{**fields, "strength": strength, "rejected": rejected})


@dataclass(frozen=True, eq=False)
class TrainedModel:
    """Match weights learned with labels or without, for records with the same columns."""

    pair_model: PairModel
    records: int
    """Number of distinct records in the training data."""
    held_out: HeldOut | None = None
    """The effect on held-out labels; None for a model that was learned without labels."""
    reading: SavedReading | None = None
    """The reading that scores the pairs; None for a model that was learned from labels."""

    def named(self) -> dict[str, float]:
        """All weights by name, in nats: "column = level", and the prior."""
        model = self.pair_model
        weights_by_name = {PRIOR: model.prior}
        for name, levels, weights in zip(
            model.names, model.level_names, model.weights(), strict=True
        ):
            weights_by_name |= dict(zip(name_weights(name, levels), weights.tolist(), strict=True))
        return weights_by_name

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the model as JSON, atomically."""
        if Path(path).is_dir():
            raise InputError(f"{path} is a folder; give the name of a file")
        # imported here: a store applies a model without the modules of learning
        from partita.learning.files import write_file

        return write_file(path, KIND, self.as_dict())

    def as_dict(self) -> dict[str, Any]:
        """The content of a model file."""
        saved = self.pair_model.as_dict()
        return {
            "records": self.records,
            "held_out": self.held_out and self.held_out.as_dict(),
            "reading": self.reading and self.reading._asdict(),
            "weights": self.named(),
            # m follows from the weights by name and u
            "pairs": {key: value for key, value in saved.items() if key not in DERIVED},
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> TrainedModel:
        """The inverse of `as_dict`; files of earlier versions have no reading."""
        weights_by_name, pairs = content["weights"], dict(content["pairs"])
        m = []
        for name, levels, u in zip(pairs["names"], pairs["level_names"], pairs["u"], strict=True):
            weights = np.array(
                [weights_by_name[title] for title in name_weights(name, levels)], float
            )
            share = np.array(u, float) * np.exp(weights)
            m.append((share / share.sum()).tolist())
        lam = float(logistic(weights_by_name[PRIOR]))
        model = PairModel.from_dict(pairs | {"m": m, "lam": lam, "warnings": []})
        _check(model)
        held_out, reading = content["held_out"], content.get("reading")
        return cls(
            model,
            int(content["records"]),
            None if held_out is None else HeldOut.from_dict(held_out),
            None if reading is None else SavedReading(**reading),
        )

    def fitting(self, settings: Settings) -> Settings:
        """Settings that compare the columns of the model; an InputError if a column is missing."""
        model = self.pair_model
        names = [name for name, column in settings.columns.items() if column.role != "ignore"]
        compared = {}
        for name, type, how in zip(model.names, model.column_types, model.comparisons, strict=True):
            column, groups, _ = parse_group(name, settings.columns)
            if column not in settings.columns:
                raise InputError(
                    f"the model was trained for other columns: it compares {name!r}, and there are "
                    f"{', '.join(names)}; train it again on these records"
                )
            own = _compare_column(column, type, how, settings.columns[column])
            compared[column] = replace(own, word_groups=groups or "none")
        return settings.replaced(
            columns={
                name: compared[name] if name in compared else _block_column(column)
                for name, column in settings.columns.items()
            }
        )

    def for_records(self, names: list[str], n: int, mode: str | None = None) -> PairModel:
        """The pair model for n distinct records with these columns, in their order.

        The number of matches grows with the number of records and the number of pairs with its
        square, so the prior odds of a match fall as the number of records grows.
        """
        model = self.pair_model
        odds = model.lam / (1 - model.lam) * self.records / n
        order = [model.names.index(name) for name in names]
        place = np.argsort(order).tolist()
        household = model.household and model.household._replace(
            r=_reorder(model.household.r, order)
        )
        return replace(
            model,
            names=_reorder(model.names, order),
            column_types=_reorder(model.column_types, order),
            comparisons=_reorder(model.comparisons, order),
            level_names=_reorder(model.level_names, order),
            m=_reorder(model.m, order),
            u=_reorder(model.u, order),
            common=_reorder(model.common, order),
            column_weights=_reorder(model.column_weights, order) if model.column_weights else [],
            lam=odds / (1 + odds),
            edges=[
                edge._replace(left=place[edge.left], right=place[edge.right])
                for edge in model.edges
            ],
            household=household,
            warnings=self._list_warnings(mode),
        )

    def _list_warnings(self, mode: str | None) -> list[str]:
        if self.reading is None or mode in (None, self.reading.mode):
            return []
        return [
            f"the model was learned in mode {self.reading.mode!r} and these records are resolved "
            f"in mode {mode!r}; give --mode, or learn a model from them"
        ]

    def read(
        self, scored: ScoredPairs, prepared: Prepared, pairs: Any, settings: Settings
    ) -> tuple[ScoredPairs, Reading]:
        """Score candidate pairs by the reading of the model."""
        if self.reading is None:
            return scored, Reading("trained", "a trained model is given", {})
        order = [self.pair_model.names.index(name) for name in scored.comparisons.names]
        return self.reading.reordered(order).score(scored, prepared, pairs, settings)


def _reorder(values: list[Any], order: list[int]) -> list[Any]:
    return [values[k] for k in order]


def _compare_column(
    name: str, column_type: str, stored: Comparison, column: ColumnSettings
) -> ColumnSettings:
    """The settings of a column that the model compares."""
    comparison = column.comparison
    if any(isinstance(function, str) for function in stored.python_functions()):
        if comparison is None or comparison.as_dict() != stored.as_dict():
            function = next(iter(stored.python_functions()))
            raise InputError(
                f"the model compares column {name!r} by the Python function {function!r}; pass "
                f"columns={{{name!r}: partita.comparison.{stored.name}(...)}} with that function "
                f"and the levels {', '.join(stored.labels)}"
            )
        return ColumnSettings(column_type, "compare", comparison)
    # a pair of columns has a type of its own, and the first column keeps its own
    return ColumnSettings(column.type if stored.second_column else column_type, "compare", stored)


def _block_column(column: ColumnSettings) -> ColumnSettings:
    """A column outside the model is used for blocking only."""
    if column.role != "compare":
        return column
    return replace(column, role="block", comparison=None, word_groups=None)


def name_weights(name: str, levels: list[str]) -> list[str]:
    """The names of the weights of a column: "column = level"."""
    return [f"{name} = {level}" for level in levels]


def learned_model(result: Resolution) -> TrainedModel:
    """The model of a result, which was learned with labels or without."""
    name = result.reading.name
    if name == "mentions":
        raise InputError(
            "these records are author mentions, whose model cannot be saved; set mentions = "
            '"off" to read them as records'
        )
    reading = None if name == "trained" else SavedReading.of(result.reading, result.mode)
    return TrainedModel(result.pair_model, result.prepared.n, None, reading)


def load_model(path: str | PathLike[str]) -> TrainedModel:
    """Read a trained model; an InputError if the file is no complete model."""
    from partita.learning.files import read_file

    content = read_file(path, KIND)
    try:
        return TrainedModel.from_dict(content)
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
        raise InputError(f"{path} was changed, or is not complete; train the model again") from None


def _check(model: PairModel) -> None:
    """Raise a ValueError unless all parts of a stored model have the shapes of its columns."""
    sizes = [len(comparison.labels) for comparison in model.comparisons]
    columns: list[list[Any]] = [
        model.names,
        model.column_types,
        model.level_names,
        model.m,
        model.u,
        model.common,
    ]
    rates = [*model.m, *model.u, *(model.household.r if model.household else ())]
    numbers = [*model.common, *(edge.lift for edge in model.edges)]
    numbers += [model.household.odds] if model.household else []
    for edge in model.edges:
        lifts = (edge.left_lifts, edge.right_lifts)
        if [len(side) for side in lifts] != [sizes[edge.left], sizes[edge.right]]:
            raise ValueError
        numbers += [*edge.left_lifts, *edge.right_lifts]
    if (
        not all(isinstance(name, str) for name in (*model.names, *model.column_types))
        or len(set(model.names)) != len(model.names)
        or any(len(part) != len(sizes) for part in columns)
        or [len(levels) for levels in model.level_names] != sizes
        or [rate.shape for rate in rates]
        != [(size,) for size in sizes] * (len(rates) // len(sizes))
        or not np.isfinite(np.array(numbers, np.float64)).all()
        or any(edge.left < 0 or edge.right < 0 for edge in model.edges)
        or not all(np.isfinite(weights).all() for weights in model.weights())
    ):
        raise ValueError


def interpret_model(model: Any) -> tuple[str | None, TrainedModel | None]:
    """Interpret `model=`: the name of a model type, a trained model, or the file of one."""
    if model is None or model in MODELS:
        return model, None
    if isinstance(model, TrainedModel):
        return None, model
    if not isinstance(model, str | PathLike):
        raise InputError(
            f"model is {shown(model)}; give {', '.join(MODELS)}, a trained model or its file"
        )
    if isinstance(model, str) and not Path(model).suffix and not Path(model).exists():
        raise InputError(
            f"model is {model!r}; give one of {', '.join(MODELS)}, or the file of a trained model"
        )
    return None, load_model(model)
