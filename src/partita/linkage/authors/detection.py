"""Detection of mention files: each record mentions one person beside a list of other persons.

The values decide first. A mention file has a column of short names, most of which occur in several
records, and a column of lists whose items have the form of names and share words with the first
column. A file of people has no such list, and a file of publications has no column with one name a
record. Where no list shares words with the names, headers decide: a name and a title, with
co-authors, a venue or an affiliation.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from partita.data import Column, ColumnProfile, Records
from partita.data.arrow import from_strings
from partita.data.table import Codes
from partita.kernel import Ints
from partita.linkage.authors.columns import find_roles

__all__ = [
    "MentionColumns",
    "column_of",
    "find_mentions",
    "join_names",
    "key_of_person",
    "split_items",
]

WORD = re.compile(r"[^\W_]+")
"""A word of a name; an underscore separates words as a blank does."""
SEPARATORS = ("**", ";", "|", " and ", " & ", ",")
"""Separators of lists, the least ambiguous first: a comma may stand inside a name."""
MIN_SEPARATED = 0.25
"""Share of values that contain the separator of their column at least. Origin: a choice."""
SAMPLE_ROWS = 800
"""Records from which the form of a column is read, a limit of CPU seconds."""
MIN_MENTIONS = 20
"""Records of a mention file at least: fewer show no form. Origin: a choice."""
MAX_DISTINCT = 0.5
"""Distinct names per record at most: mentions repeat names. Origin: a choice."""
MIN_FILLED = 0.9
"""Filled share of the column of names at least: a mention has a name. Origin: a choice."""
MIN_MEAN_WORDS = 1.3
"""Mean number of words of a name at least. Origin: a choice."""
MAX_NAME_WORDS = 6
"""Words of a person's name at most. Origin: a choice."""
MIN_ITEMS = 1.5
"""Mean number of items of a list at least. Origin: a choice."""
MIN_NAME_SHARE = 0.85
"""Share of the items that have the form of a name, at least. Origin: a choice."""
NAME_LENGTHS = (2, 3)
"""Words of most names of persons."""
MIN_NAME_LENGTHS = 0.65
"""Share of the items of these lengths at least: titles vary more. Origin: the lists of the panel,
of generated files and of cuts of both; persons have .72 and more, titles, institutions and
addresses .59 and less."""
MIN_SHARED_WORDS = 0.5
"""Share of the names that have a word in common with the lists of other records, at least.
Origin: a choice; venues have .07 and less, and mentions .6 and more in files of 800 records."""
MIN_SHARED_RECORDS = 0.05
"""Records of other names whose lists have a word of the name, per record of the name, at least.
Origin: a choice."""
MIN_WORD = 3
"""Letters of a shared word at least. Origin: a choice."""
MAX_REPEATED = 0.5
"""Share of records that repeat name, title and persons of another record, at most: above, the file
holds duplicate records. Origin: a choice."""


class MentionColumns(NamedTuple):
    """The columns of a mention file, and the reason for taking it as one."""

    parts: tuple[str, ...]
    """The column of the mentioned person, or the columns of the parts of the name in order."""
    persons: dict[str, str]
    """The separator of each column of other persons."""
    why: str

    @property
    def name(self) -> str:
        """The column of the name, or of the last name."""
        return self.parts[-1]


def join_names(records: Records, parts: Sequence[str], cleaned: bool = True) -> Column:
    """The names of all records as one column; the parts of a name are separated by a blank."""
    columns = [records.column(part, cleaned=cleaned) for part in parts]
    if len(columns) == 1:
        return columns[0]
    texts = [[*column.values.to_pylist(), ""] for column in columns]
    codes = [column.codes.tolist() for column in columns]
    whole = [
        " ".join(filter(None, (text[code] for text, code in zip(texts, row, strict=True))))
        for row in zip(*codes, strict=True)
    ]
    return column_of(parts[-1], whole)


def column_of(name: str, texts: Sequence[str]) -> Column:
    """A column of texts; an empty text is missing."""
    values, places = np.unique(np.array(texts, str), return_inverse=True)
    missing = int(values.size > 0 and not values[0])
    codes: Codes = (places.reshape(-1) - missing).astype(np.int32)
    values = values[missing:]
    counts = np.bincount(codes[codes >= 0], minlength=values.size).astype(np.int64)
    return Column(name, codes, from_strings(values.tolist()), counts)


def split_items(text: str, separator: str) -> list[str]:
    """The items of a list, cleaned of blanks."""
    return [item for part in text.split(separator) if (item := " ".join(part.split()))]


def key_of_person(text: str) -> str:
    """First initial and last name of a person in any order of writing, as one word.

    >>> key_of_person("Lee, Ann B."), key_of_person("ann lee"), key_of_person("LEE A B")
    ('a_lee', 'a_lee', 'a_lee')
    """
    last, comma, rest = text.partition(",")
    words = WORD.findall((rest + " " + last if comma else text).lower())
    if not words:
        return ""
    if not comma and len(words[-1]) == 1 and len(words[0]) > 1:
        # "Lee A B" has the last name first
        return f"{words[1][0]}_{words[0]}"
    return f"{words[0][0]}_{words[-1]}" if len(words) > 1 else words[0]


def find_mentions(records: Records, profiles: Sequence[ColumnProfile]) -> MentionColumns | None:
    """The columns of a mention file; None for any other file."""
    if records.n < MIN_MENTIONS or len(records.source_names) > 1:
        return None
    rows = records.order[
        np.random.default_rng(0).choice(records.n, min(SAMPLE_ROWS, records.n), replace=False)
    ]
    persons = {
        profile.name: separator
        for profile in profiles
        if (separator := _list_separator(records.raw_texts(profile.name, rows)))
    }
    words = [_list_words(records.column(name)) for name in persons]
    ranks = {
        parts: rank
        for parts in _list_name_columns(records, profiles)
        if not set(parts) & set(persons)
        and (rank := _rank_names(join_names(records, parts), rows, words)) is not None
    }
    if not ranks:
        return _find_by_header(records, profiles, rows, persons)
    parts = min(ranks, key=lambda columns: ranks[columns])
    names = join_names(records, parts)
    if _repeated_share(records, names, (*parts, *persons), persons, profiles) > MAX_REPEATED:
        return None
    return MentionColumns(
        parts, persons, _explain(records, names, parts, f"other persons in {' and '.join(persons)}")
    )


def _find_by_header(
    records: Records,
    profiles: Sequence[ColumnProfile],
    rows: Ints,
    persons: dict[str, str],
) -> MentionColumns | None:
    """Mentions by header: a name and a title, beside a venue, an affiliation or other persons.

    Values alone do not separate authors of papers from artists of songs. Lists of persons share no
    word with the names where a file has few names and leaves the mentioned person out.
    """
    roles = find_roles(records)
    parts = _name_parts(roles) or ((roles["name"],) if "name" in roles else ())
    # subjects, genres and tags are lists of words as well, so that the header decides
    persons = {name: mark for name, mark in persons.items() if name == roles.get("coauthors")}
    if not parts or "title" not in roles:
        return None
    if not persons and not {"venue", "affiliation"} & roles.keys():
        return None
    names = join_names(records, parts)
    values = _sample(names, rows)
    if not values or not _may_hold_names(names, values):
        return None
    if _repeated_share(records, names, (*parts, *persons), persons, profiles) > MAX_REPEATED:
        return None
    contents = f"a title in {roles['title']}"
    if persons:
        contents += f" and other persons in {' and '.join(persons)}"
    return MentionColumns(parts, persons, _explain(records, names, parts, contents))


def _explain(records: Records, names: Column, parts: Sequence[str], contents: str) -> str:
    """The reason for reading a file as author mentions."""
    return (
        f"the file is read as author mentions: {len(names.values):,} names in "
        f"{' and '.join(parts)} for {records.n:,} records, and {contents}; "
        "--mentions off reads it as records"
    )


def _list_name_columns(
    records: Records, profiles: Sequence[ColumnProfile]
) -> list[tuple[str, ...]]:
    """Single columns, and the parts of a name by the names of their columns."""
    parts = _name_parts(find_roles(records))
    single: list[tuple[str, ...]] = [
        (profile.name,) for profile in profiles if not profile.is_surrogate
    ]
    return [*single, parts] if parts else single


def _name_parts(roles: Mapping[str, str]) -> tuple[str, ...]:
    """The columns of the parts of a name; none if there is only one."""
    parts = tuple(roles[role] for role in ("first", "middle", "last") if role in roles)
    return parts if len(parts) > 1 else ()


def _sample(column: Column, rows: Ints) -> list[str]:
    """The values of some records."""
    codes = column.codes[rows]
    return column.texts(codes[codes >= 0])


def _list_separator(values: Sequence[str]) -> str | None:
    """The separator of a column that lists persons; None for any other column."""
    if len(values) < MIN_MENTIONS:
        return None
    counts = {mark: sum(mark in value for value in values) for mark in SEPARATORS}
    least = MIN_SEPARATED * len(values)
    mark = next((mark for mark, count in counts.items() if count and count >= least), None)
    if mark is None:
        return None
    items = [item for value in values for item in split_items(value, mark)]
    lengths = [len(WORD.findall(item)) for item in items]
    is_list = (
        len(items) >= MIN_ITEMS * len(values)
        and np.mean([_has_name_form(item) for item in items]) >= MIN_NAME_SHARE
        and np.mean([length in NAME_LENGTHS for length in lengths]) >= MIN_NAME_LENGTHS
    )
    return mark if is_list else None


def _has_name_form(text: str) -> bool:
    """Whether a text has the number of words of a name and no digit."""
    has_digit = any(letter.isdigit() for letter in text)
    return 1 <= len(WORD.findall(text)) <= MAX_NAME_WORDS and not has_digit


def _may_hold_names(column: Column, values: Sequence[str]) -> bool:
    """Whether the statistics of a column, and of some of its values, are those of names."""
    filled = int(column.counts.sum())
    if filled < MIN_FILLED * column.codes.size or len(column.values) > MAX_DISTINCT * filled:
        return False
    has_words = np.mean([len(value.split()) for value in values]) >= MIN_MEAN_WORDS
    return bool(has_words and np.mean([_has_name_form(value) for value in values]) > MIN_NAME_SHARE)


def _rank_names(
    column: Column, rows: Ints, words: Sequence[Sequence[frozenset[str]]]
) -> tuple[float, float, int] | None:
    """The rank of a column as the column of names, the best lowest; None if it holds no names.

    A column that shares words with the lists goes before one that does not, and a column of full
    names before one of initials.
    """
    values = _sample(column, rows)
    if not values or not _may_hold_names(column, values):
        return None
    shared = max((_shared_share(column, rows, lists) for lists in words), default=0.0)
    if shared < MIN_SHARED_WORDS:
        return None
    tokens = [word for value in values for word in value.split()]
    single = float(np.mean([len(word) == 1 for word in tokens]))
    return -round(shared, 1), round(single, 1), -len(column.values)


def _list_words(column: Column) -> list[frozenset[str]]:
    """The words of a column of lists, by record."""
    sets = [frozenset(text.split()) for text in column.values.to_pylist()]
    return [sets[code] if code >= 0 else frozenset() for code in column.codes.tolist()]


def _shared_share(column: Column, rows: Ints, lists: Sequence[frozenset[str]]) -> float:
    """Share of names with a word that the lists of records with other names have too.

    The word counts if these lists have it at least MIN_SHARED_RECORDS as often as there are records
    of the name: words of a frequent venue or genre appear in some lists by accident.
    """
    words = [set(text.split()) for text in column.values.to_pylist()]
    everywhere: Counter[str] = Counter()
    within: Counter[tuple[int, str]] = Counter()
    for code, persons in zip(column.codes.tolist(), lists, strict=True):
        everywhere.update(persons)
        if code >= 0:
            within.update((code, word) for word in persons & words[code])
    hits = [
        any(
            everywhere[word] - within[code, word] >= MIN_SHARED_RECORDS * column.counts[code]
            for word in words[code]
            if len(word) >= MIN_WORD and everywhere[word] > within[code, word]
        )
        for code in column.codes[rows].tolist()
        if code >= 0
    ]
    return float(np.mean(hits))


def _repeated_share(
    records: Records,
    names: Column,
    used: Collection[str],
    persons: Collection[str],
    profiles: Sequence[ColumnProfile],
) -> float:
    """Share of records that repeat name, title and other persons of another record.

    The lists of persons count, because the title may be missing and a venue take its place. The
    title is the longest text that is not among the `used` columns of names and persons.
    """
    contents = [profile for profile in profiles if profile.name not in used]
    if not contents:
        return 0.0
    title = records.column(max(contents, key=lambda profile: profile.tokens * profile.filled).name)
    lists = [records.column(name).codes for name in persons]
    filled = (names.codes >= 0) & (title.codes >= 0)
    keys = np.stack([names.codes, title.codes, *lists], axis=1)[filled]
    _, place, counts = np.unique(keys, axis=0, return_inverse=True, return_counts=True)
    return float((counts[place.reshape(-1)] > 1).mean()) if len(keys) else 0.0
