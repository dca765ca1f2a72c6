"""The blocking index of a store: posting lists in tables, and the search in them.

A list is stored in chunks, so that an append writes the last chunk only. A search reads the counts
of the keys of its records, then the lists that the budget of postings covers, rarest first: the
cost grows with the number of new records and not with the number of stored ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.blocking.candidates import POSTINGS_READ
from partita.blocking.index import IDF_FLOOR, Index, make_scratch, search
from partita.blocking.nearest import COMMON_SHARE, MIN_COMMON
from partita.blocking.ngrams import Int32s
from partita.kernel import Floats, Ints, distinct_of
from partita.store.database import Database
from partita.store.features import FeatureLists

__all__ = ["add_lists", "count_keys", "find_neighbours", "remove_lists", "write_lists"]

CHUNK = 256
"""Records of a chunk of a posting list. Origin: 2 KB, a quarter of a page of the database."""
BLOCK = 4096
"""Records of a block of vector lengths. Origin: 16 KB, so that a million records have 245."""
SOURCES = 9
"""The number under which the source of each record is stored, beside the two searches."""
LAST_CHUNK = "(SELECT chunk FROM postings WHERE key = k.value ORDER BY chunk DESC LIMIT 1)"
"""The number of the last chunk of a list; a maximum by group would read the whole list."""
KEYS_AT_ONCE = 20_000
"""Keys of one query; bounds the memory of its text."""


def write_lists(db: Database, lists: FeatureLists, *, has_postings: bool = True) -> None:
    """Write the lists of the first records of a store; record numbers count from 0."""
    order = np.argsort(lists.keys)
    keys, counts = lists.keys[order], lists.counts[order]
    pairs = zip(keys.tolist(), counts.tolist(), strict=True)
    db.execute_many("INSERT INTO features VALUES (?, ?)", ((k, c) for k, c in pairs if c))
    if has_postings:
        rows = _cut(lists, order)
        db.execute_many("INSERT INTO postings VALUES (?, ?, ?)", rows)


def _cut(lists: FeatureLists, order: Ints) -> list[tuple[int, int, bytes]]:
    """Cut posting lists into chunks."""
    data = lists.record.astype(np.int64).tobytes()
    keys, first, last = lists.keys.tolist(), lists.first[:-1].tolist(), lists.first[1:].tolist()
    return [
        (keys[f], chunk, data[8 * at : 8 * min(at + CHUNK, last[f])])
        for f in order.tolist()
        for chunk, at in enumerate(range(first[f], last[f], CHUNK))
    ]


def count_keys(db: Database, keys: Ints) -> Ints:
    """The number of records that have each key."""
    counts = dict[int, int]()
    for part in _batches(keys.tolist()):
        sql = "SELECT key, records FROM features WHERE key IN :keys"
        counts.update(db.rows_in(sql, part))
    return np.array([counts.get(key, 0) for key in keys.tolist()], np.int64)


def add_counts(db: Database, keys: Ints, change: Ints) -> None:
    """Change the number of records of each key; a key without records is removed."""
    rows = list(zip(keys.tolist(), change.tolist(), strict=True))
    db.execute_many(
        "INSERT INTO features VALUES (?, ?) "
        "ON CONFLICT (key) DO UPDATE SET records = records + excluded.records",
        rows,
    )
    gone = [(key,) for key, count in rows if count < 0]
    db.execute_many("DELETE FROM features WHERE key = ? AND records <= 0", gone)


def add_lists(db: Database, lists: FeatureLists, records: Ints) -> None:
    """Append records to the lists of their features."""
    add_counts(db, lists.keys, lists.counts)
    last = _last_chunks(db, lists.keys)
    rows: list[tuple[int, int, bytes]] = []
    for f, key in enumerate(lists.keys.tolist()):
        chunk, data = last.get(key, (0, b""))
        data += records[lists.record[lists.first[f] : lists.first[f + 1]]].tobytes()
        for at in range(0, len(data), 8 * CHUNK):
            rows.append((key, chunk + at // (8 * CHUNK), data[at : at + 8 * CHUNK]))
    db.execute_many("INSERT OR REPLACE INTO postings VALUES (?, ?, ?)", rows)


def _last_chunks(db: Database, keys: Ints) -> dict[int, tuple[int, bytes]]:
    """The last chunk of each list that exists."""
    chunks = dict[int, tuple[int, bytes]]()
    for part in _batches(keys.tolist()):
        sql = (
            "SELECT p.key, p.chunk, p.records FROM :keys k CROSS JOIN postings p "
            f"ON p.key = k.value AND p.chunk = {LAST_CHUNK}"
        )
        chunks.update((key, (chunk, data)) for key, chunk, data in db.rows_in(sql, part))
    return chunks


def remove_lists(db: Database, lists: FeatureLists, records: Ints) -> None:
    """Remove records from the lists of their features."""
    add_counts(db, lists.keys, -lists.counts)
    for f, key in enumerate(lists.keys.tolist()):
        gone = records[lists.record[lists.first[f] : lists.first[f + 1]]]
        sql = "SELECT chunk, records FROM postings WHERE key = ?"
        for chunk, data in db.rows(sql, (key,)):
            before = db.numbers(data, np.int64)
            after = before[~np.isin(before, gone)]
            if after.size == before.size:
                continue
            if after.size:
                sql = "UPDATE postings SET records = ? WHERE key = ? AND chunk = ?"
                db.execute(sql, (after.tobytes(), key, chunk))
            else:
                db.execute("DELETE FROM postings WHERE key = ? AND chunk = ?", (key, chunk))


def read_lists(db: Database, keys: Sequence[int]) -> dict[int, Ints]:
    """The latest records of each list, `POSTINGS_READ` at most for a list."""
    parts = dict[int, list[bytes]]()
    for some in _batches(keys):
        # a list that is longer than the budget is read from its end
        chunks = -(-POSTINGS_READ // CHUNK)
        sql = (
            "SELECT p.key, p.records FROM :keys k CROSS JOIN postings p "
            f"ON p.key = k.value AND p.chunk > {LAST_CHUNK} - {chunks}"
        )
        for key, data in db.rows_in(sql, some):
            parts.setdefault(key, []).append(data)
    return {
        key: np.sort(db.numbers(b"".join(data), np.int64))[-POSTINGS_READ:]
        for key, data in parts.items()
    }


def _batches(keys: Sequence[int]) -> Iterator[Sequence[int]]:
    for at in range(0, len(keys), KEYS_AT_ONCE):
        yield keys[at : at + KEYS_AT_ONCE]


class Neighbours(NamedTuple):
    """Pairs of a queried record, by its place, and the number of a stored record near it."""

    place: Ints
    record: Ints


def find_neighbours(
    db: Database,
    lists: FeatureLists,
    numbers: Ints,
    k: int,
    seed: int,
    searched: int,
    sources: Int32s | None = None,
) -> Neighbours:
    """Find the k nearest stored records of each queried record.

    Parameters
    ----------
    lists
        The features of the queried records.
    numbers
        The number of each queried record in the store, which is not its own neighbour; -1 if the
        store does not hold it.
    searched
        The number of the search, under which vector lengths are stored.
    sources
        The source of each queried record, where only records of different sources can match.
    """
    n, total = numbers.size, int(db.meta("distinct"))
    times, by_record = count_keys(db, lists.keys), lists.by_record(n)
    cap = max(MIN_COMMON, int(COMMON_SHARE * total))
    # the list of an indexed record holds at least the record itself
    shared = times >= (2 if (numbers >= 0).all() else 1)
    needed = _choose_lists(*by_record, times, shared, cap, k)
    stored = read_lists(db, lists.keys[needed].tolist())
    index, others = _build(lists, by_record, weigh_features(times, total), times, stored)
    index = index._replace(
        scale=np.append(np.ones(n), read_scales(db, others, searched)).astype(np.float32)
    )
    near = np.empty((index.rows.shape[0], k + 1), np.int32)
    source = np.empty(0, np.int32)
    if sources is not None:
        source = np.append(sources, read_scales(db, others, SOURCES)).astype(np.int32)
    scratch = make_scratch(index, k + 1, POSTINGS_READ)
    search(index, scratch, source, near, 0, n, POSTINGS_READ, cap, seed % 2**31)
    place, at = np.nonzero(near[:n] >= n)
    record = others[near[place, at].astype(np.int64) - n]
    apart = record != numbers[place]
    return Neighbours(place[apart], record[apart])


def weigh_features(times: Ints, total: int) -> Floats:
    """The inverse document frequency of each feature."""
    return np.log(max(total, 2) / np.maximum(times, 1)) + IDF_FLOOR


def measure_vectors(lists: FeatureLists, n: int, idf: Floats) -> Floats:
    """One over the length of the vector of each record."""
    squares = np.repeat(idf * idf, lists.counts)
    length = np.bincount(lists.record, squares, minlength=n)
    return np.divide(1.0, np.sqrt(length), out=np.zeros(n), where=length > 0)


def _choose_lists(
    start: Ints, feature: Ints, times: Ints, shared: NDArray[np.bool_], cap: int, k: int
) -> Ints:
    """The features whose lists the searches read: the rarest of each record, within the budget."""
    chosen = np.zeros(times.size, bool)
    for i in range(start.size - 1):
        own = feature[start[i] : start[i + 1]]
        own = own[shared[own]]
        own = own[np.argsort(times[own], kind="stable")]
        spent = np.cumsum(np.minimum(times[own], POSTINGS_READ))
        # further lists are read where the first ones hold few records
        count = int(np.searchsorted(spent, POSTINGS_READ + k, side="right")) + 1
        lists = own[:count]
        chosen[lists[(times[lists] <= cap) | (np.arange(lists.size) == 0)]] = True
    return np.flatnonzero(chosen)


def _build(
    lists: FeatureLists,
    by_record: tuple[Ints, Ints],
    idf: Floats,
    times: Ints,
    stored: dict[int, Ints],
) -> tuple[Index, Ints]:
    """The index of the stored records that share a feature; queried records come before them."""
    start, feature = by_record
    n, none = start.size - 1, np.empty(0, np.int64)
    order = np.argsort(times, kind="stable")
    parts = [stored.get(key, none) for key in lists.keys[order].tolist()]
    posted = np.concatenate([none, *parts])
    others = distinct_of(posted)
    rank = np.empty(times.size, np.int32)
    rank[order] = np.arange(times.size)
    rows = np.full((n + others.size, 1), -1, np.int32)
    rows[:n, 0] = np.arange(n)
    index = Index(
        rows,
        start,
        rank[feature],
        np.concatenate([[0], np.cumsum([part.size for part in parts])]).astype(np.int64),
        (n + np.searchsorted(others, posted)).astype(np.int32),
        (idf[order] ** 2).astype(np.float32),
        np.empty(0, np.float32),
        int(np.diff(start).max(initial=0)),
    )
    return index, others


def _read_block(db: Database, data: bytes) -> NDArray[np.float32]:
    array = db.numbers(data, np.float32)
    if array.size != BLOCK:
        raise db.damage(f"a block of vectors has {array.size:,} numbers")
    return array


def write_scales(db: Database, records: Ints, scales: Floats, searched: int) -> None:
    """Store one over the vector length of records, in blocks."""
    for block in distinct_of(records // BLOCK).tolist():
        inside = records // BLOCK == block
        sql = "SELECT scales FROM vectors WHERE search = ? AND block = ?"
        data = db.value(sql, (searched, block))
        array = np.zeros(BLOCK, np.float32) if data is None else _read_block(db, data).copy()
        array[records[inside] % BLOCK] = scales[inside]
        db.execute(
            "INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", (searched, block, array.tobytes())
        )


def read_scales(db: Database, records: Ints, searched: int) -> Floats:
    """One over the vector length of stored records; 0 for a record that is not indexed."""
    scales = np.zeros(records.size)
    blocks = records // BLOCK
    sql = "SELECT block, scales FROM vectors WHERE search = ? AND block IN :keys"
    query = sql.replace("?", str(int(searched)))
    for block, data in db.rows_in(query, distinct_of(blocks).tolist()):
        inside = blocks == block
        scales[inside] = _read_block(db, data)[records[inside] % BLOCK]
    return scales
