"""Candidate pairs by default, without blocking rules: the nearest neighbours of each record.

Up to four searches run. Exact-value blocking compares whole values ("column=value"), and always
finds identical records. TF-IDF n-gram nearest-neighbour blocking compares the character n-grams of
all columns pooled, so that it finds a pair with an error in every column. Where columns hold
numbers or dates, a third search pairs words with close numbers. Where one column holds most of the
letters, such as a description, a fourth search compares the n-grams of the other columns, which the
long column outweighs. All read an inverted index from the rarest feature on and stop after `budget`
postings, so time and memory grow about as n. Where 3-grams have more postings than the budget
allows, longer n-grams replace them. Above 200,000 records the n-gram search runs only where a
sample shows that exact values miss pairs, and the third and fourth search do not run. Blocking
rules of the user add pairs.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from partita.blocking.features import NO_WEIGHTS
from partita.blocking.identical import pair_identical
from partita.blocking.nearest import SEARCHES, Progress, SearchSettings, find_neighbours
from partita.blocking.ngrams import Int32s
from partita.blocking.rules import Block, Column, Rule, build_blocks, parse_rule
from partita.blocking.union import Flags, merge_pairs
from partita.data.row_order import hash_rows
from partita.errors import InputError
from partita.kernel import Floats, Ints, find_components

__all__ = [
    "MIN_TELLING_WEIGHT",
    "Candidates",
    "Completeness",
    "StepSummary",
    "collapse",
    "find_candidates",
    "select_telling",
    "summarise_blocking",
]

log = logging.getLogger(__name__)

RECAPTURE = SEARCHES[:2]
"""The searches whose overlap estimates pair completeness; they need no numbers."""
MAX_RULES = 28
"""Blocking rules of a user: with the four searches they fill the 32 bits of `Candidates.flags`."""
MIN_TELLING_WEIGHT = 0.1
"""Weight of a column from which neighbours are searched by it, and records that differ in it alone
are not identical. Origin: a choice; n-grams of an idle text make those of other columns common."""
POSTINGS_READ = 1_000
"""Postings that a search reads per record. Origin: 0.1."""


class Completeness(NamedTuple):
    """Estimates, without labels, of the share of the matches that the candidates contain."""

    pairs: float
    """Pair completeness (blocking recall): the share of all matching pairs that are candidates, by
    `records` times `within`; nan if unknown."""
    records: float
    """The share of the records with a match that have a match among their candidates."""
    records_low: float
    records_high: float
    """95 % limits of `records`."""
    within: float
    """The share of the matching pairs of those records that are candidates."""
    paired: float
    """The share of all records that have a candidate, whether it is a match or not."""


class StepSummary(NamedTuple):
    """The contribution of one search or blocking rule."""

    rule: str
    pairs: int
    new: int
    """Pairs that no earlier step finds."""
    cumulative: int
    largest: tuple[Block, ...]
    unblocked: int
    """Records that this step pairs with no other record."""
    message: str


@dataclass(frozen=True)
class Candidates:
    """Pairs of records to compare, each once, in order."""

    pairs: Int32s
    """Rows (i, j) with i < j, ascending."""
    flags: Flags
    """Bit b is set if the search or rule names[b] finds the pair."""
    counts: Int32s
    """The number of candidates of each record."""
    names: tuple[str, ...]
    ngram_length: int
    """The number of characters of an n-gram."""
    largest: tuple[tuple[Block, ...], ...] = ()
    messages: tuple[str, ...] = ()
    sampled: Int32s | None = None
    """The records for which the n-gram search ran, if it did not run for all."""

    def select(self, mask: NDArray[np.bool_]) -> Candidates:
        """Some of the pairs."""
        pairs = self.pairs[mask]
        counts = np.bincount(pairs.reshape(-1), minlength=self.counts.size).astype(np.int32)
        return replace(self, pairs=pairs, flags=self.flags[mask], counts=counts)

    def join(self, other: Candidates) -> Candidates:
        """The pairs of both, which the same searches and rules found."""
        pairs = np.concatenate([self.pairs, other.pairs])
        key = pairs[:, 0].astype(np.int64) * self.counts.size + pairs[:, 1]
        _, first, place = np.unique(key, return_index=True, return_inverse=True)
        flags = np.zeros(first.size, self.flags.dtype)
        np.bitwise_or.at(flags, place.reshape(-1), np.concatenate([self.flags, other.flags]))
        pairs = pairs[first]
        counts = np.bincount(pairs.reshape(-1), minlength=self.counts.size).astype(np.int32)
        sampled = other.sampled if self.sampled is None else self.sampled
        return replace(self, pairs=pairs, flags=flags, counts=counts, sampled=sampled)

    @property
    def unblocked(self) -> Ints:
        """Records without a single candidate."""
        return np.flatnonzero(self.counts == 0)

    def found_by(self, name: str) -> NDArray[np.bool_]:
        """Mark the pairs that a search ("exact values", "n-grams") or a rule finds."""
        if name not in self.names:
            raise InputError(
                f"there is no search or rule {name!r}; choose one of {', '.join(self.names)}"
            )
        return (self.flags >> self.names.index(name) & 1).astype(bool)

    def estimate_completeness(self, likely: ArrayLike) -> Completeness:
        """Estimate pair completeness (blocking recall) without labels.

        `likely` marks the pairs that look like matches (a mask, or probabilities cut at a half).
        Records, by capture and recapture (Chapman 1951): if one search finds a likely match for a
        records, the other for b, and both for c, then (a + 1)(b + 1) / (c + 1) - 1 records have
        one. This assumes that the searches miss records independently. Records that are hard for
        one search are hard for the other, so the share is an upper bound; the 95 % limits cover
        chance alone. Only records for which both searches ran count. Pairs of these records, by
        transitivity: a component of likely pairs with s records holds s(s - 1)/2 matches. A wrong
        likely pair lowers this share. Pair completeness is the product of the two shares: it
        assumes that missed records have as many matches as found ones.
        """
        mask = self._check_likely(likely)
        searched = slice(None) if self.sampled is None else self.sampled
        first, second = (self._reach(mask & self.found_by(name))[searched] for name in RECAPTURE)
        a, b, c = (int(reached.sum()) for reached in (first, second, first & second))
        found_count = int(self._reach(mask)[searched].sum())
        paired = float((self.counts > 0).mean())
        nan = float("nan")
        if c == 0:
            return Completeness(nan, nan, 0.0, 1.0, nan, paired)
        total = (a + 1) * (b + 1) / (c + 1) - 1
        half = 1.96 * np.sqrt((a + 1) * (b + 1) * (a - c) * (b - c) / (c + 2)) / (c + 1)
        share, low, high = (
            found_count / max(found_count, m) for m in (total, total + half, total - half)
        )
        within = int(mask.sum()) / self._count_implied(mask)
        return Completeness(share * within, share, low, high, within, paired)

    def _check_likely(self, likely: ArrayLike) -> NDArray[np.bool_]:
        """Check and cut the argument of `estimate_completeness`."""
        mask = np.asarray(likely)
        if not set(RECAPTURE) <= set(self.names):
            raise InputError(
                f"k=0 ran no searches to compare, only {', '.join(self.names)}; give k=20"
            )
        if mask.shape != self.flags.shape or mask.dtype.kind not in "bf":
            raise InputError(
                f"likely is {mask.dtype}{mask.shape}; give {self.flags.size} truth values or "
                "probabilities, one per pair"
            )
        return mask >= 0.5

    def _reach(self, mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Mark the records of the pairs of a mask."""
        reached = np.zeros(self.counts.size, bool)
        reached[self.pairs[mask].reshape(-1)] = True
        return reached

    def _count_implied(self, mask: NDArray[np.bool_]) -> int:
        """Count the pairs inside the connected components of the pairs of a mask."""
        sizes = np.bincount(find_components(self.pairs[mask], self.counts.size))
        return int((sizes * (sizes - 1) // 2).sum())


def find_candidates(
    columns: Mapping[str, Column],
    *,
    numbers: Mapping[str, Floats] | None = None,
    weights: Mapping[str, float] = NO_WEIGHTS,
    source: ArrayLike | None = None,
    k: int = 20,
    seed: int = 0,
    rules: Sequence[Sequence[str]] = (),
    largest_block: int = 500,
    budget: int = POSTINGS_READ,
    cores: int | None = None,
    progress: Progress | None = None,
) -> Candidates:
    """Find the pairs of records to compare.

    Parameters
    ----------
    columns
        Codes and distinct values of each column. Collapse identical records first.
    numbers
        A number per record, NaN where missing, for each column in which close values are evidence
        for a match.
    weights
        By how much the values of a column count, in (0, 1]; by default all count in full.
    source
        A code per record: only pairs across sources are candidates.
    k
        Neighbours that each search keeps per record, the third and fourth search a quarter of
        them; with 0 only the rules run.
    seed
        Decides between equally near neighbours.
    rules
        Lists of columns; records equal in all columns of a rule are candidates as well.
    largest_block
        Larger blocks of a rule are not paired; the summary reports them.
    budget
        Postings that a search reads per record.
    cores
        Threads; the result does not depend on them.
    progress
        A function that receives the completed share of the work.
    """
    n = _check_columns(columns)
    own = _check_sources(source, n)
    known = _check_numbers(numbers or {}, columns, n)
    _check_number("k", k, 0)
    _check_number("seed", seed, 0)
    _check_number("budget", budget, 1)
    _check_number("largest_block", largest_block, 2)
    threads = os.cpu_count() or 1 if cores is None else cores
    _check_number("cores", threads, 1)
    parsed = _parse_rules(rules, columns)
    settings = SearchSettings(own, min(int(k), n - 1), int(budget), int(seed) % 2**31, threads)
    telling = select_telling(columns, weights)
    known = {name: column for name, column in known.items() if name in telling}
    near = find_neighbours(telling, known, settings, progress or (lambda share: None), weights)
    if near.lists:
        identical = pair_identical(collapse(telling), own, settings.k)
        records, others = map(np.concatenate, zip(near.lists[0], identical, strict=True))
        near.lists[0] = records, others
    blocks = [build_blocks(rule, columns, own, largest_block) for rule in parsed]
    for block in blocks:
        if block.message:
            log.warning(block.message)
    ruled = [(block.pairs[:, 0], block.pairs[:, 1:]) for block in blocks]
    pairs, flags, counts = merge_pairs([*near.lists, *ruled], n)
    # a column may have the name of a search
    titles = (f"rule {rule.name}" if rule.name in SEARCHES else rule.name for rule in parsed)
    return Candidates(
        pairs,
        flags,
        counts,
        names=(*near.names, *titles),
        ngram_length=near.ngram_length,
        largest=(*((),) * len(near.lists), *(block.largest for block in blocks)),
        messages=(*near.messages, *(block.message for block in blocks)),
        sampled=near.sampled,
    )


def _check_number(name: str, value: Any, minimum: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < minimum:
        raise InputError(f"{name} is {value!r}; give a whole number from {minimum} on")


def _parse_rules(rules: Sequence[Sequence[str]], columns: Mapping[str, Column]) -> list[Rule]:
    """Parse the user's rules and check their number."""
    parsed = [parse_rule(rule, columns) for rule in rules]
    if len(parsed) > MAX_RULES or len({rule.name for rule in parsed}) < len(parsed):
        raise InputError(
            f"there are {len(parsed)} blocking rules; give at most {MAX_RULES}, none of them twice"
        )
    return parsed


def summarise_blocking(candidates: Candidates) -> list[StepSummary]:
    """Summarise each search and rule: its pairs, its largest blocks, the records it misses."""
    rows = []
    before, total = 0, 0
    for b, name in enumerate(candidates.names):
        mask = candidates.found_by(name)
        new = int((mask & (candidates.flags & before == 0)).sum())
        before |= 1 << b
        total += new
        unblocked = int((~candidates._reach(mask)).sum())
        largest, message = candidates.largest[b], candidates.messages[b]
        rows.append(StepSummary(name, int(mask.sum()), new, total, largest, unblocked, message))
    return rows


def select_telling(
    columns: Mapping[str, Column], weights: Mapping[str, float]
) -> Mapping[str, Column]:
    """The columns whose evidence counts; all columns if that of none does."""
    telling = {
        name: column
        for name, column in columns.items()
        if weights.get(name, 1.0) >= MIN_TELLING_WEIGHT
    }
    return telling or columns


def collapse(columns: Mapping[str, Column]) -> Ints:
    """Return, for each record, the first record that is identical to it in every column.

    Records without any value stay separate: nothing shows that they are the same.
    """
    n = _check_columns(columns)
    codes = [np.asarray(column.codes) for column in columns.values()]
    is_empty = np.ones(n, bool)
    for column in codes:
        is_empty &= column < 0
    _, first, group = np.unique(hash_rows(codes, n), return_index=True, return_inverse=True)
    same = first[group.reshape(-1)]
    if not all(np.array_equal(column[same], column) for column in codes):
        # two different rows have one hash
        _, first, group = np.unique(
            np.stack(codes, 1), axis=0, return_index=True, return_inverse=True
        )
        same = first[group.reshape(-1)]
    return np.where(is_empty, np.arange(n), same).astype(np.int64)


def _check_columns(columns: Mapping[str, Column]) -> int:
    """Check lengths and codes of the columns and return the number of records."""
    lengths = {name: np.asarray(column.codes).size for name, column in columns.items()}
    if len(set(lengths.values())) != 1 or min(lengths.values()) == 0:
        raise InputError(f"columns have lengths {lengths}; give at least one, all of one length")
    n = next(iter(lengths.values()))
    if n >= 2**31:
        raise InputError(f"{n:,} records; give fewer than 2,147,483,648, in parts")
    for name, column in columns.items():
        codes = np.asarray(column.codes)
        if codes.ndim != 1 or codes.dtype.kind not in "iu":
            raise InputError(f"the codes of {name!r} are {codes.dtype}{codes.shape}; give int32[n]")
        if codes.min() < -1 or codes.max() >= len(column.values):
            raise InputError(
                f"codes of {name!r} run from {codes.min()} to {codes.max()}; give -1 for missing, "
                f"else 0..{len(column.values) - 1}"
            )
    return n


def _check_numbers(
    numbers: Mapping[str, Floats], columns: Mapping[str, Column], n: int
) -> Mapping[str, Floats]:
    """Check names and lengths of the columns of numbers."""
    for name, column in numbers.items():
        if name not in columns or column.shape != (n,) or column.dtype.kind != "f":
            raise InputError(
                f"the numbers of {name!r} are {column.dtype}{column.shape}; give {n} floats for "
                f"one of the columns {', '.join(columns)}"
            )
    return numbers


def _check_sources(source: ArrayLike | None, n: int) -> Int32s:
    """Check the codes of sources; without sources the array is empty."""
    if source is None:
        return np.empty(0, np.int32)
    codes = np.asarray(source)
    if codes.shape != (n,) or codes.dtype.kind not in "iu":
        raise InputError(f"source is {codes.dtype}{codes.shape}; give {n} whole numbers")
    if (codes == codes[0]).all():
        raise InputError(f"all records come from source {codes[0]}; give no source to deduplicate")
    return codes.astype(np.int32)
