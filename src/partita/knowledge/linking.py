"""`link`: every row with a record of a reference, or none, and the probability of each.

The first stages are those of `resolve`: prepare, block, compare, choose the reading. Pairs of rows
and records of the reference become candidates with a link variable per entity (`candidates.py`);
pairs of rows decide which rows are one entity (`joint.py`). One column of text is read by its words
(`word_model.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.blocking.candidates import Candidates as BlockedPairs
from partita.data import check_output
from partita.data.stack import ColumnMap
from partita.kernel import Floats, Ints
from partita.knowledge.candidates import (
    Candidates,
    link_probabilities,
    list_candidates,
    weigh_candidates,
    weigh_presence,
)
from partita.knowledge.joint import (
    RowPairs,
    calibrate_row_pairs,
    find_uncertain_rows,
    sample_links,
    share_candidates,
)
from partita.knowledge.reference import LinkInput, read_link_input
from partita.knowledge.result import RESULTS, Links
from partita.knowledge.word_cells import RecordWords
from partita.knowledge.word_model import WordModel, fit_word_model
from partita.linkage.column_weights import list_notes
from partita.linkage.columns import select_rows
from partita.linkage.compare import block_records, read_candidates, score_candidates
from partita.linkage.memory import check_memory, check_width
from partita.linkage.numbering import DistinctIds, Numbering, RowIds
from partita.linkage.pairwise.pruning import SLICE
from partita.linkage.pairwise.scored_pairs import LINKED, ScoredPairs
from partita.linkage.prepare import Prepared, prepare
from partita.linkage.readings.choice import Reading
from partita.linkage.readings.features import read_vocabulary
from partita.linkage.resolve import profile_columns, read_settings
from partita.linkage.settings import Settings
from partita.linkage.supervision.trained_model import TrainedModel
from partita.progress import Clock

__all__ = ["link"]

LEAST_LINK = -12.0
"""Log-odds (nats) of a pair below which a candidate is pruned: the candidates of a row compete, so
that a weak one is the link where all others are weaker."""

MIN_ROWS_OF_WORDS = 100
"""Distinct rows from which the words of one column of text score its candidates. Origin: a choice
between 49 and 113 rows of one set (games), no domain left out: words have an accuracy of .86 and
.91 there, EM has .96 and .89."""
MAX_ALL_PAIRS = 1_000_000
"""Pairs of a row and a record up to which words compare all of them, without blocking. Origin: a
choice; a row that abbreviates shares few n-grams with its record."""
MAX_PAIRS_CALIBRATED = 100_000
"""Pairs of rows with settled links, at most about, that calibrate the scores of pairs of rows."""
NO_PAIRS = RowPairs(np.zeros((0, 2), np.int64), np.zeros(0))
"""No pairs of rows. By the words, rows are independent given their links."""


def link(
    data: Any,
    *,
    to: Any,
    to_id: str | None = None,
    aliases: Any = None,
    map: ColumnMap | None = None,
    config: str | PathLike[str] | Mapping[str, Any] | Settings | None = None,
    model: str | PathLike[str] | TrainedModel | None = None,
    progress: bool = False,
    **settings: Any,
) -> Links:
    """Link every row to a record of a reference, or to none, with probabilities.

    Parameters
    ----------
    data
        The rows: any input of `partita.read`.
    to
        The reference, with ids; its records are distinct and never change.
    to_id
        The column of ids of the reference; by default `unique_id` or `id`.
    aliases
        A table of further forms of records: `alias_of` names the record.
    map
        Columns of the rows and their names in the reference, such as "company=name".
    config, model, progress, settings
        As for `resolve`; `mode` and `one_to_one` have no effect.

    Examples
    --------
    >>> master = [{"id": "C1", "name": "Ann Lee"}, {"id": "C2", "name": "Bob Orr"}]
    >>> rows = [{"name": "Ann Lee"}, {"name": "Bob Orr"}, {"name": "Zoe Quist"}]
    >>> [row["link"] for row in link(rows, to=master, seed=1).table()]
    ['C1', 'C2', None]
    """
    (basis, trained), clock = read_settings(config, settings, model), Clock(progress)
    basis = replace(basis, mode="link", one_to_one=False, source=None)
    with clock.stage("read", "reading records"):
        source, basis = _read(data, to, basis, to_id, aliases, basis.map if map is None else map)
    with clock.stage("profile", "profiling columns"):
        profiles, chosen = profile_columns(source.records, basis, trained)
    with clock.stage("block", "finding candidates") as report:
        prepared = _prepare(source, chosen)
        blocked = block_records(prepared, chosen, report)
    with clock.stage("compare", "comparing candidates"):
        scored = score_candidates(
            prepared, blocked, chosen, trained, least=LEAST_LINK, one_match=True
        )
    with clock.stage("reading", "choosing the reading"):
        chosen = _choose_reading(prepared, scored, chosen)
        words = None
        if trained is None and _reads_words(prepared, chosen):
            words = _fit_words(source, prepared, _list_pairs(prepared, blocked))
            reading = Reading("words", _explain_choice(chosen), {})
        else:
            scored, reading = read_candidates(scored, prepared, blocked, chosen, trained, None)
    with clock.stage("candidates", "weighing candidates"):
        if words is None:
            candidates = _weigh(source, prepared, scored, reading)
        else:
            candidates = _weigh_words(source, prepared, words, _list_pairs(prepared, blocked))
    with clock.stage("rows", "comparing rows") as report:
        near = NO_PAIRS
        if words is None:
            candidates, near = _compare_rows(source, prepared, scored, candidates, chosen, report)
    with clock.stage("sample"):
        joint = sample_links(candidates, link_probabilities(candidates), near, chosen, progress)
    notes = [*source.records.notes, *prepared.notes, *scored.model.warnings]
    return Links(
        source=source,
        settings=chosen,
        prepared=prepared,
        blocking=blocked,
        scored=scored,
        reading=reading,
        candidates=candidates,
        joint=joint,
        warnings=notes + list_notes(profiles, basis, chosen),
        seconds=clock.seconds,
        words=words,
    ).warn()


def _read(
    data: Any, to: Any, basis: Settings, to_id: str | None, aliases: Any, map: ColumnMap
) -> tuple[LinkInput, Settings]:
    """Read rows and reference; the settings of ids and columns then apply no more."""
    source = read_link_input(data, to, basis, to_id=to_id, aliases=aliases, map=map)
    check_output(source.rows, RESULTS)
    check_memory(source.records, basis.memory)
    check_width(source.records)
    return source, replace(basis, id=None, ignore=(), map=())


def _choose_reading(prepared: Prepared, scored: ScoredPairs, settings: Settings) -> Settings:
    """Choose EM where competition of distinct records confirms its matches.

    That holds for one column, and where losing candidates are a class of their own.
    """
    confirmed = len(prepared.compared) == 1 or scored.model.household is not None
    if confirmed and settings.reading == "auto" and not _reads_words(prepared, settings):
        return replace(settings, reading="em")
    return settings


def _reads_words(prepared: Prepared, settings: Settings) -> bool:
    """Whether words score the candidates: the settings require it, or one text is compared.

    A text is a column whose words `resolve` would divide (`linkage/word_groups.py`). The rates of
    words in few rows are not known.
    """
    if settings.reading != "auto" or _count_rows(prepared) < MIN_ROWS_OF_WORDS:
        return settings.reading == "words"
    compared = [column for column in settings.columns.values() if column.role == "compare"]
    return len(compared) == 1 and compared[0].word_groups in ("auto", "letters")


def _explain_choice(settings: Settings) -> str:
    """Why words score the candidates."""
    if settings.reading == "words":
        return "the settings require it"
    return "one column of text is compared"


def _list_pairs(prepared: Prepared, blocked: BlockedPairs) -> Ints:
    """All pairs of a row and a record of a small reference, or else those that blocking finds."""
    n = _count_rows(prepared)
    records = prepared.n - n
    if n * records > MAX_ALL_PAIRS:
        return blocked.pairs.astype(np.int64)
    rows = np.repeat(np.arange(n), records)
    return np.stack([rows, n + np.tile(np.arange(records), n)], 1)


def _fit_words(source: LinkInput, prepared: Prepared, pairs: Ints) -> WordModel:
    """Fit the model of words to the candidates."""
    n = _count_rows(prepared)
    listed, texts = read_vocabulary(prepared.compared)
    rows = np.bincount(prepared.numbering.narrow[: source.rows.n], minlength=n)
    words = RecordWords(listed.start, listed.word.astype(np.int64), texts)
    forms = prepared.numbering.back(DistinctIds(np.arange(n, prepared.n)))
    return fit_word_model(words, pairs, rows[:n], source.owner[forms])


def _prepare(source: LinkInput, settings: Settings) -> Prepared:
    """Collapse identical rows; records of the reference stay distinct and come after them."""
    apart = RowIds(np.arange(source.rows.n, source.records.n))
    both = replace(settings, mode="both")
    return prepare(source.records, both, apart, keeps_rows_in_order=True)


def _count_rows(prepared: Prepared) -> int:
    """The number of distinct rows: they come before the records of the reference."""
    assert prepared.source is not None
    return int(np.count_nonzero(prepared.source == prepared.source[0]))


def _weigh_words(
    source: LinkInput, prepared: Prepared, words: WordModel, pairs: Ints
) -> Candidates:
    """The candidates of distinct rows with the scores of their words.

    A row or a record without words has no candidates.
    """
    pairs = words.words.select_pairs(pairs)
    shape = _count_rows(prepared), source.reference.n
    records = source.owner[prepared.numbering.back(DistinctIds(pairs[:, 1]))]
    scores = words.score(pairs) + np.log(shape[1])
    is_listed = scores > LEAST_LINK
    listed = list_candidates(pairs[is_listed, 0], records[is_listed], scores[is_listed], shape)
    return Candidates(listed, words.share, 0.0)


def _weigh(
    source: LinkInput, prepared: Prepared, scored: ScoredPairs, reading: Reading
) -> Candidates:
    """The candidates of distinct rows with their scores, and the share of rows with a link."""
    records = source.owner[prepared.numbering.back(DistinctIds(scored.pairs[:, 1]))]
    shape = _count_rows(prepared), source.reference.n
    log_odds = list_candidates(scored.pairs[:, 0], records, scored.scores.total, shape)
    weighed = weigh_candidates(log_odds, scored.model.prior, reading.is_new)
    rows = slice(_count_rows(prepared))
    has_value = np.stack([column.codes[rows] >= 0 for column in prepared.compared], 1)
    return weigh_presence(weighed, has_value)


def _compare_rows(
    source: LinkInput,
    prepared: Prepared,
    scored: ScoredPairs,
    candidates: Candidates,
    settings: Settings,
    report: Any,
) -> tuple[Candidates, RowPairs]:
    """Pairs of rows, with candidates that neighbours share."""
    alone = link_probabilities(candidates)
    pairs = _find_row_pairs(prepared, scored, alone, settings, report)
    near = pairs.pairs[pairs.scores > LINKED]
    if not len(near):
        return candidates, pairs
    score = _scorer(source, prepared, scored, candidates)
    return share_candidates(candidates, alone, near, score), pairs


def _scorer(
    source: LinkInput, prepared: Prepared, scored: ScoredPairs, candidates: Candidates
) -> Any:
    """The function that scores rows and records that are no candidates yet."""

    def score(rows: Ints, records: Ints) -> Floats:
        other = prepared.numbering.to(RowIds(records + source.rows.n))
        return _score_slices(scored, np.stack([rows, other], 1)) - candidates.offset

    return score


def _score_slices(scored: ScoredPairs, pairs: NDArray[np.signedinteger]) -> Floats:
    """The log-odds of any pairs, some at a time."""
    parts = [
        scored.score(pairs[at : at + SLICE].astype(np.int64)).total
        for at in range(0, len(pairs), SLICE)
    ]
    return np.concatenate([*parts, np.zeros(0)])


def _find_row_pairs(
    prepared: Prepared, scored: ScoredPairs, alone: Any, settings: Settings, report: Any
) -> RowPairs:
    """Pairs of rows with log-odds of one entity, as far as rows with an uncertain link need them.

    `alone` are the link probabilities of each row by itself.
    """
    n, uncertain = _count_rows(prepared), find_uncertain_rows(alone)
    if not uncertain.size or n < 2:
        return NO_PAIRS
    of_rows = np.arange(n)
    rows: Numbering[RowIds, DistinctIds] = Numbering.by_key(of_rows, of_rows)
    only = replace(
        prepared,
        numbering=rows,
        columns=[select_rows(column, of_rows) for column in prepared.columns],
        source=None,
    )
    pairs = block_records(only, replace(settings, mode="dedupe"), report).pairs
    is_uncertain = np.zeros(n, bool)
    is_uncertain[uncertain] = True
    touched = is_uncertain[pairs].any(1)
    others = pairs[~touched]
    others = others[:: max(1, len(others) // MAX_PAIRS_CALIBRATED)]
    known = RowPairs(others.astype(np.int64), _score_slices(scored, others))
    slope, intercept = calibrate_row_pairs(known, alone)
    near = pairs[touched][slope * _score_slices(scored, pairs[touched]) + intercept > LINKED]
    active = np.zeros(n, bool)
    active[near.reshape(-1)] = True
    some = pairs[active[pairs].all(1)]
    return RowPairs(some.astype(np.int64), slope * _score_slices(scored, some) + intercept)
