"""Columns that describe no entity, or that repeat other columns.

A surrogate describes the records: a running number, a UUID, a time stamp or an unrelated number.
A covered column consists of words of other columns. A derived
column is a function of another column, as the region is a function of the postcode.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from itertools import chain

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from partita.data.arrow import to_numpy
from partita.data.row_order import hash_rows
from partita.data.table import Column
from partita.kernel import Floats, Ints, distinct_of, runs_of

__all__ = ["find_derived", "find_surrogates", "measure_coverage"]

SAMPLE_ROWS = 3000
"""Records from which the coverage of a column by others is measured. A limit of CPU seconds."""
COVERED_SHARE = 0.8
"""The share of words in other columns from which a column is redundant. Origin: 0.1."""
MIN_SOURCE_RECORDS = 30
"""Records of a source from which coverage is measured in it by itself; smaller ones count as one.
Origin: a choice."""

INTEGER = r"^\d{1,15}$"
"""Whole numbers that a 64-bit float holds exactly."""
NUMBER = r"^[-+]?\d+(\.\d+)?$"
"""Numbers that are ordered by size."""
INTEGER_SHARE = 0.98
"""The share of values of a surrogate that are whole numbers, UUIDs or time stamps. Origin: a
choice."""
MIN_NUMBERS = 100
"""Distinct values of a surrogate at least; fewer may be years, ages or house numbers.
Origin: a choice."""
ID_NAME = re.compile(r"(?:^|[\W_]|(?<=[a-z])(?=[A-Z]))(?i:id|idx|index|key|pk|row|rowid|uid)$")
"""Names of columns that number records, such as "row", "client_id" and "recordId"."""
ID_DENSITY = 0.05
"""Distinct values per number of the range from which a column named like an id is a surrogate.
Identifiers that an authority gives out, such as social security numbers, are sparser.
Origin: a choice."""
UNIQUE_SHARE = 0.98
"""Distinct values per filled record of a source from which any dense column is a surrogate.
Origin: a choice."""
UNIQUE_DENSITY = 0.5
"""Distinct values per number of the range of such a column, by source. Origin: a choice."""
UUID = r"^[0-9a-f]{8} ?([0-9a-f]{4} ?){3}[0-9a-f]{12}$"
"""A UUID after cleaning, which replaces dashes by blanks."""
TIME_STAMP = r"^(\d{4} \d{1,2} \d{1,2}|\d{1,2} \d{1,2} \d{4})[ t]\d{1,2} \d{2}\b"
"""The start of a date with a time of day after cleaning."""
SAMPLE_PAIRS = 500
"""Pairs of records with equal numbers, and random pairs, whose words are compared. A limit of
CPU seconds."""
COPIED_OVERLAP = 0.25
"""By how much the shared words of pairs with equal numbers exceed those of random pairs if
duplicates copy the number: it then identifies the entity. Origin: a choice."""
MIN_DEVIATIONS = 2.0
"""Standard errors by which records with close numbers share more words than random records if the
number describes the entity. Origin: a choice."""

MIN_DERIVED_VALUES = 10
"""Distinct values of a derived column at least: fewer, such as sex beside a given name, carry too
little evidence to count it twice, and a wrong value among them reveals a non-match.
Origin: a choice."""
DERIVED_SHARE = 0.98
"""The share of records with the most frequent value of their group in a derived column.
Origin: a choice."""
DERIVED_GAIN = 0.8
"""The least Goodman and Kruskal's lambda of a derived column: the share of the errors of
predicting one constant value that the other column avoids. Origin: a choice."""
GROUPED_SHARE = 0.3
"""The least share of records in groups of two or more with equal values of the other column.
Origin: a choice."""
DERIVED_VALUES = 0.5
"""Distinct values of a derived column at most, as a share of those of the other column."""
ENTITY_SHARE = 0.5
"""The share of records with the most frequent value of their group, in a further column of many
values, from which groups are entities: then every column is constant in them, derived or not."""
# the thresholds of surrogates and derived columns hold on 19 labelled sets without a false one


def find_surrogates(
    columns: Sequence[Column],
    names: Collection[str],
    numbers: Collection[str] = (),
    sources: NDArray[np.integer] | None = None,
    seed: int = 0,
) -> set[str]:
    """Find the columns that describe the records of each source, and not their entities.

    They are running numbers, among `names`, UUIDs and time stamps. A value that similar records
    share is no surrogate: their duplicates copy it. Decimal `numbers` are surrogates if records
    with close values share no more words than random records do.
    """
    unique = {
        column.name
        for column in columns
        if _is_generated(column) or (column.name in names and _is_dense(column, sources))
    }
    others = [column for column in columns if column.name not in unique]
    surrogates = {
        column.name
        for column in columns
        if column.name in unique and not _is_copied(column, others, seed)
    }
    rest = [other for other in others if other.name not in numbers]
    return surrogates | {
        column.name
        for column in others
        if column.name in numbers
        and rest
        and _is_unrelated(column, rest, seed)
        and not _is_copied(column, rest, seed)
    }


def _is_generated(column: Column) -> bool:
    """Whether nearly every record has a UUID or a time stamp of its own."""
    if len(column.values) < max(MIN_NUMBERS, UNIQUE_SHARE * column.counts.sum()):
        return False
    return any(
        to_numpy(pc.match_substring_regex(column.values, form)).mean() > INTEGER_SHARE
        for form in (UUID, TIME_STAMP)
    )


def _is_dense(column: Column, sources: NDArray[np.integer] | None) -> bool:
    """Whether a column has the values of a running number."""
    if len(column.values) < MIN_NUMBERS:
        return False
    is_whole = pc.match_substring_regex(column.values, INTEGER)
    whole = to_numpy(is_whole)
    if whole.mean() <= INTEGER_SHARE:
        return False
    numbers = to_numpy(column.values.filter(is_whole).cast(pa.int64()))
    if ID_NAME.search(column.name) and _measure_density(numbers) > ID_DENSITY:
        return True
    rows = np.flatnonzero(column.codes >= 0)
    rows = rows[whole[column.codes[rows]]]
    number = numbers[np.cumsum(whole)[column.codes[rows]] - 1]
    source = np.zeros(rows.size, np.int64) if sources is None else sources[rows]
    parts = [distinct_of(number[source == part]) for part in distinct_of(source)]
    unique = sum(part.size for part in parts) / rows.size
    return unique > UNIQUE_SHARE and min(map(_measure_density, parts)) > UNIQUE_DENSITY


def _measure_density(numbers: Ints) -> float:
    """Distinct numbers per number of their range."""
    return float(numbers.size / (numbers.max() - numbers.min() + 1))


def _is_copied(column: Column, others: Sequence[Column], seed: int) -> bool:
    """Whether records with equal numbers share more words than random records do."""
    left, right = _sort_rows(column, others)
    is_equal = column.codes[left] == column.codes[right]
    if not others or not is_equal.any():
        return False
    equal, random = _compare_with_random(left[is_equal], right[is_equal], others, seed)
    return float(equal.mean()) > float(random.mean()) + COPIED_OVERLAP


def _is_unrelated(column: Column, others: Sequence[Column], seed: int) -> bool:
    """Whether records with close numbers share no more words than random records do."""
    left, right = _sort_rows(column, others)
    if left.size < MIN_NUMBERS:
        return False
    close, random = _compare_with_random(left, right, others, seed)
    error = np.sqrt(close.var() / close.size + random.var() / random.size)
    return bool(close.mean() - random.mean() <= MIN_DEVIATIONS * error)


def _sort_rows(column: Column, others: Sequence[Column]) -> tuple[Ints, Ints]:
    """Filled rows and the next rows by value; the other columns order equal values."""
    content = hash_rows((other.codes for other in others), column.codes.size)
    rank = np.empty(len(column.values), np.int64)
    rank[_sort_values(column.values)] = np.arange(rank.size)
    rows = np.flatnonzero(column.codes >= 0)
    rows = rows[np.lexsort((content[rows], rank[column.codes[rows]]))]
    return rows[:-1], rows[1:]


def _sort_values(values: pa.Array) -> Ints:
    """The order of values: numbers by size, other texts after them."""
    order = to_numpy(pc.array_sort_indices(values)).astype(np.int64)
    is_number = pc.match_substring_regex(values, NUMBER)
    numbers = np.full(len(values), np.inf)
    numbers[to_numpy(is_number)] = to_numpy(values.filter(is_number).cast(pa.float64()))
    return order[np.argsort(numbers[order], kind="stable")]


def _compare_with_random(
    left: Ints, right: Ints, columns: Sequence[Column], seed: int
) -> tuple[Floats, Floats]:
    """The shared words of some of these pairs of records, and of as many random pairs."""
    rng = np.random.default_rng(seed)
    some = rng.permutation(left.size)[:SAMPLE_PAIRS]
    order = np.argsort(hash_rows((c.codes for c in columns), columns[0].codes.size), kind="stable")
    first = rng.integers(order.size, size=some.size)
    second = (first + 1 + rng.integers(order.size - 1, size=some.size)) % order.size
    return (
        _shared_words(left[some], right[some], columns),
        _shared_words(order[first], order[second], columns),
    )


def _shared_words(left: Ints, right: Ints, columns: Sequence[Column]) -> Floats:
    """The Jaccard similarity of the words of two records."""
    first, second = (
        [
            frozenset().union(*row)
            for row in zip(*(_list_words(c, rows) for c in columns), strict=True)
        ]
        for rows in (left, right)
    )
    return np.array(
        [len(a & b) / max(len(a | b), 1) for a, b in zip(first, second, strict=True)], np.float64
    )


def find_derived(
    columns: Sequence[Column],
    names: Collection[str],
    n: int,
    sources: NDArray[np.integer] | None = None,
) -> dict[str, str]:
    """Find the columns, among `names`, that are a function of another column, with that column.

    Columns of few values come first, so the column of most values is never derived. The other
    column has values in every source of the derived one.
    """
    derived: dict[str, str] = {}
    parts = group_sources(sources, n)
    filled = {column.name: list_filled_parts(column, parts) for column in columns}
    for column in sorted(columns, key=lambda column: len(column.values)):
        if column.name not in names or len(column.values) < MIN_DERIVED_VALUES:
            continue
        for other in columns:
            if (
                other.name not in derived
                and filled[other.name] >= filled[column.name]
                and len(column.values) <= DERIVED_VALUES * len(other.values)
                and _is_function(column, other, n)
                and not _is_entity(other, [c for c in columns if c is not column])
            ):
                derived[column.name] = other.name
                break
    return derived


def _is_function(column: Column, other: Column, n: int) -> bool:
    """Whether a column is nearly constant in groups of equal values of another column."""
    sizes, constant = _measure_groups(column, other)
    if not sizes.size or sizes.sum() < GROUPED_SHARE * n:
        return False
    error = 1.0 - constant.sum() / sizes.sum()
    constant_error = 1.0 - column.counts.max() / column.counts.sum()
    return bool(error <= 1.0 - DERIVED_SHARE and error <= (1.0 - DERIVED_GAIN) * constant_error)


def _is_entity(column: Column, others: Sequence[Column]) -> bool:
    """Whether records with equal values of a column mostly agree in a further column as well.

    Only columns of many values count. Without any, the records of a group may be one entity.
    """
    shares = []
    for other in others:
        if other is not column and len(other.values) >= DERIVED_VALUES * len(column.values):
            sizes, constant = _measure_groups(other, column)
            shares.append(constant.sum() / max(1, sizes.sum()))
    return max(shares, default=1.0) >= ENTITY_SHARE


def _measure_groups(column: Column, other: Column) -> tuple[Ints, Ints]:
    """The size of each group of equal values of `other`, and the count of its modal value.

    Groups of one record are left out.
    """
    both = (column.codes >= 0) & (other.codes >= 0)
    many = len(column.values)
    keys = np.sort(other.codes[both].astype(np.int64) * many + column.codes[both])
    starts = runs_of(keys)
    counts = np.diff(starts, append=keys.size)
    groups = runs_of(keys[starts] // many)
    sizes, modes = np.add.reduceat(counts, groups), np.maximum.reduceat(counts, groups)
    return sizes[sizes > 1], modes[sizes > 1]


def measure_coverage(
    columns: Sequence[Column],
    n: int,
    seed: int = 0,
    sources: NDArray[np.integer] | None = None,
) -> tuple[dict[str, float], set[str]]:
    """Measure how far each column repeats the others, and find the redundant columns.

    The covered share is the share of a column's words that occur in the union of the other kept
    columns of the same record, averaged over sampled records. Of several sources the one of the
    least share counts, and only columns that every source of the column fills can cover it. Longest
    columns come first, since a long column is more often made from short ones.
    """
    parts = group_sources(sources, n)
    rows = _sample_rows(columns, parts, seed)
    words = {column.name: _list_words(column, rows) for column in columns}
    sizes = {name: float(np.mean([len(tokens) for tokens in sets])) for name, sets in words.items()}
    filled = {column.name: list_filled_parts(column, parts) for column in columns}
    # the number of kept columns of a record that hold a word, among those of each set of sources
    holders = {
        needed: [
            Counter(chain.from_iterable(sets))
            for sets in zip(*(words[k] for k in words if filled[k] >= needed), strict=True)
        ]
        for needed in set(filled.values())
    }
    shares: dict[str, float] = {}
    redundant: set[str] = set()
    for name in sorted(words, key=lambda name: (-sizes[name], name)):
        shares[name] = _average_overlap(words[name], holders[filled[name]], parts[rows])
        if shares[name] >= COVERED_SHARE:
            redundant.add(name)
            for needed in (needed for needed in holders if filled[name] >= needed):
                for counts, tokens in zip(holders[needed], words[name], strict=True):
                    counts.subtract(tokens)
    return shares, redundant


def group_sources(sources: NDArray[np.integer] | None, n: int) -> Ints:
    """The source of each record, 0 without sources; all small sources are one."""
    if sources is None:
        return np.zeros(n, np.int64)
    sizes = np.bincount(sources)
    return np.where(sizes[sources] < MIN_SOURCE_RECORDS, 0, sources.astype(np.int64) + 1)


def list_filled_parts(column: Column, parts: Ints) -> frozenset[int]:
    """The sources, by `group_sources`, in which a column has values."""
    return frozenset(np.flatnonzero(np.bincount(parts[column.codes >= 0])).tolist())


def _sample_rows(columns: Sequence[Column], parts: Ints, seed: int) -> Ints:
    """Some records in an order by content, as many of each source."""
    rows = np.argsort(hash_rows((column.codes for column in columns), parts.size), kind="stable")
    present = distinct_of(parts)
    size, rng = max(SAMPLE_ROWS // present.size, MIN_SOURCE_RECORDS), np.random.default_rng(seed)
    chosen = []
    for part in present.tolist():
        own = rows[parts[rows] == part] if present.size > 1 else rows
        is_sampled = own.size > size
        chosen.append(own[np.sort(rng.choice(own.size, size, False))] if is_sampled else own)
    return np.concatenate(chosen)


def _list_words(column: Column, rows: Ints) -> list[frozenset[str]]:
    """The set of words of a column in each of some records."""
    codes = column.codes[rows]
    distinct = distinct_of(codes[codes >= 0])
    pairs = zip(distinct.tolist(), column.texts(distinct), strict=True)
    words = {code: frozenset(text.split()) for code, text in pairs}
    return [words.get(code, frozenset()) for code in codes.tolist()]


def _average_overlap(own: list[frozenset[str]], holders: list[Counter[str]], parts: Ints) -> float:
    """The mean share of a record's words that its other columns hold too, in its worst source."""
    shares: dict[int, list[float]] = {}
    for words, counts, part in zip(own, holders, parts.tolist(), strict=True):
        if words:
            held = sum(counts[word] > 1 for word in words) / len(words)
            shares.setdefault(part, []).append(held)
    return min((float(np.mean(part)) for part in shares.values()), default=0.0)
