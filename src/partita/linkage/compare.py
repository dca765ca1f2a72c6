"""The stages between preparation and inference: candidates are found, compared and read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from partita.blocking.candidates import Candidates, find_candidates
from partita.comparison.comparisons import Comparisons
from partita.data import Records
from partita.kernel import Ints
from partita.linkage.authors.detection import MentionColumns
from partita.linkage.authors.name_pairs import find_name_pairs
from partita.linkage.authors.reading import score_mentions
from partita.linkage.columns import read_numbers
from partita.linkage.pairwise.fit import fit_pairs, unfitted_model
from partita.linkage.pairwise.random_pairs import RandomPairs
from partita.linkage.pairwise.scored_pairs import LEAST, ScoredPairs, group_records
from partita.linkage.prepare import Prepared
from partita.linkage.readings.choice import Reading, choose_reading
from partita.linkage.readings.prior import load_prior
from partita.linkage.readings.sample import sample_candidates
from partita.linkage.settings import Settings
from partita.linkage.sources import find_further
from partita.linkage.supervision.trained_model import TrainedModel
from partita.linkage.word_groups import (
    group_by_letter,
    group_by_position,
    has_automatic_comparison,
    is_long_text,
)

__all__ = ["block_records", "choose_words", "read_candidates", "score_candidates"]

MIN_PAIRS_SAMPLED = 300_000
"""Candidate pairs in a sample for the fit at least; below twice this number all are used. A
limit of CPU seconds."""
RECORDS_WITHOUT_CANDIDATES = 200
"""Records that are all compared with each other where blocking finds no candidate pair. A limit
of CPU seconds."""


def _select_across(prepared: Prepared, pairs: NDArray[np.signedinteger]) -> NDArray[np.bool_]:
    """Mark the pairs of two sources; without sources, all pairs."""
    if prepared.source is None:
        return np.ones(len(pairs), bool)
    return np.asarray(prepared.source[pairs[:, 0]] != prepared.source[pairs[:, 1]])


def block_records(
    prepared: Prepared,
    settings: Settings,
    progress: Callable[[float], None] | None = None,
    mentions: MentionColumns | None = None,
) -> Candidates:
    """Find the candidate pairs of distinct records; those of mentions have similar names."""
    if mentions is not None:
        return find_name_pairs(prepared.compared[0], settings.seed)
    search = partial(
        find_candidates,
        {column.name: column for column in prepared.columns},
        numbers=read_numbers(prepared.columns, settings),
        weights={
            column.name: settings.columns[column.name].weight or 1.0 for column in prepared.columns
        },
        k=settings.neighbours,
        seed=settings.seed,
        rules=settings.rules,
        largest_block=settings.largest_block,
        cores=settings.threads,
        progress=progress,
    )
    candidates = search(source=prepared.source)
    if prepared.source is None or settings.mode == "link":
        return candidates
    # neighbours within a source take no places of those across
    every = search()
    within = ~_select_across(prepared, every.pairs) & prepared.are_possible(every.pairs)
    return candidates.join(every.select(within))


def choose_words(
    records: Records, prepared: Prepared, candidates: Candidates, settings: Settings
) -> tuple[Prepared, Settings]:
    """Divide the words of a single column where the groups are left open ("auto").

    Groups of words are several columns, which EM can weigh. Names are divided by position where
    two readings of the words agree. EM on families of similar names, such as species, finds another
    class of pairs than matches, and no reading agrees. In links the agreement of readings does not
    show this, and names stay whole. Long texts are divided by letter, unless they are linked and
    second-best candidates set the zero of whole texts.
    """
    columns = settings.columns
    undecided = [name for name, column in columns.items() if column.word_groups == "auto"]
    if not undecided:
        return prepared, settings
    compared = [name for name, column in columns.items() if column.role == "compare"]
    if compared == undecided and has_automatic_comparison(columns[compared[0]]):
        divided = _divide_words(records, prepared, candidates, settings, compared[0])
        if divided is not None:
            return prepared.compare_as(records, divided), divided
    whole = {name: replace(columns[name], word_groups="none") for name in undecided}
    return prepared, settings.replaced(columns={**columns, **whole})


def _divide_words(
    records: Records, prepared: Prepared, candidates: Candidates, settings: Settings, name: str
) -> Settings | None:
    """Settings that divide the words of a column; None where its texts stay whole."""
    if is_long_text(records.column(name)):
        is_whole = _has_second_best_zero(prepared, candidates, settings)
        return None if is_whole else group_by_letter(settings, name)
    if settings.reading != "auto" or prepared.source is not None:
        return None
    divided = group_by_position(settings, name)
    reading = _read(prepared.compare_as(records, divided), candidates, divided)
    return divided if reading.name == "em" and reading.agreement else None


def _has_second_best_zero(prepared: Prepared, candidates: Candidates, settings: Settings) -> bool:
    """Whether second-best candidates set the zero of the reading of whole texts."""
    if prepared.source is None or settings.one_to_one is False:
        return False
    if settings.reading not in ("auto", "prior"):
        return False
    return _read(prepared, candidates, settings).has_second_best_zero


def _read(prepared: Prepared, candidates: Candidates, settings: Settings) -> Reading:
    """Fit the pairwise model and choose the reading of the candidates."""
    scored = score_candidates(prepared, candidates, settings)
    return _choose_reading(scored, prepared, candidates, settings)


def score_candidates(
    prepared: Prepared,
    candidates: Candidates,
    settings: Settings,
    trained: TrainedModel | None = None,
    mentions: MentionColumns | None = None,
    least: float = LEAST,
    one_match: bool = False,
) -> ScoredPairs:
    """Compare the candidate pairs and score them by a pairwise model, fitted here or trained.

    Pairs with log-odds below `least` are pruned. With `one_match`, a record of the first source
    matches one other at most.
    """
    if mentions is not None:
        return score_mentions(prepared, candidates, settings)
    # pairs keep their narrow integers: with very many pairs only slices are widened
    pairs, across = candidates.pairs, prepared.source
    if across is not None:
        pairs = pairs[_select_across(prepared, pairs)]
    if not len(pairs):
        pairs = _list_first_pairs(prepared.n, across).astype(pairs.dtype)
    comparisons = Comparisons(prepared.compared, prepared.column_types, prepared.comparisons)
    if trained is not None:
        known = trained.for_records(comparisons.names, prepared.n, settings.mode)
        return ScoredPairs.of(comparisons, known, pairs, None, across, least=least)
    if not len(pairs):
        return ScoredPairs.of(comparisons, unfitted_model(comparisons), pairs, None, across)
    one_to_one = settings.one_to_one is not False and across is not None
    # one-to-one EM lets the pairs of a record compete, so it needs all of them
    step = 1 if one_to_one else max(1, len(pairs) // MIN_PAIRS_SAMPLED)
    # the pairs of a row compete, so that rows are sampled with all their pairs
    chosen = pairs[:, 0] % step == 0 if one_match else slice(None, None, step)
    sample = pairs[chosen].astype(np.int64)
    levels = comparisons.levels(sample)
    random = RandomPairs.draw(comparisons, across, settings.seed)
    model = fit_pairs(
        prepared.compared,
        prepared.column_types,
        sample,
        prepared.n,
        source=across,
        one_to_one=one_to_one,
        one_match=one_match,
        share=len(sample) / max(1, len(pairs)),
        seed=settings.seed,
        comparisons=comparisons,
        levels=levels,
        random=random,
        column_weights=prepared.weights,
    )
    known_levels = levels if step == 1 else None
    return ScoredPairs.of(comparisons, model, pairs, known_levels, across, random, least)


def read_candidates(
    scored: ScoredPairs,
    prepared: Prepared,
    candidates: Candidates,
    settings: Settings,
    trained: TrainedModel | None,
    mentions: MentionColumns | None,
) -> tuple[ScoredPairs, Reading]:
    """Choose the reading of the file, and score the candidates by it."""
    if mentions is not None:
        return scored, Reading("mentions", mentions.why, {})
    is_across = _select_across(prepared, candidates.pairs)
    pairs = candidates.pairs if is_across.all() else candidates.pairs[is_across]
    if trained is not None:
        scored, reading = trained.read(scored, prepared, pairs, settings)
    else:
        reading = _choose_reading(scored, prepared, candidates, settings)
        if reading.scorer is not None:
            scored = scored.read_by(reading.scorer, pairs)
    free = None
    if trained is None and settings.one_to_one is not True and not is_across.all():
        free = _fit_freely(prepared, candidates, settings)
    return find_further(scored, prepared, candidates.pairs, settings, reading, free), reading


def _fit_freely(prepared: Prepared, candidates: Candidates, settings: Settings) -> ScoredPairs:
    """Fit and score all candidates as if there were no sources."""
    prepared = replace(prepared, source=None, exclusive=None)
    scored = score_candidates(prepared, candidates, settings)
    reading = _choose_reading(scored, prepared, candidates, settings)
    return replace(scored, scorer=reading.scorer)


def _choose_reading(
    scored: ScoredPairs, prepared: Prepared, candidates: Candidates, settings: Settings
) -> Reading:
    """Choose the reading of the file on a sample of the candidates."""
    sample = sample_candidates(
        scored,
        candidates.pairs[_select_across(prepared, candidates.pairs)],
        prepared.compared,
        settings.one_to_one is not False,
        settings.seed,
    )
    return choose_reading(sample, load_prior(settings.prior), settings.reading)


def _list_first_pairs(n: int, source: Ints | None) -> Ints:
    """All pairs of the first records, for input in which blocking finds no candidate pair.

    With `source`, all pairs across sources of the first records of each source.
    """
    rows = np.arange(min(n, RECORDS_WITHOUT_CANDIDATES))
    if source is not None:
        _, first, size = group_records(source)
        rank = np.arange(n) - np.repeat(first, size)
        rows = np.argsort(source, kind="stable")[rank < RECORDS_WITHOUT_CANDIDATES // size.size]
        rows.sort()
    pairs = rows[np.stack(np.triu_indices(rows.size, 1), 1)]
    return pairs if source is None else pairs[source[pairs[:, 0]] != source[pairs[:, 1]]]
