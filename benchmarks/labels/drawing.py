"""Labels for all tools: pairs chosen by active learning, labelled by the truth."""

from __future__ import annotations

import numpy as np

from benchmarks.peers.sets import Prepared
from partita.linkage.resolve import compare_records, read_settings
from partita.linkage.supervision.active_learning import Answer, Questions
from partita.progress import Clock

__all__ = ["Label", "draw"]

Label = tuple[int, int, bool]


def draw(data: Prepared, many: int, seed: int, threads: int = 1) -> list[Label]:
    """Labelled pairs of record numbers, in the order of the questions.

    The first k pairs are those of a run with k questions. Only the answers use the truth.
    """
    settings, _ = read_settings(None, {"seed": seed, "threads": threads})
    ready = compare_records(data.path, settings, None, None, Clock(False))
    entity = np.unique(data.truth.to_numpy(zero_copy_only=False), return_inverse=True)[1]
    questions, answers = Questions(ready.scored, seed), []
    first = ready.prepared.numbering.wide
    ids = ready.records.ids.to_numpy(zero_copy_only=False)
    labels: list[Label] = []
    while len(labels) < many and (pair := questions.next(answers)) is not None:
        left, right = (int(ids[first[record]]) for record in pair)
        match = bool(entity[left] == entity[right])
        answers.append(Answer(*pair, match))
        labels.append((left, right, match))
    return labels
