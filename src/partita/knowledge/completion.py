"""Facts: the result of `partita.facts`, with tables and the explanation of every fact."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from partita.data.write import write_table
from partita.errors import InputError
from partita.kernel import Floats, Ints, logistic, logit
from partita.knowledge.fact_scores import FactScores
from partita.knowledge.ratings import Rating
from partita.knowledge.rule_weights import Learned
from partita.knowledge.worlds import NONE, World
from partita.posterior import Posterior

__all__ = ["Explanation", "Facts", "Pull", "Pulls"]


class Pulls(NamedTuple):
    """Log-odds of the embedding, probabilities, and mean pulls of literals over the draws."""

    own: Floats
    p: Floats
    literal: Floats
    posterior: Posterior | None


@dataclass(frozen=True)
class Pull:
    """One grounding, and the change of a fact's log-odds that it causes."""

    log_odds: float
    """Mean change of the fact's log-odds over the draws."""
    rule: str
    facts: tuple[tuple[str, str, str, float], ...]
    """The other facts of the grounding, each with its probability."""


@dataclass(frozen=True)
class Explanation:
    """Why a fact has its probability: the embedding, and groundings by the size of their pull."""

    fact: tuple[str, str, str]
    p: float
    embedding: float
    """Log-odds without any rule."""
    pulls: tuple[Pull, ...]

    def __str__(self) -> str:
        lines = [f"{' '.join(self.fact)}: p = {self.p:.3f}"]
        lines.append(f"  {self.embedding:+.2f}  without rules")
        for pull in self.pulls:
            lines.append(f"  {pull.log_odds:+.2f}  {pull.rule}")
            lines += [f"         {h} {r} {t} ({p:.2f})" for h, r, t, p in pull.facts]
        return "\n".join(lines)


@dataclass(frozen=True, eq=False)
class Facts:
    """Completed facts with probabilities, rated rules and conflicts."""

    world: World = field(repr=False)
    ratings: list[Rating] = field(repr=False)
    learned: Learned = field(repr=False)
    scores: FactScores | None = field(repr=False)
    log_odds: Floats = field(repr=False)
    """Log-odds of the latent facts by the embedding alone."""
    pulls: Pulls = field(repr=False)

    def __repr__(self) -> str:
        return (
            f"Facts({self.world.triples.n} observed, {self.world.n} in question, "
            f"{len(self.ratings)} rules, {len(self.world.conflicts)} conflicts)"
        )

    @cached_property
    def p(self) -> Floats:
        """The calibrated probability of each fact in question, in the order of `world.keys`."""
        return self.learned.calibrate(self.pulls.p)

    def table(self) -> pa.Table:
        """Return the facts in question, most probable first."""
        names, kinds = (np.array(x, object) for x in (self._names, self.world.triples.relations))
        head, relation, tail = self.world.facts.T
        count = np.bincount(self.world.clause.scope, minlength=self.world.n)
        order = np.lexsort((tail, relation, head, -self.p))
        embedding = logistic(self.log_odds)
        return pa.table(
            {
                "head": names[head[order]],
                "relation": kinds[relation[order]],
                "tail": names[tail[order]],
                "p": self.p[order].round(6),
                "p_embedding": embedding[order].round(6) if self.scores else [None] * len(order),
                "groundings": count[order],
                "rule": self._strongest()[order],
            }
        )

    def rules(self) -> pa.Table:
        """Return the rated rules with their weights, in the order of the input."""
        rows = [rating.as_dict() for rating in self.ratings]
        weights = self.learned.weights[2:].tolist()
        return pa.Table.from_pylist(
            [{"weight": round(w, 4), **row} for w, row in zip(weights, rows, strict=True)]
        )

    def conflicts(self) -> pa.Table:
        """Return the groundings of rules that the observed facts violate."""
        rows = []
        for number, body, head in self.world.conflicts:
            text = "; ".join(" ".join(self._name(int(key))) for key in body)
            rule = self.world.rules[number]
            claim = f"{'not ' if rule.negated else ''}{' '.join(self._name(head))}"
            rows.append({"rule": str(rule), "line": rule.line, "body": text, "head": claim})
        columns = {"rule": pa.string(), "line": pa.int64(), "body": pa.string()}
        schema = pa.schema({**columns, "head": pa.string()})
        return pa.Table.from_pylist(rows, schema=schema)

    def probability(self, head: str, relation: str, tail: str) -> float:
        """Return the probability of a fact; an observed one has 1, or 0 if stated false."""
        key, truth = self.world.triples.find(head, relation, tail)
        if truth is not None:
            return float(truth)
        at = self.world.place(key)
        if at != NONE:
            return float(self.p[at])
        if self.scores is None:
            raise InputError(
                f"no rule derives {head} {relation} {tail}, and there is no embedding; "
                "name the fact in ask, or use an embedding"
            )
        fact = self.world.triples.facts_of(np.array([key]))
        return float(logistic(self.scores.log_odds(fact))[0])

    def explain(self, head: str, relation: str, tail: str) -> Explanation:
        """Explain a fact in question: the embedding, and all groundings that pull at it."""
        at = self.world.place(self.world.triples.find_latent(head, relation, tail))
        if at == NONE:
            raise InputError(
                f"no rule derives {head} {relation} {tail}; name the fact in ask to see it"
            )
        parts = self.world.clause
        literals = np.flatnonzero(parts.scope == at)
        firsts = np.concatenate([[0], np.cumsum([len(body) for body in parts.body])])
        pulls = []
        for literal in literals[np.argsort(-np.abs(self.pulls.literal[literals]), kind="stable")]:
            clause = int(parts.owner[literal])
            number = int(parts.rule[clause])
            keys = [*parts.body[number][clause - firsts[number]], parts.head[clause]]
            others = [int(key) for key in dict.fromkeys(keys) if key != self.world.keys[at]]
            named = tuple((*self._name(key), self._p(key)) for key in others)
            text = str(self.world.rules[number])
            pulls.append(Pull(float(self.pulls.literal[literal]), text, named))
        fact = (head, relation, tail)
        return Explanation(fact, float(self.p[at]), float(self.pulls.own[at]), tuple(pulls))

    def score(self, facts: Ints) -> Floats:
        """Return log-odds of any facts: the joint posterior, or else the embedding alone."""
        keys = self.world.triples.keys(facts)
        at = self.world.places(keys)
        inside = at != NONE
        log_odds = np.full(len(keys), -np.inf)
        if self.scores is not None:
            log_odds[~inside] = self.scores.log_odds(facts[~inside])
        p = self.p[at[inside]]
        with np.errstate(divide="ignore"):
            log_odds[inside] = np.log(p) - np.log1p(-np.minimum(p, 1 - 1e-16))
        return log_odds

    def answer(self, facts: Ints, side: str = "tail") -> Floats:
        """Score every entity as the tail (or head) of each fact: queries by entities.

        The score is the log share of the embedding plus the log-odds that the rules add.
        """
        if self.scores is None:
            raise InputError("queries are ranked by the embedding; fit one, with embedding=True")
        head, relation, tail = facts.T
        raw = self.scores.embedding.answer(facts, side)
        first, free = (head, 2) if side == "tail" else (tail, 0)
        top = raw.max(1, keepdims=True)
        shares = raw - top - np.log(np.exp(raw - top).sum(1, keepdims=True))
        own = self.world.facts
        n = len(self._names)
        queries = own[:, 1] * n + own[:, 2 - free]
        order = np.argsort(queries, kind="stable")
        query = relation * n + first
        low = np.searchsorted(queries[order], query)
        high = np.searchsorted(queries[order], query, side="right")
        # the rules' own part: calibration would shift facts in question against all others
        added = logit(self.pulls.p) - self.pulls.own
        for k in range(len(facts)):
            places = order[low[k] : high[k]]
            shares[k, own[places, free]] += added[places]
        return np.asarray(shares)

    def write(self, path: str | os.PathLike[str]) -> Path:
        """Write the facts in question to .csv, .parquet or .jsonl."""
        return write_table(self.table(), os.fspath(path))

    def summary(self) -> dict[str, Any]:
        """Return the counts of the run, for JSON."""
        learned = self.learned
        return {
            "observed": self.world.triples.n,
            "entities": len(self._names),
            "relations": len(self.world.triples.relations),
            "facts": self.world.n,
            "likely": int((self.p > 0.5).sum()),
            "expected": float(self.p.sum()),
            "conflicts": len(self.world.conflicts),
            "weights": "learned" if learned.is_learned else "from confidence",
            "learned_from": [learned.true, learned.false],
        }

    @property
    def _names(self) -> tuple[str, ...]:
        return self.world.triples.entities

    def _name(self, key: int) -> tuple[str, str, str]:
        return self.world.triples.name(self.world.triples.facts_of(np.array([key]))[0])

    def _p(self, key: int) -> float:
        at = self.world.place(key)
        if at != NONE:
            return float(self.p[at])
        triples = self.world.triples
        return 0.0 if key in triples.keys(triples.false) else 1.0

    def _strongest(self) -> Any:
        """Return the text of the rule with the largest pull at each fact; None without one."""
        parts = self.world.clause
        best = np.full(self.world.n, None, object)
        order = np.argsort(np.abs(self.pulls.literal), kind="stable")
        used = order[self.pulls.literal[order] != 0]
        texts = np.array([str(rule) for rule in self.world.rules] + [""], object)
        best[parts.scope[used]] = texts[parts.rule[parts.owner[used]]]
        return best
