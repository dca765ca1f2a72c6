"""Groups of words: one column of text is compared as several columns.

No second column can confirm a match where one column is compared. The words of a line of text,
such as a citation or an address, are evidence from several sources. Long texts are divided by the
first letter of their words, so that most misspelt and abbreviated words stay in their group. Names
are divided into the first word, the last word and the words between. Each group is compared as a
column of its own.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import replace

import numpy as np

from partita.comparison import automatic_comparison
from partita.data import Column, ColumnProfile
from partita.data.arrow import from_strings
from partita.linkage.settings import ColumnSettings, Settings

__all__ = [
    "GROUP_TITLES",
    "choose_word_groups",
    "group_by_letter",
    "group_by_position",
    "group_words",
    "has_automatic_comparison",
    "is_long_text",
    "parse_group",
    "split_column",
]

LETTER_GROUPS = 4
"""Groups of words by first letter. Origin: lines of five sets (citations, sites, people) and titles
of two, all in view, the prior without their domain: the lowest F1 is .68 with 4 groups, .46 and .39
with 2 and 3, and .00 with whole texts. Texts need more words than groups."""
POSITIONS = ("first word", "middle words", "last word")
MIN_WORDS = 1.5
"""Words per text, on average, from which positions divide them. Origin: a choice; most texts then
have two."""
LETTERS = "s1c2pamtd0br3eif4hlg5ow6un7v8j9kyqzx"
"""First letters of English words by descending frequency, with digits among them."""
TEXT_TYPES = ("long text", "address", "full name", "list", "code")
"""Types of columns that letters divide; the profile types a text with digits as a code."""
NAME_TYPES = (*TEXT_TYPES, "surname", "given name")
"""Types of columns that positions divide."""
GROUP_TITLES = {
    "letters": tuple(f"{k + 1} of {LETTER_GROUPS}" for k in range(LETTER_GROUPS)),
    "positions": POSITIONS,
}
"""The title of each group in the name of its column, by the kind of groups."""
NAME = re.compile(r"(?P<column>.+) \((?P<title>[^()]+)\)")


def choose_word_groups(
    columns: Mapping[str, ColumnSettings], profiles: Sequence[ColumnProfile], one_to_one: bool
) -> dict[str, ColumnSettings]:
    """Choose the groups of words of the compared column, if there is one.

    Letters divide long texts, whose type is then long text. Positions divide names where two
    readings agree. The groups stay open ("auto") where they depend on the candidate pairs: those of
    names, and those of long texts that are linked one to one. A column with another comparison than
    that of its type, or with groups, stays as it is.
    """
    compared = [name for name, column in columns.items() if column.role == "compare"]
    if len(compared) != 1:
        return dict(columns)
    name, column = compared[0], columns[compared[0]]
    if column.word_groups or not has_automatic_comparison(column):
        return dict(columns)
    words = next(profile.tokens for profile in profiles if profile.name == name)
    if column.type in TEXT_TYPES and words > LETTER_GROUPS:
        groups = "auto" if one_to_one else "letters"
        column = replace(column, type="long text", comparison=None, word_groups=groups)
    elif column.type in NAME_TYPES and MIN_WORDS <= words <= LETTER_GROUPS:
        column = replace(column, word_groups="auto")
    return {**columns, name: column}


def has_automatic_comparison(column: ColumnSettings) -> bool:
    """Whether a column has no comparison, or that of its type, with or without codes."""
    if column.comparison is None or column.type is None:
        return column.comparison is None
    return any(
        column.comparison == automatic_comparison(column.type, has_codes)
        for has_codes in (False, True)
    )


def is_long_text(column: Column) -> bool:
    """Whether the texts of a column have more words than there are groups, on average."""
    words = [len(text.split()) for text in column.values.to_pylist()]
    return bool(words @ column.counts > LETTER_GROUPS * column.counts.sum())


def group_by_letter(settings: Settings, name: str) -> Settings:
    """Settings that divide the words of a column by first letter and compare them as long text."""
    column = replace(settings.columns[name], word_groups="letters")
    if column.type != "long text":
        column = replace(column, type="long text", comparison=automatic_comparison("long text"))
    return settings.replaced(columns={**settings.columns, name: column})


def group_by_position(settings: Settings, name: str) -> Settings:
    """Settings that divide the words of a column by position and compare them as surnames."""
    column = ColumnSettings("surname", "compare", automatic_comparison("surname"), "positions")
    return settings.replaced(columns={**settings.columns, name: column})


def parse_group(name: str, columns: Container[str] = ()) -> tuple[str, str | None, int]:
    """The column, the kind and the number of the group of a name; whole columns have no kind.

    A name in `columns` is that of a whole column.

    >>> parse_group("citation (2 of 4)")
    ('citation', 'letters', 1)
    """
    parts = None if name in columns else NAME.fullmatch(name)
    if parts is not None:
        for kind, titles in GROUP_TITLES.items():
            if parts["title"] in titles:
                return parts["column"], kind, titles.index(parts["title"])
    return name, None, 0


def group_words(text: str, kind: str, group: int) -> str:
    """The words of one group of a cleaned text, in their order.

    >>> [group_words("ann lee 12 bath road ely", "letters", k) for k in range(4)]
    ['', '12', 'ann lee bath ely', 'road']
    >>> [group_words("ann de la lee", "positions", k) for k in range(3)]
    ['ann', 'de la', 'lee']
    """
    words = text.split()
    if kind == "positions":
        last = max(len(words) - 1, 1)
        return " ".join((words[:1], words[1:last], words[last:])[group])
    return " ".join(word for word in words if _group_of(word, LETTER_GROUPS) == group)


def split_column(column: Column, kind: str) -> list[Column]:
    """One column for each group of words; missing where a text has no word of the group."""
    texts = column.values.to_pylist()
    return [
        _encode(f"{column.name} ({title})", column, [group_words(text, kind, k) for text in texts])
        for k, title in enumerate(GROUP_TITLES[kind])
    ]


def _encode(name: str, column: Column, texts: list[str]) -> Column:
    values, place = np.unique(np.array(texts, object), return_inverse=True)
    first = int(values.size > 0 and values[0] == "")
    code = np.append(place.reshape(-1) - first, -1).astype(np.int32)
    codes = code[column.codes]
    counts = np.bincount(codes[codes >= 0], minlength=values.size - first).astype(np.int64)
    return Column(name, codes, from_strings(values[first:].tolist()), counts)


def _group_of(word: str, groups: int) -> int:
    """The group of a word; letters are dealt to and fro, so that groups are about equal."""
    turn, place = divmod(LETTERS.find(word[0]), groups)
    if turn < 0:
        return ord(word[0]) % groups
    return place if turn % 2 == 0 else groups - 1 - place
