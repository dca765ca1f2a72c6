"""Duplicates within two files, which then are not linked one to one.

A sample of records is compared within files and across files. Where the pretrained prior agrees
with another reading, the ratio of matches within files to matches across files separates clean
files from files with duplicates. Where it agrees with none, as on products that resemble each
other within a shop, the files count as clean.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from partita.data import Records
from partita.kernel import Floats, Ints
from partita.linkage.columns import select_rows
from partita.linkage.compare import block_records, read_candidates, score_candidates
from partita.linkage.numbering import DistinctIds, Numbering
from partita.linkage.pairwise.scored_pairs import ScoredPairs
from partita.linkage.prepare import Prepared, prepare
from partita.linkage.readings.choice import MIN_AGREEMENT
from partita.linkage.readings.second_best import match_greedily
from partita.linkage.settings import Settings
from partita.linkage.supervision.trained_model import TrainedModel

__all__ = ["allow_duplicates", "measure_within"]

MAX_WITHIN = 0.6
"""Matches within a file per match across files, up to which both files count as clean. Origin:
seven sets cut into random halves have .76 and more. Five of them, cut into one record of each
entity and the rest, have .73 and more; two with few duplicates are nearly clean then. Of 20
generated pairs of clean files with editions, sequels or branches, one has .84 and the others have
.5 and less; real clean files have .07 and less. A file that holds every entity twice beside a
clean one has .5 and counts as clean. All these files were in view."""
SAMPLE_RECORDS = (2_000, 20_000)
"""Distinct records that are compared: half of them, within these limits. Origin: .9 CPU s more for
dblp_acm."""
MIN_MATCHES = 20
"""Matches from which their share is measured. Origin: a choice."""


def allow_duplicates(
    records: Records, basis: Settings, chosen: Settings, trained: TrainedModel | None
) -> tuple[Settings, float | None]:
    """The chosen settings, with duplicates within files allowed where the files hold some.

    The second value is that of `measure_within` where links one to one are kept, or None. Only the
    default is changed: a mode, links one to one and a trained model are kept as given. Two files
    with few matches count as clean, but not two sources in a column: the file may have been made
    to find its duplicates.
    """
    is_default = basis.mode == "auto" and basis.one_to_one is None and trained is None
    if not (is_default and chosen.one_to_one and chosen.mode == "link"):
        return chosen, None
    if sum(column.role == "compare" for column in chosen.columns.values()) == 1:
        # equal texts such as "Editorial" are no duplicates, and no second column can refute them
        return chosen, None
    both = chosen.replaced(mode="both", one_to_one=False)
    within = measure_within(records, both, few=math.inf if chosen.source else None)
    return (both, None) if within is not None and within > MAX_WITHIN else (chosen, within)


def measure_within(records: Records, settings: Settings, few: float | None = None) -> float | None:
    """Matches within a source per match across sources; None where no reading confirms them.

    `few` is the value where there are too few matches to measure it. Matches that score below the
    median link of a matching of the sources do not count.
    """
    prepared = prepare(records, settings)
    mask = _sample_records(prepared.n, settings.seed)
    sampled = _select(prepared, mask)
    assert sampled.source is not None
    candidates = block_records(sampled, settings)
    scored = score_candidates(sampled, candidates, settings)
    scored, reading = read_candidates(scored, sampled, candidates, settings, None, None)
    is_match = scored.scores.total > 0
    matches, scores = scored.pairs[is_match], scored.scores.total[is_match]
    agreed = max(reading.agreement.get(two, 0.0) for two in ("em-prior", "prior-columns"))
    if len(matches) < MIN_MATCHES:
        return few
    if agreed < MIN_AGREEMENT:
        return None
    is_within = sampled.source[matches[:, 0]] == sampled.source[matches[:, 1]]
    least = _find_median_link(matches[~is_within], scores[~is_within], sampled.n)
    is_within = is_within[scores >= least]
    # a pair of records is in the sample at the square of the rate of one distinct record
    within, across = mask.mean() * _count_identical(records, prepared, mask, scored, least)
    return float((is_within.sum() + within) / max((~is_within).sum() + across, 1.0))


def _find_median_link(pairs: Ints, scores: Floats, n: int) -> float:
    """The median score of a greedy matching of two sources, by pairs across them; 0 without pairs.

    Editions, branches and sequels in clean files match each other, within files and across. They
    score lower than links, and a matching prefers the links.
    """
    if not len(pairs):
        return 0.0
    order = np.argsort(-scores, kind="stable")
    left, right = pairs[order].T
    return float(np.median(scores[order][match_greedily(left, right, n, exclusive=True)]))


def _sample_records(n: int, seed: int) -> NDArray[np.bool_]:
    """Mark the distinct records of the sample."""
    size = min(n, int(np.clip(n // 2, *SAMPLE_RECORDS)))
    mask = np.zeros(n, bool)
    mask[np.random.default_rng(seed).choice(n, size, replace=False)] = True
    return mask


def _select(prepared: Prepared, mask: NDArray[np.bool_]) -> Prepared:
    """The prepared records of a sample."""
    chosen: Numbering[DistinctIds, DistinctIds] = Numbering.of_subset(mask)
    rows = chosen.wide
    return replace(
        prepared,
        numbering=prepared.numbering.then(chosen),
        columns=[select_rows(column, rows) for column in prepared.columns],
        compared=[select_rows(column, rows) for column in prepared.compared],
        source=None if prepared.source is None else prepared.source[rows],
        source_sets=None if prepared.source_sets is None else prepared.source_sets[rows],
    )


def _count_identical(
    records: Records,
    prepared: Prepared,
    mask: NDArray[np.bool_],
    scored: ScoredPairs,
    least: float,
) -> Ints:
    """Pairs of identical records of the sample, within a source and across, that score enough."""
    assert records.sources is not None
    narrow = prepared.numbering.narrow
    counts = np.stack(
        [np.bincount(narrow[records.sources == source], minlength=prepared.n) for source in (0, 1)]
    )[:, mask]
    repeated = np.flatnonzero(counts.sum(axis=0) > 1)
    same = scored.score(np.stack([repeated, repeated], axis=1)).total
    counts = counts[:, repeated[same >= least]]
    return np.array([(counts * (counts - 1) // 2).sum(), counts.prod(axis=0).sum()])
