"""The reading of a file as author mentions, for the ordinary stages of `resolve`.

The reading brings its own columns, candidates and pairwise model. Clustering, sampling and
probabilities are those of every other file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from partita.blocking.candidates import Candidates
from partita.comparison import (
    ArrayIntersectAtSizes,
    Comparison,
    CosineSimilarityAtThresholds,
    automatic_comparison,
)
from partita.comparison.comparisons import Comparisons
from partita.data import Column, ColumnProfile, Records
from partita.linkage.authors.detection import (
    MentionColumns,
    column_of,
    find_mentions,
    join_names,
    key_of_person,
    split_items,
)
from partita.linkage.authors.name_pairs import (
    MAX_PAIRS,
    NAME_COMPARISON,
    count_name_pairs,
)
from partita.linkage.authors.pair_model import fit_mentions
from partita.linkage.columns import select_rows
from partita.linkage.pairwise.scored_pairs import LINKED, ScoredPairs
from partita.linkage.prepare import Prepared
from partita.linkage.settings import ColumnSettings, Settings
from partita.linkage.supervision.trained_model import TrainedModel

__all__ = ["choose_mentions", "normalise_mentions", "score_mentions"]

SIZES = (5, 3, 2, 1)
"""Numbers of common persons that are levels. Origin: a choice."""
COSINES = (0.5, 0.3, 0.2, 0.1, 0.05)
"""Cosines of texts that are levels: two papers of one person share few words. Origin: a choice."""
ORDERED_TYPES = ("date", "number")
"""Column types that keep their own comparison."""
MIN_FUNCTION = 0.99
"""Share of records from which a column is a function of the name, and separates no persons.
Origin: a choice."""


def choose_mentions(
    records: Records,
    profiles: Sequence[ColumnProfile],
    basis: Settings,
    chosen: Settings,
    trained: TrainedModel | None,
) -> tuple[MentionColumns | None, Settings]:
    """The columns of a mention file, and the settings of this reading or else the chosen ones.

    Trained models, settings of columns, blocking rules, predicates and the entity model belong to
    the ordinary reading, so they exclude this one.
    """
    configured = trained or basis.columns or basis.rules or basis.predicates
    entities = basis.model == "entities" or basis.posterior == "full"
    if basis.mentions == "off" or chosen.mode != "dedupe" or configured or entities:
        return None, chosen
    mentions = find_mentions(records, profiles)
    if mentions is None or count_name_pairs(join_names(records, mentions.parts)) > MAX_PAIRS:
        return None, chosen
    columns = {mentions.name: ColumnSettings("full name", "compare", NAME_COMPARISON)}
    for profile in profiles:
        if profile.name != mentions.name:
            columns[profile.name] = _column_settings(records, profile, mentions)
    return mentions, chosen.replaced(columns=columns, model="pairs")


def normalise_mentions(
    records: Records, prepared: Prepared, mentions: MentionColumns | None
) -> Prepared:
    """The parts of names as one column, and lists as keys without the mentioned person.

    Records of another reading stay as they are.
    """
    if mentions is None:
        return prepared
    names = select_rows(join_names(records, mentions.parts), prepared.numbering.wide)
    contents = [
        _list_other_persons(records, prepared, mentions, column)
        if column.name in mentions.persons
        else column
        for column in prepared.compared[1:]
    ]
    return replace(prepared, compared=[names, *contents])


def score_mentions(prepared: Prepared, candidates: Candidates, settings: Settings) -> ScoredPairs:
    """Fit the pairwise model of mentions and score the candidates by it.

    Pairs below `LINKED` are pruned and count as never compared, a limit of CPU seconds: names of
    many records have many candidates.
    """
    comparisons = Comparisons(prepared.compared, prepared.column_types, prepared.comparisons)
    pairs = candidates.pairs.astype(np.int64)
    levels = comparisons.levels(pairs)
    ordered = [name not in ORDERED_TYPES for name in prepared.column_types]
    model = fit_mentions(comparisons, pairs, levels, ordered, settings.seed)
    return ScoredPairs.of(comparisons, model, candidates.pairs, levels, least=LINKED)


def _column_settings(
    records: Records, profile: ColumnProfile, mentions: MentionColumns
) -> ColumnSettings:
    """Type, role and comparison of a column beside the name."""
    if profile.name in mentions.persons:
        return ColumnSettings("list", "compare", ArrayIntersectAtSizes(thresholds=SIZES))
    if profile.name in mentions.parts:
        # not compared by itself, but records that differ in it are not identical
        return ColumnSettings("full name", "block")
    if not profile.is_compared or _is_function(records, profile.name, mentions.parts):
        return ColumnSettings(profile.type, "ignore")
    comparison: Comparison = CosineSimilarityAtThresholds(thresholds=COSINES, tokens="words")
    if profile.type in ORDERED_TYPES:
        comparison = automatic_comparison(profile.type)
    return ColumnSettings(profile.type, "compare", comparison)


def _is_function(records: Records, name: str, parts: Sequence[str]) -> bool:
    """Whether the values of a column follow from the names."""
    values, names = records.column(name), join_names(records, parts)
    both = (values.codes >= 0) & (names.codes >= 0)
    key = names.codes[both].astype(np.int64) * max(1, len(values.values)) + values.codes[both]
    pairs, counts = np.unique(key, return_counts=True)
    most = np.zeros(max(1, len(names.values)), np.int64)
    np.maximum.at(most, pairs // max(1, len(values.values)), counts)
    return bool(both.any() and most.sum() >= MIN_FUNCTION * both.sum())


def _list_other_persons(
    records: Records, prepared: Prepared, mentions: MentionColumns, column: Column
) -> Column:
    """A column of lists as keys of persons, without the mentioned person."""
    rows = prepared.numbering.wide
    names = join_names(records, mentions.parts, cleaned=False)
    own = [key_of_person(text) for text in names.values.to_pylist()]
    lists = records.column(column.name, cleaned=False)
    mark = mentions.persons[column.name]
    keys = [
        [key for item in split_items(text, mark) if (key := key_of_person(item))]
        for text in lists.values.to_pylist()
    ]
    texts = [
        ";".join(sorted({key for key in keys[code] if name < 0 or key != own[name]}))
        if code >= 0
        else ""
        for name, code in zip(names.codes[rows].tolist(), lists.codes[rows].tolist(), strict=True)
    ]
    return column_of(column.name, texts)
