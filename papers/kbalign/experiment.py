"""Runs of all systems on one set: Tables 2 and 3, gains by document size, links."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from papers.kbalign.bases import aida_base, gum_base
from papers.kbalign.data import TRANSCRIPTS, genre, load_aida, load_gum
from papers.kbalign.greedy import Linker, best_link, link_by_candidates, training_pairs
from papers.kbalign.svm import base_features, fit_svm, score_pairs
from partita.kernel import Ints
from partita.knowledge.name_table import NameTable
from partita.metrics import Score, bcubed, bcubed_by_record, ceaf_m, muc, pairwise
from partita.text.coreference.antecedents import Corpus, encode_corpus
from partita.text.coreference.attributes import is_name
from partita.text.coreference.documents import Document

__all__ = ["SHARES", "SYSTEMS", "Task", "load_task", "run_greedy", "tabulate"]

SYSTEMS = {"baseline": (False, False), "static": (True, False), "dynamic": (True, True)}
"""The paper's systems: whether they have candidates, and whether lists are merged."""
THRESHOLDS = (-0.6, -0.4, -0.2, 0.0, 0.2, 0.4)
"""Thresholds of BestLink that the development part chooses from."""
SHARES = (10, 33, 40, 50)
"""Percentages of the largest documents (Figure 2)."""
METRICS = {"pairwise": pairwise, "muc": muc, "ceaf_m": ceaf_m, "bcubed": bcubed}


@dataclass(frozen=True, eq=False)
class Task:
    """One set: training, development and test documents, and the knowledge base."""

    name: str
    train: Sequence[Document]
    development: Sequence[Document]
    test: Sequence[Document]
    base: NameTable
    annotated: Sequence[Document]
    """Training documents of the links, which the base counts; AIDA's with names without article."""


def load_task(name: str, most: int | None = None) -> Task:
    """Load AIDA (names with an article) or GUM (all mentions); `most` cuts every part."""
    if name == "aida":
        parts = [load_aida(part, only_linked=True)[:most] for part in ("train", "testa", "testb")]
        annotated = load_aida("train")[:most]
        return Task(name, *parts, aida_base(annotated), annotated)
    parts = [load_gum(part)[:most] for part in ("train", "dev", "test")]
    return Task(name, *parts, gum_base(parts[0], load_aida("train")[:most]), parts[0])


def run_greedy(task: Task, seed: int = 0) -> dict[str, Ints]:
    """The entities of the test mentions by the paper's systems; thresholds by development."""
    train, development, test = map(encode_corpus, (task.train, task.development, task.test))
    linkers = [Linker(corpus, task.base) for corpus in (train, development, test)]
    features = [base_features(corpus) for corpus in (train, development, test)]
    systems = {"wiki-linking": link_by_candidates(test, linkers[2])}
    truth = development.entities()
    for name, (is_linked, dynamic) in SYSTEMS.items():
        own = linkers if is_linked else [None, None, None]
        examples = training_pairs(train, own[0], dynamic)
        weights = fit_svm(train, features[0], examples, seed)

        def run(
            corpus: Corpus, base: Any, threshold: float, linker: Linker | None,
            weights: Any = weights, dynamic: bool = dynamic,
        ) -> Ints:  # fmt: skip
            return best_link(corpus, score_pairs(corpus, base, weights), threshold, linker, dynamic)

        scores = [
            bcubed(run(development, features[1], threshold, own[1]), truth).f1
            for threshold in THRESHOLDS
        ]
        threshold = THRESHOLDS[int(np.argmax(scores))]
        systems[name] = run(test, features[2], threshold, own[2])
    return systems


def score_labels(labels: Ints, truth: Ints, known: NDArray[np.bool_]) -> dict[str, list[float]]:
    """Precision, recall and F1 in percent, by metric."""
    table = {}
    for name, metric in METRICS.items():
        score = metric(labels[known], truth[known])
        table[name] = [100 * value for value in (score.precision, score.recall, score.f1)]
    return table


def tabulate(task: Task, systems: dict[str, Ints]) -> dict[str, Any]:
    """Tables 2 and 3, Figure 2, and B3 on entities that the knowledge base names."""
    truth = _number_entities(task.test)
    size = np.array([len(document.mentions) for document in task.test])
    document = np.repeat(np.arange(size.size), size)
    everything = np.ones(truth.size, bool)
    result: dict[str, Any] = {
        "documents": size.size,
        "mentions": truth.size,
        "table_2": {n: score_labels(labels, truth, everything) for n, labels in systems.items()},
    }

    def measure(kept: NDArray[np.bool_]) -> dict[str, float]:
        return {n: 100 * bcubed(labels[kept], truth[kept]).f1 for n, labels in systems.items()}

    named = find_named(task, truth)
    result["named"] = {"mentions": int(named.sum()), **_bcubed_of(systems, truth, named)}
    if task.name == "gum":
        spoken = np.array([genre(item) in TRANSCRIPTS for item in task.test])[document]
        result["table_3"] = {"written": measure(~spoken), "transcripts": measure(spoken)}
    order = np.argsort(-size, kind="stable")
    result["figure_2"] = {}
    for share in SHARES:
        largest = np.zeros(size.size, bool)
        largest[order[: max(1, round(size.size * share / 100))]] = True
        result["figure_2"][share] = measure(largest[document])
    return result


def _number_entities(documents: Sequence[Document]) -> Ints:
    numbers: dict[tuple[int, str], int] = {}
    return np.array(
        [
            numbers.setdefault((k, mention.entity), len(numbers))
            for k, document in enumerate(documents)
            for mention in document.mentions
        ],
        np.int64,
    )


def find_named(task: Task, truth: Ints) -> NDArray[np.bool_]:
    """The mentions of entities of which a capitalised mention is a name of the base."""
    mentions = [m for document in task.test for m in document.mentions]
    has_name = np.array([is_name(m.text) and bool(task.base.look_up(m.text)) for m in mentions])
    return np.isin(truth, truth[has_name])


def _bcubed_of(systems: dict[str, Ints], truth: Ints, kept: NDArray[np.bool_]) -> dict[str, float]:
    """B3 F1 over some mentions, whose entities are compared as wholes."""
    result = {}
    for name, labels in systems.items():
        precision, recall = (values[kept].mean() for values in bcubed_by_record(labels, truth))
        result[name] = 100 * Score.of(precision, recall).f1
    return result
