"""Read documents with mentions: JSON with offsets, CoNLL-U with entities (CorefUD), BRAT."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from partita.errors import InputError
from partita.text.coreference.conllu import read_conllu
from partita.text.coreference.documents import Document, Mention, build_document

__all__ = ["SUFFIXES", "list_paths", "read_documents"]

SUFFIXES = (".json", ".jsonl", ".conllu", ".ann", ".txt")
"""Endings of files with documents; .txt is the text of the .ann file beside it."""


def read_documents(data: Any) -> list[Document]:
    """Read documents from paths, dictionaries or documents, one or several of each."""
    items = [data] if isinstance(data, str | Path | Mapping | Document) else list(data)
    documents: list[Document] = []
    for number, item in enumerate(items):
        if isinstance(item, Document):
            documents.append(item)
        elif isinstance(item, Mapping):
            documents.append(_from_mapping(item, f"document {number + 1}"))
        elif isinstance(item, str | Path):
            documents += _read_file(Path(item))
        else:
            raise InputError(
                f"a {type(item).__name__} is no document; give a path, a dictionary with text and "
                "mentions, or a Document"
            )
    if not documents:
        raise InputError("there is no document; give at least one file")
    for document in documents:
        _check_crossing(document)
    return documents


def _read_file(path: Path) -> list[Document]:
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise InputError(
            f"{path} has an unknown format; give a file that ends in {', '.join(SUFFIXES)}"
        )
    text = _read_text(path)
    if not text.strip():
        raise InputError(f"{path} is empty; give a document with text and mentions")
    if suffix == ".conllu":
        return read_conllu(text, path.stem)
    if suffix in (".ann", ".txt"):
        return [_read_brat(path)]
    return [
        _from_mapping(item, f"{path.name}, document {number + 1}")
        for number, item in enumerate(_parse_json(text, path))
    ]


def _read_text(path: Path) -> str:
    try:
        # newlines stay as they are, because offsets count them
        with path.open(encoding="utf-8", newline="") as file:
            return file.read().removeprefix("\ufeff")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {error}; give a text file in UTF-8") from None


def _parse_json(text: str, path: Path) -> Iterator[Any]:
    """Yield one object, the objects of a list, or one object for each line."""
    try:
        if path.suffix.lower() == ".jsonl":
            # a string may hold other line separators than \n
            yield from (json.loads(line) for line in text.split("\n") if line.strip())
        else:
            content = json.loads(text)
            yield from content if isinstance(content, list) else [content]
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is no JSON: {error}; correct it") from None


def _from_mapping(item: Any, where: str) -> Document:
    """Build a document from {"text": ..., "mentions": [{"start": ..., "end": ...}]}."""
    if not isinstance(item, Mapping) or not isinstance(item.get("text"), str):
        raise InputError(f'{where} has no text; give {{"text": "...", "mentions": [...]}}')
    text, name = item["text"], str(item.get("doc", item.get("id", where)))
    entries = item.get("mentions")
    if not isinstance(entries, Sequence) or isinstance(entries, str):
        raise InputError(f"{where} has no list of mentions; give start and end of each mention")
    mentions = [_mention(entry, k, text, where) for k, entry in enumerate(entries)]
    return build_document(name, text, mentions)


def _mention(entry: Any, number: int, text: str, where: str) -> Mention:
    if not isinstance(entry, Mapping) or not all(
        isinstance(entry.get(key), int) and not isinstance(entry.get(key), bool)
        for key in ("start", "end")
    ):
        raise InputError(
            f"{where}: mention {number + 1} has no whole numbers start and end; give character "
            "offsets"
        )
    start, end = entry["start"], entry["end"]
    known = {key: str(entry.get(key) or "") for key in ("type", "form", "entity", "link")}
    label = str(entry.get("id", number + 1))
    return Mention(start, end, text[max(start, 0) : max(end, 0)], id=label, **known)


def _read_brat(path: Path) -> Document:
    """Read the text and the text-bound annotations (T lines) of a BRAT document."""
    text_path, notes_path = path.with_suffix(".txt"), path.with_suffix(".ann")
    for missing in (text_path, notes_path):
        if not missing.exists():
            raise InputError(
                f"{path.name} has no {missing.name} beside it; a BRAT document has both files"
            )
    text, mentions = _read_text(text_path), []
    for number, line in enumerate(_read_text(notes_path).split("\n"), 1):
        if not line.startswith("T"):
            continue
        try:
            label, span, quoted = line.split("\t", 2)
            type, *offsets = span.replace(";", " ").split()
            numbers = [int(offset) for offset in offsets]
            parts = list(zip(numbers[::2], numbers[1::2], strict=True))
            start, end = parts[0][0], parts[-1][1]
        except (ValueError, IndexError):
            raise InputError(
                f"{notes_path.name}, line {number}: {line[:60]!r} is no annotation of text; write "
                "ID, TAB, type, start, end, TAB, text"
            ) from None
        _check_quoted(quoted, text, parts, f"{notes_path.name}, line {number}")
        mentions.append(Mention(start, end, text[max(start, 0) : max(end, 0)], type, id=label))
    return build_document(path.stem, text, mentions)


def _check_quoted(quoted: str, text: str, parts: list[tuple[int, int]], where: str) -> None:
    """Refuse an annotation whose quoted text differs from the text at its offsets.

    BRAT writes a line break within a span as a space, and a space between the parts of a
    discontinuous span. White space is therefore not compared.
    """
    if not all(0 <= start < end <= len(text) for start, end in parts):
        return  # `build_document` refuses these offsets
    spanned = " ".join(" ".join(text[start:end] for start, end in parts).split())
    if spanned != " ".join(quoted.split()):
        raise InputError(
            f"{where}: the annotation quotes {quoted.strip()!r}, but the text at its offsets is "
            f"{spanned!r}; correct the offsets or the text"
        )


def _check_crossing(document: Document) -> None:
    """Refuse mentions that overlap without one inside the other."""
    open_mentions: list[Mention] = []
    for mention in document.mentions:
        while open_mentions and open_mentions[-1].end <= mention.start:
            open_mentions.pop()
        if open_mentions and mention.end > open_mentions[-1].end:
            other = open_mentions[-1]
            raise InputError(
                f"document {document.name!r}: mentions {_label(other)} and {_label(mention)} "
                "overlap without one inside the other; remove one"
            )
        open_mentions.append(mention)


def _label(mention: Mention) -> str:
    return f"{mention.text!r} ({mention.start}-{mention.end})"


def list_paths(files: Iterable[str]) -> list[Path]:
    """Paths of documents; a text file beside its annotations counts once."""
    paths: dict[Path, None] = {}
    for name in files:
        path = Path(name)
        is_brat = path.suffix.lower() in (".ann", ".txt")
        paths[path.with_suffix(".ann") if is_brat else path] = None
    return list(paths)
