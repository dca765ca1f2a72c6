"""Documents with given mentions: character offsets, in order of appearance."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from partita.errors import InputError

__all__ = ["Document", "Mention", "build_document", "join_tokens"]


@dataclass(frozen=True)
class Mention:
    """A phrase that refers to an entity: characters [start, end) of its document."""

    start: int
    end: int
    text: str
    type: str = ""
    """The type of the entity, such as PERSON; empty if unknown."""
    form: str = ""
    """PRON, NOM or PROP; empty if unknown."""
    id: str = ""
    entity: str = ""
    """The annotated entity, for training and evaluation; empty if unknown."""
    link: str = ""
    """The annotated record of a knowledge base; empty if unknown or none."""


@dataclass(frozen=True)
class Document:
    """A text with its mentions, in order of start; of two with one start, the longer first."""

    name: str
    text: str
    mentions: tuple[Mention, ...]
    sentences: tuple[int, ...] = ()
    """The first character of each sentence; empty if unknown."""


def build_document(
    name: str, text: str, mentions: Iterable[Mention], sentences: Sequence[int] = ()
) -> Document:
    """Check the offsets of mentions and sort them.

    Nested and crossing mentions are allowed; two mentions of the same characters are not.
    """
    if not text.strip():
        raise InputError(f"document {name!r} has no text; remove it or give its text")
    ordered = sorted(mentions, key=lambda mention: (mention.start, -mention.end))
    labels = (part for m in ordered for part in (m.type, m.form, m.id, m.entity, m.link))
    try:
        "".join((name, text, *labels)).encode()
    except UnicodeEncodeError as error:
        raise InputError(
            f"document {name!r} has half of a surrogate pair, {error.object[error.start]!r}, which "
            "is no character; correct it"
        ) from None
    if not ordered:
        raise InputError(
            f"document {name!r} has no mentions; give mentions, which Partita does not detect"
        )
    for mention in ordered:
        if not 0 <= mention.start < mention.end <= len(text):
            raise InputError(
                f"document {name!r}: mention {mention.id or mention.text!r} has the offsets "
                f"{mention.start}-{mention.end}, outside the text of {len(text):,} characters; "
                "count characters from 0, end excluded"
            )
    for before, after in itertools.pairwise(ordered):
        if (before.start, before.end) == (after.start, after.end):
            raise InputError(
                f"document {name!r}: two mentions have the offsets {after.start}-{after.end} "
                f"({after.text!r}); remove one"
            )
    return Document(name, text, tuple(ordered), tuple(sentences))


def join_tokens(sentences: Sequence[Sequence[str]]) -> tuple[str, list[tuple[int, int]], list[int]]:
    """Join tokens by spaces; return the text, the offsets of tokens and the sentence starts."""
    parts: list[str] = []
    offsets: list[tuple[int, int]] = []
    starts: list[int] = []
    at = 0
    for sentence in sentences:
        starts.append(at)
        for token in sentence:
            parts.append(token)
            offsets.append((at, at + len(token)))
            at += len(token) + 1
    return " ".join(parts), offsets, starts
