"""The result of `coref`: a row for each mention with its entity, its link and probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import scipy

from partita.data.write import write_table
from partita.errors import InputError
from partita.kernel import Floats
from partita.knowledge.joint_coreference import Inference, JointProblem
from partita.knowledge.name_table import NameTable
from partita.metrics import Evaluation, evaluate
from partita.text.coreference.documents import Document

__all__ = ["Coreference"]

DIGITS = 4
"""Decimals of probabilities."""
RANKS = 2
"""Records that the output names: the link and the runner-up."""
UNCERTAIN = 0.95
"""Probability of membership below which a mention counts as uncertain."""


@dataclass(frozen=True, eq=False, repr=False)
class Coreference:
    """Entities of the mentions of documents, with probabilities and links."""

    documents: Sequence[Document]
    problem: JointProblem
    inference: Inference
    base: NameTable | None
    seed: int
    seconds: dict[str, float]
    """CPU seconds by stage."""

    @cached_property
    def entities(self) -> list[str]:
        """The entity of each mention: its document and a number from 1 by first mention."""
        labels = self.inference.entity
        names: dict[int, str] = {}
        entity_names = []
        for k, document in enumerate(self.documents):
            first, last = self.problem.corpus.first[k : k + 2]
            number = 0
            for label in labels[first:last].tolist():
                if label not in names:
                    number += 1
                    names[label] = f"{document.name}:{number}"
                entity_names.append(names[label])
        return entity_names

    @cached_property
    def p_entity(self) -> Floats:
        """The mean probability that a mention is one entity with each other one of its entity.

        For a mention alone, the probability that it is alone.
        """
        draws = self.inference.posterior.draws.reshape(-1, self.inference.entity.size)
        labels = np.unique(self.inference.entity, return_inverse=True)[1].reshape(-1)
        size, total = np.bincount(labels), np.zeros(labels.size)
        for draw in draws:
            both = np.unique(np.stack([labels, draw]), axis=1, return_inverse=True)[1].reshape(-1)
            shared, own = np.bincount(both)[both], np.bincount(draw)[draw]
            alone = (own == 1).astype(float)
            others = np.maximum(size[labels] - 1, 1)
            total += np.where(size[labels] == 1, alone, (shared - 1) / others)
        return total / len(draws)

    def table(self) -> pa.Table:
        """One row for each mention, in order."""
        mentions = [(document, m) for document in self.documents for m in document.mentions]
        columns: dict[str, Any] = {
            "document": [document.name for document, _ in mentions],
            "mention": [m.id or str(k + 1) for k, (_, m) in enumerate(mentions)],
            "start": [m.start for _, m in mentions],
            "end": [m.end for _, m in mentions],
            "text": [document.text[m.start : m.end] for document, m in mentions],
            "type": [m.type or None for _, m in mentions],
            "entity": self.entities,
            "p_entity": np.round(self.p_entity, DIGITS),
        }
        if self.base is not None:
            columns |= self._links()
        return pa.table(columns)

    def _pass_links(self) -> scipy.sparse.csr_array:
        """The links of each mention; one without candidates has the mean of its entity's names."""
        shares, links = self.inference.links, self.problem.links
        assert shares is not None and links is not None
        labels = np.unique(self.inference.entity, return_inverse=True)[1].reshape(-1)
        named = (np.diff(links.scores.indptr) > 0).astype(float)
        weight = named / np.maximum(np.bincount(labels, named)[labels], 1.0)
        members = scipy.sparse.csr_array((weight, (labels, np.arange(labels.size))))
        own, passed = (scipy.sparse.diags_array(values) for values in (named, 1.0 - named))
        mixed = scipy.sparse.csr_array(own @ shares + passed @ (members @ shares)[labels])
        mixed.sort_indices()
        return mixed

    def _links(self) -> dict[str, Any]:
        """The record of each mention, its probability, that of none, and the runner-up."""
        links = self.problem.links
        assert links is not None and self.base is not None
        shares = self._pass_links()
        n = shares.shape[0]
        nil = 1.0 - np.asarray(shares.sum(1)).reshape(-1)
        record, p = np.full((n, RANKS), -1), np.zeros((n, RANKS))
        for k in range(n):
            cells = slice(shares.indptr[k], shares.indptr[k + 1])
            order = np.argsort(-shares.data[cells], kind="stable")[:RANKS]
            record[k, : order.size] = links.record[shares.indices[cells][order]]
            p[k, : order.size] = shares.data[cells][order]
        # where no record is likelier than none, the best record is the runner-up
        is_nil = nil >= p[:, 0]
        record[is_nil] = np.stack([np.full(n, -1), record[:, 0]], 1)[is_nil]
        p[is_nil] = np.stack([np.zeros(n), p[:, 0]], 1)[is_nil]
        columns: dict[str, Any] = {}
        for rank, name in enumerate(("link", "link_2")):
            known = record[:, rank] >= 0
            ids = [self.base.ids[r] if r >= 0 else None for r in record[:, rank]]
            columns[name] = pa.array(ids, pa.string())
            columns[f"p_{name}"] = pa.array(np.round(p[:, rank], DIGITS), mask=~known)
            if rank == 0:
                columns["p_nil"] = np.round(np.clip(nil, 0, 1), DIGITS)
        return columns

    def write(self, path: str | Path) -> Path:
        """Write the table to a file: .csv, .parquet or .jsonl; "-" is standard output."""
        return write_table(self.table(), path)

    def evaluate(self) -> Evaluation:
        """Compare the entities with the annotated ones, if the documents have them."""
        truth = self.problem.corpus.entities()
        known = truth >= 0
        if not known.any():
            raise InputError("no mention has an annotated entity; give documents with entities")
        return evaluate(self.inference.entity[known], truth[known])

    def summary(self) -> dict[str, Any]:
        """The result in numbers, as JSON can hold them."""
        labels = np.unique(self.inference.entity, return_inverse=True)[1].reshape(-1)
        size = np.bincount(labels)
        result: dict[str, Any] = {
            "documents": len(self.documents),
            "mentions": int(labels.size),
            "entities": int(size.size),
            "single": int((size == 1).sum()),
            "entities_expected": self.inference.posterior.entities(),
            "uncertain": int((self.p_entity < UNCERTAIN).sum()),
            "seconds": self.seconds,
            "seed": self.seed,
        }
        if self.base is not None:
            links = self.table().column("link")
            result["records"] = len(self.base.ids)
            result["linked"] = len(links) - links.null_count
            result["records_linked"] = len(links.drop_null().unique())
        return result

    def __repr__(self) -> str:
        summary = self.summary()
        return (
            f"Coreference({summary['mentions']:,} mentions of {summary['documents']:,} documents, "
            f"{summary['entities']:,} entities, {summary['uncertain']:,} mentions uncertain)"
        )
