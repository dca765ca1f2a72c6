"""Columns that describe no entity, or that repeat other columns.

A surrogate numbers the records. A covered column consists of words of other columns. A derived
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
from partita.kernel import Ints, distinct_of, runs_of

__all__ = ["find_derived", "find_surrogates", "measure_coverage"]

SAMPLE_ROWS = 3000
"""Records from which the coverage of a column by others is measured. Origin: 0.1."""
COVERED_SHARE = 0.8
"""The share of words in other columns from which a column is redundant. Origin: 0.1."""

INTEGER = r"^\d{1,15}$"
"""Whole numbers that a 64-bit float holds exactly."""
INTEGER_SHARE = 0.98
"""The share of values of a surrogate that are whole numbers. Origin: a choice."""
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
SAMPLE_PAIRS = 500
"""Pairs of records with equal numbers, and random pairs, whose words are compared.
Origin: a choice."""
COPIED_OVERLAP = 0.25
"""By how much the shared words of pairs with equal numbers exceed those of random pairs if
duplicates copy the number: it then identifies the entity. Origin: a choice."""

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
GROUP_SIZE = 3.0
"""The least mean size of groups of two records or more with equal values of the other column.
Origin: a choice."""
GROUPED_SHARE = 0.3
"""The least share of records in such groups. Origin: a choice."""
DERIVED_VALUES = 0.5
"""Distinct values of a derived column at most, as a share of those of the other column."""
ENTITY_SHARE = 0.5
"""The share of records with the most frequent value of their group, in a further column of many
values, from which groups are entities: then every column is constant in them, derived or not."""
# the thresholds of surrogates and derived columns hold on 19 labelled sets without a false one


def find_surrogates(
    columns: Sequence[Column],
    names: Collection[str],
    sources: NDArray[np.integer] | None = None,
    seed: int = 0,
) -> set[str]:
    """Find the columns, among `names`, of whole numbers that number the records of each source.

    A number that similar records share is no surrogate: their duplicates copy it.
    """
    dense = {
        column.name for column in columns if column.name in names and _is_dense(column, sources)
    }
    others = [column for column in columns if column.name not in dense]
    return {
        column.name
        for column in columns
        if column.name in dense and not _is_copied(column, others, seed)
    }


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
    content = hash_rows((other.codes for other in others), column.codes.size)
    rows = np.argsort(content, kind="stable")
    order = rows[np.argsort(column.codes[rows], kind="stable")]
    order = order[column.codes[order] >= 0]
    equal = np.flatnonzero(column.codes[order[1:]] == column.codes[order[:-1]])
    if not equal.size:
        return False
    rng = np.random.default_rng(seed)
    equal = rng.permutation(equal)[:SAMPLE_PAIRS]
    pairs = np.stack([order[equal], order[equal + 1]])
    random = rows[rng.choice(rows.size, pairs.shape)]
    return _shared_words(pairs, others) > _shared_words(random, others) + COPIED_OVERLAP


def _shared_words(pairs: Ints, columns: Sequence[Column]) -> float:
    """The mean Jaccard similarity of the words of two records."""
    left, right = (
        [
            frozenset().union(*row)
            for row in zip(*(_list_words(c, rows) for c in columns), strict=True)
        ]
        for rows in pairs
    )
    both = [(first, second) for first, second in zip(left, right, strict=True) if first or second]
    return float(
        np.mean([len(first & second) / len(first | second) for first, second in both] or [0.0])
    )


def find_derived(columns: Sequence[Column], names: Collection[str], n: int) -> dict[str, str]:
    """Find the columns, among `names`, that are a function of another column, with that column.

    Columns of few values come first, so the column of most values is never derived.
    """
    derived: dict[str, str] = {}
    for column in sorted(columns, key=lambda column: len(column.values)):
        if column.name not in names or len(column.values) < MIN_DERIVED_VALUES:
            continue
        for other in columns:
            if (
                other.name not in derived
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
    if not sizes.size or sizes.mean() < GROUP_SIZE or sizes.sum() < GROUPED_SHARE * n:
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
    columns: Sequence[Column], n: int, seed: int = 0
) -> tuple[dict[str, float], set[str]]:
    """Measure how far each column repeats the others, and find the redundant columns.

    The covered share is the share of a column's words that occur in the union of the other kept
    columns of the same record, averaged over sampled records. Longest columns come first, since a
    long column is more often made from short ones.
    """
    rows = np.argsort(hash_rows((column.codes for column in columns), n), kind="stable")
    if n > SAMPLE_ROWS:
        rows = rows[np.sort(np.random.default_rng(seed).choice(n, SAMPLE_ROWS, replace=False))]
    words = {column.name: _list_words(column, rows) for column in columns}
    sizes = {name: float(np.mean([len(tokens) for tokens in sets])) for name, sets in words.items()}
    # the number of kept columns of a record that hold a word
    holders = [Counter(chain.from_iterable(sets)) for sets in zip(*words.values(), strict=True)]
    shares: dict[str, float] = {}
    redundant: set[str] = set()
    for name in sorted(words, key=lambda name: (-sizes[name], name)):
        shares[name] = _average_overlap(words[name], holders)
        if shares[name] >= COVERED_SHARE:
            redundant.add(name)
            for counts, tokens in zip(holders, words[name], strict=True):
                counts.subtract(tokens)
    return shares, redundant


def _list_words(column: Column, rows: Ints) -> list[frozenset[str]]:
    """The set of words of a column in each of some records."""
    codes = column.codes[rows]
    distinct = distinct_of(codes[codes >= 0])
    pairs = zip(distinct.tolist(), column.texts(distinct), strict=True)
    words = {code: frozenset(text.split()) for code, text in pairs}
    return [words.get(code, frozenset()) for code in codes.tolist()]


def _average_overlap(own: list[frozenset[str]], holders: list[Counter[str]]) -> float:
    """The mean share of a record's words that its other columns hold too."""
    shares = [
        sum(counts[word] > 1 for word in words) / len(words)
        for words, counts in zip(own, holders, strict=True)
        if words
    ]
    return float(np.mean(shares)) if shares else 0.0
