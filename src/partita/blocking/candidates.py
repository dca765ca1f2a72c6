"""Candidate pairs without rules: each record's nearest neighbours by two searches.

One search compares whole values ("column=value"), the other character n-grams of all columns
pooled, so that a pair with an error in every column is still found. Both read an inverted index
from the rarest feature on and stop after `budget` postings, so that time and memory grow about as
n. Where the postings of 3-grams outgrow the budget, longer grams take their place, and among very
many records none where they would find hardly more. The user's own rules may add pairs.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from partita.blocking.nearest import Progress, Task, nearest
from partita.blocking.ngrams import Small
from partita.blocking.rules import Block, Column, Rule, block, parse
from partita.blocking.union import Flags, union
from partita.errors import InputError
from partita.kernel import Ints, linked

__all__ = ["Candidates", "Kept", "Row", "candidates", "collapse", "report"]

log = logging.getLogger(__name__)

SEARCHES = ("values", "grams")
MOST_RULES = 30
MIX = np.uint64(0x9E3779B97F4A7C15)
"""Odd, and close to 2**64 over the golden ratio: spreads codes over all bits of a hash."""


class Kept(NamedTuple):
    """Estimated shares of what is to be found that the candidates keep."""

    records: float
    """Of the records that have a match, those with one among their candidates; nan if unknown."""
    low: float
    high: float
    """95 % limits of that share."""
    pairs: float
    """Of the matching pairs of those records, those that are candidates themselves."""


class Row(NamedTuple):
    """One line of the report: what one search or rule contributes."""

    rule: str
    pairs: int
    new: int
    """Pairs that no line above has."""
    cumulative: int
    largest: tuple[Block, ...]
    unblocked: int
    """Records that this search or rule pairs with nobody."""
    message: str


@dataclass(frozen=True)
class Candidates:
    """Pairs of records worth comparing, each once, in order."""

    pairs: Small
    """Rows (i, j) with i < j, ascending."""
    found: Flags
    """Bit b says that names[b] found the pair."""
    counts: Small
    """Candidates of each record."""
    names: tuple[str, ...]
    gram: int
    """Length of the character grams."""
    largest: tuple[tuple[Block, ...], ...] = ()
    messages: tuple[str, ...] = ()
    asked: Small | None = None
    """The records for which grams were searched, if not for all."""

    @property
    def unblocked(self) -> Ints:
        """Records without a single candidate."""
        return np.flatnonzero(self.counts == 0)

    def by(self, name: str) -> NDArray[np.bool_]:
        """Which pairs a search ("values", "grams") or a rule found."""
        if name not in self.names:
            raise InputError(f"nothing is named {name!r} here; choose of {', '.join(self.names)}")
        return (self.found >> self.names.index(name) & 1).astype(bool)

    def kept(self, likely: ArrayLike) -> Kept:
        """Estimate without labels what share of the matches is kept.

        `likely` marks the pairs that look like matches (a mask, or probabilities cut at a half).
        Records, by capture and recapture (Chapman 1951): if the one search finds a likely match
        for a records, the other for b, and both for c, then (a + 1)(b + 1) / (c + 1) - 1 records
        have one. It assumes that a record missed by one search is no likelier to be missed by the
        other; in truth hard records are hard for both, so the share is an upper bound, and the
        95 % limits are of chance alone. Records count for which both searches were made. Pairs, by
        transitivity: matches of matches are matches, so a likely component of s records holds
        s(s - 1)/2; it assumes that no likely pair is wrong, and one that is lowers the share.
        """
        mask = np.asarray(likely)
        if not set(SEARCHES) <= set(self.names):
            raise InputError(
                f"k=0 left no searches to compare, only {', '.join(self.names)}; give k=20"
            )
        if mask.shape != self.found.shape or mask.dtype.kind not in "bf":
            raise InputError(
                f"likely is {mask.dtype}{mask.shape}; give {self.found.size} truth values or "
                "probabilities, one per pair"
            )
        mask = mask >= 0.5
        all_asked = slice(None) if self.asked is None else self.asked
        one, two = (self._reached(mask & self.by(name))[all_asked] for name in SEARCHES)
        a, b, c = (int(reached.sum()) for reached in (one, two, one & two))
        seen = int(self._reached(mask)[all_asked].sum())
        if c == 0:
            return Kept(float("nan"), 0.0, 1.0, float("nan"))
        total = (a + 1) * (b + 1) / (c + 1) - 1
        half = 1.96 * np.sqrt((a + 1) * (b + 1) * (a - c) * (b - c) / (c + 2)) / (c + 1)
        share, low, high = (seen / max(seen, m) for m in (total, total + half, total - half))
        return Kept(share, low, high, int(mask.sum()) / self._implied(mask))

    def _reached(self, mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which records are in one of the pairs of a mask."""
        reached = np.zeros(self.counts.size, bool)
        reached[self.pairs[mask].reshape(-1)] = True
        return reached

    def _implied(self, mask: NDArray[np.bool_]) -> int:
        """How many pairs there are inside the components that the pairs of a mask make."""
        sizes = np.bincount(linked(self.pairs[mask], self.counts.size))
        return int((sizes * (sizes - 1) // 2).sum())


def candidates(
    columns: Mapping[str, Column],
    *,
    source: ArrayLike | None = None,
    k: int = 20,
    seed: int = 0,
    rules: Sequence[Sequence[str]] = (),
    largest_block: int = 500,
    budget: int = 1000,
    cores: int | None = None,
    progress: Progress | None = None,
) -> Candidates:
    """Find the pairs of records worth comparing.

    Parameters
    ----------
    columns
        Codes and distinct values of each column. Collapse identical records first.
    source
        A code per record: only pairs across sources are wanted.
    k
        Neighbours that each search keeps per record; 0 leaves rules alone.
    seed
        Decides between equally near neighbours.
    rules
        Lists of columns; records equal in all columns of one rule are candidates as well.
    largest_block
        Larger blocks of a rule are not paired, and the report says so.
    budget
        Postings that a search reads per record.
    cores
        Threads; the result does not depend on them.
    progress
        Called with the share of the work done.
    """
    n = _length(columns)
    own = _sources(source, n)
    _check_number("k", k, 0)
    _check_number("seed", seed, 0)
    _check_number("budget", budget, 1)
    _check_number("largest_block", largest_block, 2)
    threads = os.cpu_count() or 1 if cores is None else cores
    _check_number("cores", threads, 1)
    parsed = _parsed(rules, columns)
    task = Task(own, min(int(k), n - 1), int(budget), int(seed) % 2**31, threads)
    searched = nearest(columns, task, progress or (lambda share: None))
    blocks = [block(rule, columns, own, largest_block) for rule in parsed]
    for made in blocks:
        if made.message:
            log.warning(made.message)
    ruled = [(made.pairs[:, 0], made.pairs[:, 1:]) for made in blocks]
    pairs, found, counts = union([*searched.parts, *ruled], n)
    # a column may be called "values" or "grams"
    titles = (f"rule {rule.name}" if rule.name in SEARCHES else rule.name for rule in parsed)
    return Candidates(
        pairs,
        found,
        counts,
        names=(*SEARCHES[: len(searched.parts)], *titles),
        gram=searched.gram,
        largest=(*((),) * len(searched.parts), *(made.largest for made in blocks)),
        messages=(*searched.messages, *(made.message for made in blocks)),
        asked=searched.asked,
    )


def _check_number(name: str, value: Any, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise InputError(f"{name} is {value!r}; give a whole number from {least} on")


def _parsed(rules: Sequence[Sequence[str]], columns: Mapping[str, Column]) -> list[Rule]:
    """The user's rules, or an InputError."""
    parsed = [parse(rule, columns) for rule in rules]
    if len(parsed) > MOST_RULES or len({rule.name for rule in parsed}) < len(parsed):
        raise InputError(
            f"{len(parsed)} rules; give at most {MOST_RULES}, none twice, and join the others"
        )
    return parsed


def report(found: Candidates) -> list[Row]:
    """One row per search and rule, in order: what each adds, its largest blocks, whom it misses."""
    rows = []
    before, total = 0, 0
    for b, name in enumerate(found.names):
        mask = found.by(name)
        new = int((mask & (found.found & before == 0)).sum())
        before |= 1 << b
        total += new
        unblocked = int((~found._reached(mask)).sum())
        line = Row(
            name, int(mask.sum()), new, total, found.largest[b], unblocked, found.messages[b]
        )
        rows.append(line)
    return rows


def collapse(columns: Mapping[str, Column]) -> Ints:
    """The first record that is identical to each record in every column.

    Records without any value stay apart: nothing says that they are the same.
    """
    n = _length(columns)
    codes = [np.asarray(column.codes) for column in columns.values()]
    mixed = np.zeros(n, np.uint64)
    empty = np.ones(n, bool)
    for one in codes:
        mixed = (mixed ^ (one + 1).astype(np.uint64)) * MIX
        mixed ^= mixed >> np.uint64(29)
        empty &= one < 0
    _, first, group = np.unique(mixed, return_index=True, return_inverse=True)
    same = first[group.reshape(-1)]
    if not all(np.array_equal(one[same], one) for one in codes):
        # two different rows have one hash
        _, first, group = np.unique(
            np.stack(codes, 1), axis=0, return_index=True, return_inverse=True
        )
        same = first[group.reshape(-1)]
    return np.where(empty, np.arange(n), same).astype(np.int64)


def _length(columns: Mapping[str, Column]) -> int:
    """The number of records, if all columns agree on it and their codes are in range."""
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


def _sources(source: ArrayLike | None, n: int) -> Small:
    """Codes of sources, empty when records may match within a source."""
    if source is None:
        return np.empty(0, np.int32)
    codes = np.asarray(source)
    if codes.shape != (n,) or codes.dtype.kind not in "iu":
        raise InputError(f"source is {codes.dtype}{codes.shape}; give {n} whole numbers")
    if (codes == codes[0]).all():
        raise InputError(f"all records come from source {codes[0]}; give no source to deduplicate")
    return codes.astype(np.int32)
