"""Groups of words: one column of long texts is compared as several columns.

No second column can confirm a match where one column is compared. The words of a line of text,
such as a citation or an address, are evidence from several sources: the words are divided into
groups by their first letter, so that most misspelt and abbreviated words stay in their group, and
each group is compared as a column of its own.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import replace

import numpy as np

from partita.data import Column, ColumnProfile
from partita.data.arrow import from_strings
from partita.linkage.settings import ColumnSettings

__all__ = ["choose_word_groups", "group_words", "parse_group", "split_column"]

GROUPS = 4
"""Groups of words. Origin: lines of five sets (citations, sites, people) and titles of two, all in
view, the prior without their domain: the lowest F1 is .68 with 4 groups, .46 and .39 with 2 and 3,
and .00 with whole texts. Texts of fewer words stay whole: each group needs a word."""
LETTERS = "s1c2pamtd0br3eif4hlg5ow6un7v8j9kyqzx"
"""First letters of English words by descending frequency, with digits among them."""
TEXT_TYPES = ("long text", "address", "full name", "list")
"""Types of columns that are split."""
NAME = re.compile(r"(?P<column>.+) \((?P<group>\d+) of (?P<groups>\d+)\)")


def choose_word_groups(
    columns: Mapping[str, ColumnSettings], profiles: Sequence[ColumnProfile]
) -> dict[str, ColumnSettings]:
    """Divide the words of the compared column, if there is one only; its type is then long text.

    A column with a comparison or with groups stays as it is.
    """
    compared = [name for name, column in columns.items() if column.role == "compare"]
    words = {profile.name: profile.tokens for profile in profiles}
    if len(compared) != 1 or words[compared[0]] <= GROUPS:
        return dict(columns)
    column = columns[compared[0]]
    if column.type not in TEXT_TYPES or column.comparison or column.word_groups:
        return dict(columns)
    split = replace(column, type="long text", word_groups=GROUPS)
    return {**columns, compared[0]: split}


def parse_group(name: str, columns: Container[str] = ()) -> tuple[str, int, int]:
    """The column, the group and the number of groups of a name; group 0 of 1 is a whole column.

    A name in `columns` is that of a whole column.

    >>> parse_group("citation (2 of 4)")
    ('citation', 1, 4)
    """
    parts = None if name in columns else NAME.fullmatch(name)
    if parts is None:
        return name, 0, 1
    return parts["column"], int(parts["group"]) - 1, int(parts["groups"])


def group_words(text: str, group: int, groups: int) -> str:
    """The words of one group of a cleaned text, in their order.

    >>> [group_words("ann lee 12 bath road ely", k, 2) for k in range(2)]
    ['road', 'ann lee 12 bath ely']
    """
    return " ".join(word for word in text.split() if _group_of(word, groups) == group)


def split_column(column: Column, groups: int) -> list[Column]:
    """One column for each group of words; missing where a text has no word of the group."""
    texts = column.values.to_pylist()
    return [
        _encode(f"{column.name} ({k + 1} of {groups})", column, group_texts)
        for k, group_texts in enumerate(
            [group_words(text, k, groups) for text in texts] for k in range(groups)
        )
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
