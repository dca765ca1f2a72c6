"""Explanations: why two records are one entity, or are not.

First the pair alone, by the pair model (see `pairs`): the prior, what each column adds, what
comes off because columns depend on each other. Then the entity: what each factor of the sampled
model gains by having the second record with the first, the engine's own score of both partitions.
All in bits; positive is for one entity.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from partita.data.table import to_text
from partita.errors import InputError
from partita.estimators import exact
from partita.factors import Model
from partita.kernel import Ints, find_components
from partita.linkage.numbering import DistinctIds
from partita.linkage.pairwise.model import LN2
from partita.linkage.result import Resolution
from partita.proposals import move_to_entity
from partita.states import Partition
from partita.walks import compile_chain, total_statistics

__all__ = ["Explanation", "Part", "explain"]

FACTORS = {"affinity": "compared pairs", "size": "size"}
"""What factors are called that are not of one column."""


@dataclass(frozen=True)
class Part:
    """One step of a waterfall."""

    label: str
    bits: float
    """What it adds for one entity, the rarity of the values included."""
    left: str | None = None
    """The values of both records as they came."""
    right: str | None = None
    level: str | None = None
    """How alike they are."""
    rarity: float = 0.0
    """What of the bits comes from how rare the values are."""


@dataclass(frozen=True)
class Explanation:
    """Why two records are, or are not, one entity."""

    left: Any
    right: Any
    """The ids of the two records."""
    together: bool
    """Whether they are in one cluster."""
    p_same: float
    """P(one entity), by the posterior."""
    match_weight: float
    """The sum of `rows`: the log-odds of a match in bits, by this pair alone."""
    match_probability: float
    rows: list[Part]
    """The pair: prior, columns, dependence."""
    entity_rows: list[Part]
    """The entity: what each factor gains by the second record being with the first."""
    entity_question: str
    """What the entity's factors compare."""
    constraints: list[str]
    """Constraints that concern the two."""
    identical: bool
    """Whether they are equal in every used column, and so were never told apart."""
    compared: bool
    """Whether they were compared before this was asked."""
    p_member: tuple[float, float]
    p_cluster: tuple[float, float]

    @property
    def entity_weight(self) -> float:
        """The sum of `entity_rows`, in bits."""
        return float(sum(row.bits for row in self.entity_rows))

    def as_dict(self) -> dict[str, Any]:
        """Everything, as JSON can hold it."""
        plain = {"left": _plain(self.left), "right": _plain(self.right)}
        return asdict(self) | plain | {"entity_weight": self.entity_weight}


def _plain(id: Any) -> Any:
    return id if isinstance(id, int | str) else str(id)


def explain(resolution: Resolution, id_a: Any, id_b: Any) -> Explanation:
    """Explain two records of a resolution, whether or not they were ever compared."""
    a, b = resolution.row(id_a), resolution.row(id_b)
    if a == b:
        raise InputError(f"both records are {id_a!r}; give two different ids")
    one, two = resolution.distinct[[a, b]].tolist()
    weight, probability, rows = _pair(resolution, a, b)
    question, entity_rows = ("", []) if one == two else _entity(resolution, one, two)
    return Explanation(
        left=resolution.names[a].as_py(),
        right=resolution.names[b].as_py(),
        together=bool(resolution.labels[a] == resolution.labels[b]),
        p_same=resolution.p_same(id_a, id_b),
        match_weight=weight,
        match_probability=probability,
        rows=rows,
        entity_rows=entity_rows,
        entity_question=question,
        constraints=_constraints(resolution, a, b),
        identical=one == two,
        compared=one == two or _was_compared(resolution, one, two),
        p_member=(float(resolution.p_member[a]), float(resolution.p_member[b])),
        p_cluster=(float(resolution.p_cluster[a]), float(resolution.p_cluster[b])),
    )


def _was_compared(resolution: Resolution, one: int, two: int) -> bool:
    pairs = resolution.scored.pairs
    return bool(((pairs[:, 0] == min(one, two)) & (pairs[:, 1] == max(one, two))).any())


def _pair(resolution: Resolution, a: int, b: int) -> tuple[float, float, list[Part]]:
    """The match weight, its probability and the waterfall of one pair, compared now."""
    model, made = resolution.pair_model, resolution.scored.comparisons
    scores = model.score(made, resolution.distinct[[[a, b]]])
    values = resolution.records.original([a, b])
    rows = [Part("prior", scores.prior / LN2)]
    for q, name in enumerate(model.names):
        level = int(scores.levels[0, q])
        rarity = float(scores.rarity[0, q])
        left, right = _compared_texts(values, name, model.comparisons[q].second_column)
        how = model.level_names[q][level] if level >= 0 else "missing"
        bits = (float(scores.columns[0, q]) + rarity) / LN2
        rows.append(Part(name, bits, left, right, how, rarity / LN2))
    if model.edges or model.related is not None:
        rows.append(Part("dependence", float(scores.dependence[0]) / LN2))
    return float(scores.match_weight[0]), float(scores.probability[0]), rows


def _compared_texts(values: pa.Table, name: str, second: str | None) -> list[str | None]:
    """The compared values of both records, as in the input; two columns are joined."""
    texts: list[str | None] = to_text(values.column(name)).to_pylist()
    if second is None:
        return texts
    others = to_text(values.column(second)).to_pylist()
    return [
        None if one is None or other is None else f"{one} {other}"
        for one, other in zip(texts, others, strict=True)
    ]


def _entity(resolution: Resolution, one: int, two: int) -> tuple[str, list[Part]]:
    """What the model's factors gain by one distinct record being with another."""
    model, active = resolution.model, resolution.marginals.active
    a, b = active.to(DistinctIds(np.array([one, two]))).tolist()
    if model is None or min(a, b) < 0:
        return "a record that is like no other is an entity of its own, and was not sampled", []
    labels = resolution.labels[resolution.prepared.numbering.back(active.wide)]
    mine, other = int(labels[a]), int(labels[b])
    # factors are of single entities, and all that are not asked for may as well fall apart
    fresh = np.arange(labels.size) + int(labels.max()) + 1
    now = np.where((labels == mine) | (labels == other), labels, fresh)
    moved = now.copy()
    first, second = int((now == mine).sum()), int((now == other).sum())
    if mine == other:
        moved[b] = fresh[b]
        question = f"the second one with {_records(first - 1)} of its cluster, against it alone"
        return question, _gains(model, now, moved, resolution)
    moved[b] = mine
    question = f"the second one in the first one's cluster of {_records(first)}, against "
    question += f"its own cluster with {_records(second - 1)}" if second > 1 else "it alone"
    return question, _gains(model, moved, now, resolution)


def _records(many: int) -> str:
    return f"{many} record" if many == 1 else f"{many} records"


def _gains(model: Model, joined: Ints, parted: Ints, resolution: Resolution) -> list[Part]:
    """The score of one partition above another by factor, in bits."""
    compiled = compile_chain(model, move_to_entity(), exact())
    with_it, without = (
        total_statistics(model, exact(), compiled, Partition.of(labels))
        for labels in (joined, parted)
    )
    gained = model.weights * (with_it - without) / LN2
    rows, start = [], 0
    for name, width in zip(model.names, model.widths, strict=True):
        for k in range(start, start + width):
            feature = model.features[k].removeprefix(f"{name}.")
            column = feature in resolution.pair_model.names
            if column or gained[k] != 0.0:
                label = feature if column else FACTORS.get(name, name)
                rows.append(Part(label, float(gained[k])))
        start += width
    return rows


def _constraints(resolution: Resolution, a: int, b: int) -> list[str]:
    """Sentences about constraints that concern two records."""
    ruled, records = resolution.constraints, resolution.records
    found = []
    for k in np.flatnonzero((ruled.pairs == sorted((a, b))).all(1)):
        word = "must" if ruled.must[k] else "cannot"
        how = "for certain" if ruled.hard[k] else f"by {ruled.weight[k] / LN2:.1f} bits"
        found.append(f"the two {word} be one entity, {how}")
    musts = ruled.pairs[ruled.hard & ruled.must]
    groups = find_components(musts, records.n) if len(musts) else np.arange(records.n)
    if not found and groups[a] == groups[b]:
        found.append("the two must be one entity, through constraints with other records")
    cannot = groups[ruled.pairs[ruled.hard & ~ruled.must]]
    if not found and (np.sort(cannot, 1) == sorted(groups[[a, b]])).all(1).any():
        found.append("the two cannot be one entity, through constraints with other records")
    sources = records.sources
    if resolution.settings.one_to_one and sources is not None and sources[a] == sources[b]:
        found.append("the two are of one source, which holds no entity twice")
    return found
