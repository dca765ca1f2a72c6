"""Cases of the law suite: a model with its naive twin, a start, and a proposal.

A new proposal is registered by one `register` line, a new template or state by a model with its
twin and one such line; it then inherits every law in this folder.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from partita.errors import InputError
from partita.estimators import exact
from partita.factors import Model
from partita.kernel import interpreted
from partita.proposals import Proposal
from partita.states import SPACES
from partita.walks import Chain, compile_chain, start_chain


@dataclass(frozen=True)
class Subject:
    """A model, its slow twin (observed state -> statistics) and a start."""

    model: Model
    phi: Callable[[Any], Any]
    start: Any

    @property
    def space(self):
        return SPACES[self.model.state]

    def observed(self, state) -> tuple[int, ...]:
        return tuple(int(x) for x in self.space.observe(state))

    def log_score(self, state) -> float:
        return float(self.model.weights @ self.phi(np.array(self.observed(state))))


@dataclass(frozen=True)
class Case:
    name: str
    subject: Subject
    proposal: Proposal
    ergodic: bool = True
    """Whether the proposal reaches every state by itself."""

    def states(self):
        """All states that the proposal accepts as a start."""
        found = []
        for state in self.subject.space.enumerate(self.subject.start):
            try:
                self.proposal.check(state)
            except InputError:
                continue
            found.append(state)
        return found

    def target(self):
        """The exact probabilities of `states`, by the twin."""
        scores = np.array([self.subject.log_score(state) for state in self.states()])
        weights = np.exp(scores - scores.max())
        return weights / weights.sum()

    def chain(self, state=None, estimator=None, seed=0, rng=None) -> Chain:
        estimator = estimator or exact()
        compiled = compiled_once(self.subject.model, self.proposal, estimator)
        rng = rng if rng is not None else np.random.default_rng(seed)
        start = self.subject.start if state is None else state
        return start_chain(
            self.subject.model,
            start,
            self.proposal,
            rng=rng,
            estimator=estimator,
            compiled=compiled,
        )


CASES: dict[str, Case] = {}
_COMPILED: dict[tuple[int, int, str], Any] = {}


def compiled_once(model, proposal, estimator):
    key = (id(model), id(proposal), estimator.name.split("(")[0])
    if key not in _COMPILED:
        _COMPILED[key] = compile_chain(model, proposal, estimator)
    return _COMPILED[key]


def register(name: str, subject: Subject, proposal: Proposal, ergodic: bool = True) -> None:
    """Enter one case into every law."""
    assert name not in CASES, name
    CASES[name] = Case(name, subject, proposal, ergodic)


def all_cases() -> list[Case]:
    """Every registered case; importing these modules registers them."""
    own = (
        "cases",
        "conjugates",
        "aggregate_cases",
        "tree_cases",
        "generative_cases",
        "segment_cases",
    )
    for module in (*own, "exercise", "skeletons"):
        importlib.import_module(f"tests.laws.{module}")
    return list(CASES.values())


COMPILED = {
    *("labels/flip", "labels/gibbs", "lazy/pair_move", "dense/gibbs_mention", "sparse/split_merge"),
    *("hashed/move_to_entity", "tokens4/birth_death", "skeletons/state", "skeletons/proposal"),
    *("exercise/mixture 2x3", "segments/recut", "segments/gibbs_recut"),
}
"""Cases that `make test` also compiles, which take the compiler seconds; `make laws` takes all."""


def case_parameters() -> list[Any]:
    """All cases as parameters of a test: interpreted all at once, compiled the rest when long."""
    assert {case.name for case in all_cases()} >= COMPILED
    return [
        pytest.param(
            case,
            id=case.name,
            marks=() if interpreted() or case.name in COMPILED else pytest.mark.long,
        )
        for case in all_cases()
    ]
