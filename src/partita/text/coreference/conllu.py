"""Documents of CoNLL-U files with the Entity annotation of CorefUD."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from partita.errors import InputError
from partita.text.coreference.documents import Document, Mention, build_document

__all__ = ["read_conllu"]

COLUMNS = 10
"""Columns of a token line."""
PART = re.compile(r"\(([^()]*)\)|\(([^()]*)|([^()]+)\)")
"""One annotation: a mention of one token, an opened mention, or a closed one."""
MAX_COVERED = 1_000
"""Words of a multiword token at most; languages have fewer than ten."""
FORMS = {"PRON": "PRON", "DET": "PRON", "PROPN": "PROP", "NOUN": "NOM"}
"""The form of a mention by the part of speech of its head."""


@dataclass
class _Reader:
    """The document that is being read."""

    name: str
    parts: list[str] = field(default_factory=list)
    """Pieces of the text."""
    length: int = 0
    """Characters of the pieces."""
    sentences: list[int] = field(default_factory=list)
    mentions: list[Mention] = field(default_factory=list)
    words: list[tuple[int, int, str]] = field(default_factory=list)
    """Start, end and part of speech of each word."""
    open: dict[str, list[tuple[int, list[str]]]] = field(default_factory=dict)
    """First word and attributes of the open mentions, by entity."""
    names: list[str] = field(default_factory=lambda: ["eid", "etype", "head", "other"])
    """Attributes of an opened mention, which a comment of the file lists."""

    def add_text(self, form: str, misc: str) -> tuple[int, int]:
        """Append a token; return its first character and the one after its last."""
        start = self.length
        self.parts += [form, "" if "SpaceAfter=No" in misc else " "]
        self.length += len(form) + len(self.parts[-1])
        return start, start + len(form)


def read_conllu(text: str, name: str) -> list[Document]:
    """Read the documents of a file; annotated entities are kept for evaluation."""
    reader = _Reader(name)
    documents: list[Document] = []
    names, is_new, covered = reader.names, True, 0
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        if line.startswith("# newdoc"):
            documents += _finish(reader)
            match = re.search(r"id\s*=\s*(.+)", line)
            label = match[1].strip() if match else f"{name} {len(documents) + 1}"
            reader, is_new = _Reader(label, names=names), True
        elif line.startswith("# global.Entity"):
            names = reader.names = line.partition("=")[2].strip().split("-")
        elif not line.strip():
            is_new, covered = True, 0
        elif not line.startswith("#"):
            if is_new:
                reader.sentences.append(reader.length)
            covered = _add_line(reader, line, covered, f"{name}, line {number}")
            is_new = False
    documents += _finish(reader)
    if not documents:
        raise InputError(f"{name} has no mentions; give CoNLL-U with Entity= in the last column")
    return documents


def _finish(reader: _Reader) -> list[Document]:
    text = "".join(reader.parts).rstrip()
    if not text or not reader.mentions:
        return []
    spans = {
        (mention.start, mention.end): replace(mention, text=text[mention.start : mention.end])
        for mention in reversed(reader.mentions)
    }
    return [build_document(reader.name, text, spans.values(), reader.sentences)]


def _add_line(reader: _Reader, line: str, covered: int, where: str) -> int:
    """Add a token line; return the last word that a multiword token covers."""
    columns = line.split("\t")
    if len(columns) != COLUMNS:
        raise InputError(f"{where} has {len(columns)} columns; give {COLUMNS}, between tabs")
    id, form, _, upos, *_, misc = columns
    if "." in id:
        # an empty node has no place in the text
        return covered
    first, last = _read_number(id, where)
    if "-" in id:
        span = reader.add_text(form, misc)
        reader.words += [(*span, "X")] * (last - first + 1)
        return last
    place = len(reader.words) - (covered - first) - 1
    if first <= covered and place >= 0:
        reader.words[place] = (*reader.words[place][:2], upos)
    else:
        place = len(reader.words)
        reader.words.append((*reader.add_text(form, misc), upos))
    for item in misc.split("|"):
        if item.startswith("Entity="):
            _add_entities(reader, item.removeprefix("Entity="), place, where)
    return covered


def _read_number(id: str, where: str) -> tuple[int, int]:
    """Read the number of a word, or the first and the last word of a multiword token."""
    match = re.fullmatch(r"([0-9]{1,9})(?:-([0-9]{1,9}))?", id)
    if match is not None:
        first, last = int(match[1]), int(match[2] or match[1])
        if 0 <= last - first < MAX_COVERED:
            return first, last
    raise InputError(
        f"{where} has the word number {id[:20]!r}; give 3, or 3-4 for a token of several words"
    )


def _add_entities(reader: _Reader, value: str, place: int, where: str) -> None:
    """Open and close the mentions of one word."""
    for single, opened, closed in PART.findall(value):
        attributes = (single or opened).split("-")
        entity = closed or attributes[0]
        if not closed:
            reader.open.setdefault(entity, []).append((place, attributes))
        if single or closed:
            if not reader.open.get(entity):
                raise InputError(
                    f"{where} closes the mention {entity!r}, which no word opens; open it"
                )
            first, attributes = reader.open[entity].pop()
            _add_mention(reader, first, place, attributes)


def _add_mention(reader: _Reader, first: int, last: int, attributes: list[str]) -> None:
    known = dict(zip(reader.names, attributes, strict=False))
    start, end = reader.words[first][0], reader.words[last][1]
    head = known.get("head", "")
    place = first + int(head) - 1 if head.isdecimal() else last
    upos = reader.words[min(max(place, first), last)][2]
    reader.mentions.append(
        Mention(
            start,
            end,
            "",
            type=known.get("etype", ""),
            form=FORMS.get(upos, ""),
            id=str(len(reader.mentions) + 1),
            entity=re.sub(r"\[.*\]$", "", attributes[0]),
            link=known.get("identity", ""),
        )
    )
