"""AIDA-CoNLL and GUM as documents with gold mentions."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any
from urllib.parse import unquote

from papers.samplerank.data import folder
from partita.text.coreference.documents import Document, Mention, build_document, join_tokens

__all__ = ["TRANSCRIPTS", "genre", "load_aida", "load_gum", "read_articles"]

TRANSCRIPTS = ("conversation", "court", "interview", "podcast", "speech", "vlog")
"""Genres of GUM that are transcribed speech."""
STOPS = {".", "!", "?"}


def read_lines(name: str, file: str) -> Iterator[dict[str, Any]]:
    """Read the JSON lines of a set."""
    for line in folder(name, file).read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


@cache
def read_articles() -> dict[str, dict[str, str]]:
    """Articles of Pershina's table by page id: title, name, type and number of in-links."""
    with folder("aida_conll", "pprforned_entities.tsv").open(encoding="utf-8") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return {
            row["id"]: {**row, "title": unquote(row["url"].rsplit("/wiki/", 1)[-1])} for row in rows
        }


def find_title(item: dict[str, Any]) -> str:
    """The title of an annotated article: by its page id, because titles may be redirects."""
    known = read_articles().get(str(item["wiki_id"]))
    if known is not None:
        return known["title"]
    return re.sub(r"\\u([0-9a-f]{4})", lambda m: chr(int(m[1], 16)), item["wiki"] or "")


def load_aida(split: str, only_linked: bool = False) -> list[Document]:
    """Documents of AIDA-CoNLL with their names; the entity of a name is its article.

    With `only_linked`, names without an article are left out; otherwise equal names of a document
    without an article count as one entity, which is not annotated.
    """
    documents = []
    for row in read_lines("aida_conll", "aida_conll.jsonl"):
        if row["split"] != split:
            continue
        text, offsets, starts = join_tokens(row["sentences"])
        mentions = [
            Mention(
                offsets[item["start"]][0],
                offsets[item["end"] - 1][1],
                item["text"],
                type=item["type"],
                form="PROP",
                id=str(k),
                entity=find_title(item) or f"NIL {item['text']}",
                link=find_title(item),
            )
            for k, item in enumerate(row["mentions"])
            if item["wiki"] or not (only_linked or item.get("no_aida"))
        ]
        if mentions:
            documents.append(build_document(row["doc"], text, mentions, starts))
    return documents


def load_gum(*splits: str) -> list[Document]:
    """Documents of GUM with all gold mentions; masked texts are left out."""
    documents = []
    for row in read_lines("gum_coref", "gum_coref.jsonl"):
        if row["split"] not in splits or row["masked"]:
            continue
        text, offsets, starts = join_tokens(_cut_sentences(row["tokens"]))
        spans: dict[tuple[int, int], Mention] = {}
        for item in row["mentions"]:
            start, end = offsets[item["start"]][0], offsets[item["end"]][1]
            entity, link = str(item["entity"]), item["wiki"] or ""
            # of two annotations of the same words, the first is kept
            spans.setdefault(
                (start, end),
                Mention(start, end, text[start:end], item["type"], entity=entity, link=link),
            )
        documents.append(build_document(row["doc"], text, spans.values(), starts))
    return documents


def _cut_sentences(tokens: list[str]) -> list[list[str]]:
    sentences: list[list[str]] = [[]]
    for token in tokens:
        sentences[-1].append(token)
        if token in STOPS:
            sentences.append([])
    return [sentence for sentence in sentences if sentence]


def genre(document: Document) -> str:
    """The genre of a document of GUM, from its name."""
    return document.name.split("_")[1]
