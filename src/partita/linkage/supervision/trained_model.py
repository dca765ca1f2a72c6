"""Trained models: match weights by name in a versioned file, and the columns they are of."""

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

__all__ = ["HeldOut", "TrainedModel", "given_model", "load_model"]

KIND = "resolution"
PRIOR = "prior"
DERIVED = ("m", "lam", "warnings")
"""Fields of a pair model that the file does not repeat."""


class HeldOut(NamedTuple):
    """What the change is worth on labels that it was not learned from."""

    labels: int
    matches: int
    strength: float
    """How strongly the weights are held at those without labels; infinite if nothing changed."""
    loss_before: float
    """Mean of -log P(label), by the weights before and after."""
    loss: float
    wrong_before: int
    """Labels on the wrong side of even odds, before and after."""
    wrong: int
    gained: int = 0
    """Held-out labels with which the resolved records agree only after the change, ..."""
    lost: int = 0
    """... and only before; where these are not clearly fewer, the weights stay as they were."""

    @property
    def changed(self) -> bool:
        """Whether the labels changed the weights at all."""
        return math.isfinite(self.strength)


@dataclass(frozen=True, eq=False)
class TrainedModel:
    """Match weights that labels have improved, for records with the same columns."""

    pair_model: PairModel
    records: int
    """Distinct records that it was trained on."""
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
        """Write it as JSON; an older file is replaced only when the new one is complete."""
        if Path(path).is_dir():
            raise InputError(f"{path} is a folder; give the name of a file")
        saved = self.pair_model.as_dict()
        # the weights by name say what m would say once more
        rest = {key: value for key, value in saved.items() if key not in DERIVED}
        about = self.held_out._asdict()
        about["strength"] = about["strength"] if self.held_out.changed else None
        content = {"records": self.records, "held_out": about, "weights": self.named()}
        return write_file(path, KIND, content | {"pairs": rest})

    def fitting(self, settings: Settings) -> Settings:
        """Settings that compare the columns of the model, or an InputError if they cannot."""
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

        Matches grow with the number of records, and pairs with its square, so that the odds of a
        pair fall as records become more.
        """
        model = self.pair_model
        odds = model.lam / (1 - model.lam) * self.records / n
        order = [model.names.index(name) for name in names]
        place = np.argsort(order).tolist()
        related = model.related and model.related._replace(r=_taken(model.related.r, order))
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
            related=related,
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
    """A column that the model does not know can still bring candidates."""
    return replace(one, role="block", comparison=None) if one.role == "compare" else one


def _titles(name: str, levels: list[str]) -> list[str]:
    return [f"{name} = {level}" for level in levels]


def load_model(path: str | PathLike[str]) -> TrainedModel:
    """A trained model from its file, or one sentence on why it is none."""
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
    about = dict(found["held_out"])
    about["strength"] = math.inf if about["strength"] is None else about["strength"]
    model = PairModel.from_dict(rest | {"m": m, "lam": lam, "warnings": []})
    if not all(np.isfinite(one).all() for one in model.weights()):
        raise ValueError
    return TrainedModel(model, int(found["records"]), HeldOut(**about))


def given_model(given: Any) -> tuple[str | None, TrainedModel | None]:
    """What `model=` means: the name of a kind of model, or a trained one or its file."""
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
