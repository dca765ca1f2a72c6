"""Explanations: the match weights and factor scores behind the result for two records.

The first part explains the pair by the pairwise model: the prior, the weight of each column, and
the correction for dependent columns. The second part explains the entity by the sampled model: the
difference of each factor's score between the partition with both records in one entity and the
partition with them in two. All numbers are bits; positive bits favour one entity.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from partita.data import Records
from partita.data.clean import clean
from partita.data.table import to_text
from partita.errors import InputError
from partita.estimators import exact
from partita.factors import Model
from partita.kernel import Ints, find_components
from partita.linkage.numbering import DistinctIds
from partita.linkage.pairwise.model import LN2
from partita.linkage.pairwise.scored_pairs import ScoredPairs
from partita.linkage.readings.choice import Reading
from partita.linkage.result import Resolution
from partita.linkage.task import exclusive_sources
from partita.linkage.word_groups import group_words, parse_group
from partita.proposals import move_to_entity
from partita.states import Partition
from partita.walks import compile_chain, total_statistics

__all__ = ["ComparedResult", "Explanation", "Part", "explain", "explain_pair", "was_compared"]

FACTORS = {"affinity": "compared pairs", "size": "size"}
"""Labels of the factors that do not belong to one column."""


@dataclass(frozen=True)
class Part:
    """One step of a waterfall."""

    label: str
    bits: float
    """Bits in favour of one entity, including the term-frequency adjustment."""
    left: str | None = None
    """The values of both records in the input."""
    right: str | None = None
    level: str | None = None
    """The comparison level."""
    term_frequency: float = 0.0
    """Bits of the term-frequency adjustment."""


@dataclass(frozen=True)
class Explanation:
    """The explanation of one pair of records."""

    left: Any
    right: Any
    """The ids of the two records."""
    together: bool
    """Whether the two records are in one cluster."""
    p_same: float
    """Posterior probability that the two records are one entity."""
    match_weight: float
    """The sum of `rows`: log-odds of a match in bits, by the reading of the file."""
    match_probability: float
    rows: list[Part]
    """The waterfall of the pair: prior, columns, dependence, and the adjustment by the reading."""
    entity_rows: list[Part]
    """The waterfall of the entity: the score difference of each factor."""
    entity_question: str
    """The two partitions that `entity_rows` compares."""
    constraints: list[str]
    """Constraints on the two records, as sentences."""
    identical: bool
    """Whether the two records are equal in every used column; such records are collapsed."""
    compared: bool
    """Whether the pair was a candidate pair of the resolution."""
    p_member: tuple[float, float] | None = None
    p_cluster: tuple[float, float] | None = None
    """Of both records; None where the explanation is that of a link."""

    @property
    def entity_weight(self) -> float:
        """The sum of `entity_rows`, in bits."""
        return float(sum(row.bits for row in self.entity_rows))

    def __str__(self) -> str:
        """The waterfall of the pair as plain text, with match weights in bits."""
        verdict = "one entity" if self.together else "two entities"
        lines = [("column", str(self.left), str(self.right), "level", "bits")]
        for row in self.rows:
            step = (row.label, row.left or "", row.right or "", row.level or "")
            lines.append((*step, f"{row.bits:+.1f}"))
        lines.append(("match weight", "", "", "", f"{self.match_weight:+.1f}"))
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        texts = [f"{self.left} and {self.right}: {verdict}, P(one entity) = {self.p_same:.3f}"]
        for *cells, bits in lines:
            padded = [cell.ljust(width) for cell, width in zip(cells, widths, strict=False)]
            texts.append("  ".join((*padded, bits.rjust(widths[-1]))))
        return "\n".join(texts)

    def as_dict(self) -> dict[str, Any]:
        """All fields, ready for JSON."""
        plain = {"left": _plain(self.left), "right": _plain(self.right)}
        return asdict(self) | plain | {"entity_weight": self.entity_weight}


def _plain(id: Any) -> Any:
    return id if isinstance(id, int | str) else str(id)


def explain(resolution: Resolution, id_a: Any, id_b: Any) -> Explanation:
    """Explain two records of a resolution; a pair that was no candidate is compared now."""
    a, b = resolution.row(id_a), resolution.row(id_b)
    if a == b:
        raise InputError(f"both records are {id_a!r}; give two different ids")
    first, second = resolution.distinct_ids[[a, b]].tolist()
    weight, probability, rows = explain_pair(resolution, a, b)
    question, entity_rows = ("", []) if first == second else _entity(resolution, first, second)
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
        identical=first == second,
        compared=first == second or was_compared(resolution, first, second),
        p_member=(float(resolution.p_member[a]), float(resolution.p_member[b])),
        p_cluster=(float(resolution.p_cluster[a]), float(resolution.p_cluster[b])),
    )


class ComparedResult(Protocol):
    """A result whose pairs of records can be explained."""

    @property
    def records(self) -> Records:
        """The records, by row."""
        ...

    @property
    def scored(self) -> ScoredPairs:
        """The scored pairs of distinct records."""
        ...

    @property
    def reading(self) -> Reading:
        """The reading that scores the pairs."""
        ...

    @property
    def distinct_ids(self) -> DistinctIds:
        """The distinct record of each row."""
        ...


def was_compared(result: ComparedResult, first: int, second: int) -> bool:
    """Whether two distinct records are a scored pair."""
    pairs = result.scored.pairs
    return bool(((pairs[:, 0] == min(first, second)) & (pairs[:, 1] == max(first, second))).any())


def explain_pair(result: ComparedResult, a: int, b: int) -> tuple[float, float, list[Part]]:
    """The match weight, the match probability and the waterfall of two rows."""
    model = result.scored.model
    # candidate pairs are ascending, and a reading may depend on the order of the two
    scores = result.scored.score(np.sort(result.distinct_ids[[[a, b]]], axis=1))
    values = result.records.original([a, b])
    rows = [Part("prior", scores.prior / LN2)]
    for q, name in enumerate(model.names):
        level = int(scores.levels[0, q])
        adjustment = float(scores.term_frequency[0, q])
        left, right = _compared_texts(values, name, model.comparisons[q].second_column)
        how = model.level_names[q][level] if level >= 0 else "missing"
        bits = (float(scores.columns[0, q]) + adjustment) / LN2
        rows.append(Part(name, bits, left, right, how, adjustment / LN2))
    if model.edges or model.household is not None:
        rows.append(Part("dependence", float(scores.dependence[0]) / LN2))
    if result.scored.scorer is not None:
        rows.append(Part(f"reading: {result.reading.name}", float(scores.reading[0]) / LN2))
    return float(scores.match_weight[0]), float(scores.probability[0]), rows


def _compared_texts(values: pa.Table, name: str, second: str | None) -> list[str | None]:
    """The compared values of both records, as in the input; two columns are joined."""
    column, kind, group = parse_group(name, values.column_names)
    texts: list[str | None] = to_text(values.column(column)).to_pylist()
    if kind is not None:
        cleaned = clean(pa.array(texts, pa.string())).to_pylist()
        return [text and (group_words(text, kind, group) or None) for text in cleaned]
    if second is None:
        return texts
    second_texts = to_text(values.column(second)).to_pylist()
    return [
        None if text is None or second_text is None else f"{text} {second_text}"
        for text, second_text in zip(texts, second_texts, strict=True)
    ]


def _entity(resolution: Resolution, first: int, second: int) -> tuple[str, list[Part]]:
    """The score difference of each factor between the two records together and split."""
    model, active = resolution.model, resolution.marginals.active
    a, b = active.to(DistinctIds(np.array([first, second]))).tolist()
    if model is None or min(a, b) < 0:
        return "a record without a likely match is an entity of its own and was not sampled", []
    labels = resolution.labels[resolution.prepared.numbering.back(active.wide)]
    first_label, second_label = int(labels[a]), int(labels[b])
    # factors score single entities, so all other entities may be singletons
    fresh = np.arange(labels.size) + int(labels.max()) + 1
    current = np.where((labels == first_label) | (labels == second_label), labels, fresh)
    moved = current.copy()
    first_size, second_size = (
        int((current == first_label).sum()),
        int((current == second_label).sum()),
    )
    if first_label == second_label:
        moved[b] = fresh[b]
        question = (
            f"the second record with {_records(first_size - 1)} of its cluster, against it alone"
        )
        return question, _gains(model, current, moved, resolution)
    moved[b] = first_label
    question = f"the second record in the cluster of the first ({_records(first_size)}), against "
    question += (
        f"its own cluster with {_records(second_size - 1)}"
        if second_size > 1
        else "the record alone"
    )
    return question, _gains(model, moved, current, resolution)


def _records(count: int) -> str:
    return f"{count} record" if count == 1 else f"{count} records"


def _gains(model: Model, merged: Ints, split: Ints, resolution: Resolution) -> list[Part]:
    """The score of the merged partition minus that of the split one, by factor, in bits."""
    compiled = compile_chain(model, move_to_entity(), exact())
    with_it, without = (
        total_statistics(model, exact(), compiled, Partition.of(labels))
        for labels in (merged, split)
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
    """Sentences about the constraints on two records."""
    constraints, records = resolution.constraints, resolution.records
    sentences = []
    for k in np.flatnonzero((constraints.pairs == sorted((a, b))).all(1)):
        word = "must" if constraints.must[k] else "cannot"
        how = (
            "hard constraint"
            if constraints.hard[k]
            else f"constraint of {constraints.weight[k] / LN2:.1f} bits"
        )
        sentences.append(f"the two {word} be one entity, {how}")
    musts = constraints.pairs[constraints.hard & constraints.must]
    groups = find_components(musts, records.n) if len(musts) else np.arange(records.n)
    if not sentences and groups[a] == groups[b]:
        sentences.append("the two must be one entity, by hard constraints with other records")
    cannot = groups[constraints.pairs[constraints.hard & ~constraints.must]]
    if not sentences and (np.sort(cannot, 1) == sorted(groups[[a, b]])).all(1).any():
        sentences.append("the two cannot be one entity, by hard constraints with other records")
    sources = exclusive_sources(records, resolution.settings)
    if sources is not None and sources[a] == sources[b] >= 0:
        name = records.source_names[int(sources[a])]
        sentences.append(f"the two are of source {name}, of which an entity has one record at most")
    return sentences
