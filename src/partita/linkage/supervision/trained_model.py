"""Trained models: match weights by name in a versioned file, and the columns they compare."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from partita.comparison import Comparison
from partita.errors import InputError
from partita.learning.files import read_file, write_file
from partita.linkage.pairwise.model import PairModel
from partita.linkage.settings import MODELS, ColumnSettings, Settings
from partita.states.checks import shown

__all__ = ["HeldOut", "RejectedChange", "TrainedModel", "given_model", "load_model"]

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
        """What training did, as titles and sentences."""
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
    """Match weights refitted to labels, for records with the same columns."""

    pair_model: PairModel
    records: int
    """Number of distinct records in the training data."""
    held_out: HeldOut

    def named(self) -> dict[str, float]:
        """All weights by name, in nats: "column = level", and the prior."""
        model = self.pair_model
        found = {PRIOR: model.prior}
        for name, levels, weights in zip(
            model.names, model.level_names, model.weights(), strict=True
        ):
            found |= dict(zip(_titles(name, levels), weights.tolist(), strict=True))
        return found

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the model as JSON, atomically."""
        if Path(path).is_dir():
            raise InputError(f"{path} is a folder; give the name of a file")
        saved = self.pair_model.as_dict()
        # m follows from the weights by name and u
        rest = {key: value for key, value in saved.items() if key not in DERIVED}
        content = {
            "records": self.records,
            "held_out": self.held_out.as_dict(),
            "weights": self.named(),
        }
        return write_file(path, KIND, content | {"pairs": rest})

    def fitting(self, settings: Settings) -> Settings:
        """Settings that compare the columns of the model; an InputError if a column is missing."""
        model = self.pair_model
        kinds = dict(zip(model.names, model.kinds, strict=True))
        there = [name for name, one in settings.columns.items() if one.role != "ignore"]
        for name in kinds:
            if name not in settings.columns:
                raise InputError(
                    f"the model was trained for other columns: it compares {name!r}, and there are "
                    f"{', '.join(there)}; train it again on these records"
                )
        compared = dict(zip(model.names, model.comparisons, strict=True))
        return settings.replaced(
            columns={
                name: _compared(name, kinds[name], compared[name], one)
                if name in kinds
                else _searched(one)
                for name, one in settings.columns.items()
            }
        )

    def for_records(self, names: list[str], n: int) -> PairModel:
        """The pair model for n distinct records with these columns, in their order.

        The number of matches grows with the number of records and the number of pairs with its
        square, so the prior odds of a match fall as the number of records grows.
        """
        model = self.pair_model
        odds = model.lam / (1 - model.lam) * self.records / n
        order = [model.names.index(name) for name in names]
        place = np.argsort(order).tolist()
        household = model.household and model.household._replace(r=_taken(model.household.r, order))
        return replace(
            model,
            names=_taken(model.names, order),
            kinds=_taken(model.kinds, order),
            comparisons=_taken(model.comparisons, order),
            level_names=_taken(model.level_names, order),
            m=_taken(model.m, order),
            u=_taken(model.u, order),
            common=_taken(model.common, order),
            lam=odds / (1 + odds),
            edges=[
                one._replace(left=place[one.left], right=place[one.right]) for one in model.edges
            ],
            household=household,
            warnings=[],
        )


def _taken(given: list[Any], order: list[int]) -> list[Any]:
    return [given[k] for k in order]


def _compared(name: str, kind: str, stored: Comparison, column: ColumnSettings) -> ColumnSettings:
    """The settings of a column that the model compares."""
    given = column.comparison
    if any(isinstance(function, str) for function in stored.python_functions()):
        if given is None or given.as_dict() != stored.as_dict():
            function = next(iter(stored.python_functions()))
            raise InputError(
                f"the model compares column {name!r} by the Python function {function!r}; pass "
                f"columns={{{name!r}: partita.comparison.{stored.name}(...)}} with that function "
                f"and the levels {', '.join(stored.labels)}"
            )
        return ColumnSettings(kind, "compare", given)
    # a pair of columns has a type of its own, and the first column keeps its own
    return ColumnSettings(column.type if stored.second_column else kind, "compare", stored)


def _searched(one: ColumnSettings) -> ColumnSettings:
    """A column outside the model is used for blocking only."""
    return replace(one, role="block", comparison=None) if one.role == "compare" else one


def _titles(name: str, levels: list[str]) -> list[str]:
    return [f"{name} = {level}" for level in levels]


def load_model(path: str | PathLike[str]) -> TrainedModel:
    """Read a trained model; an InputError if the file is no complete model."""
    found = read_file(path, KIND)
    try:
        return _built(found)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise InputError(f"{path} was changed, or is not complete; train the model again") from None


def _built(found: dict[str, Any]) -> TrainedModel:
    named, rest = found["weights"], dict(found["pairs"])
    m = []
    for name, levels, u in zip(rest["names"], rest["level_names"], rest["u"], strict=True):
        weights = np.array([named[title] for title in _titles(name, levels)], float)
        share = np.array(u, float) * np.exp(weights)
        m.append((share / share.sum()).tolist())
    lam = 1.0 / (1.0 + math.exp(-named[PRIOR]))
    model = PairModel.from_dict(rest | {"m": m, "lam": lam, "warnings": []})
    if not all(np.isfinite(one).all() for one in model.weights()):
        raise ValueError
    return TrainedModel(model, int(found["records"]), HeldOut.from_dict(found["held_out"]))


def given_model(given: Any) -> tuple[str | None, TrainedModel | None]:
    """Interpret `model=`: the name of a model type, a trained model, or the file of one."""
    if given is None or given in MODELS:
        return given, None
    if isinstance(given, TrainedModel):
        return None, given
    if not isinstance(given, str | PathLike):
        raise InputError(
            f"model is {shown(given)}; give {', '.join(MODELS)}, a trained model or its file"
        )
    if isinstance(given, str) and not Path(given).suffix and not Path(given).exists():
        raise InputError(
            f"model is {given!r}; give one of {', '.join(MODELS)}, or the file of a trained model"
        )
    return None, load_model(given)
