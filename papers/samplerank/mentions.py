"""Documents with gold mentions: LitBank and GUM, with the attributes of each mention."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from papers.samplerank.data import folder
from partita.kernel import Ints

__all__ = ["CORPORA", "Document", "Mention", "corpus"]

MASCULINE = {"he", "him", "his", "himself", "mr.", "mr", "sir", "lord", "king", "man", "boy"}
MASCULINE |= {"father", "son", "brother", "uncle", "husband", "gentleman"}
FEMININE = {"she", "her", "hers", "herself", "mrs.", "mrs", "miss", "lady", "queen", "woman"}
FEMININE |= {"girl", "mother", "daughter", "sister", "aunt", "wife"}
PLURAL = {"we", "us", "our", "ours", "ourselves", "they", "them", "their", "theirs"}
PLURAL |= {"themselves", "these", "those", "people", "men", "women", "children"}
NEUTRAL = {"i", "me", "my", "mine", "myself", "you", "your", "yours", "yourself", "thou", "thee"}
NEUTRAL |= {"it", "its", "itself", "this", "that", "who", "whom", "whose", "which"}
PRONOUNS = NEUTRAL | PLURAL - {"people", "men", "women", "children"}
PRONOUNS |= {"he", "him", "his", "himself", "she", "her", "hers", "herself"}
ENDS = {"of", "in", "on", "at", "with", "who", "which", "that", "from", "to", "for", ",", "and"}
STOPS = {".", "!", "?"}


@dataclass(frozen=True)
class Mention:
    """One noun phrase: its words, kind of phrase, type of entity, and place."""

    words: tuple[str, ...]
    head: str
    form: str
    type: str
    gender: str
    number: str
    sentence: int
    begin: int
    end: int

    @property
    def text(self) -> str:
        """All words."""
        return " ".join(self.words)


@dataclass(frozen=True)
class Document:
    """The mentions of one text, in order, and the entity of each."""

    name: str
    mentions: list[Mention]
    entity: Ints


def mention(words: list[str], form: str, kind: str, sentence: int, begin: int, end: int) -> Mention:
    """A mention with its head (the last word before a modifier), gender and number."""
    lower = [word.lower() for word in words]
    cut = next((k for k, word in enumerate(lower) if k > 0 and word in ENDS), len(lower))
    head = lower[cut - 1]
    gender = "m" if MASCULINE & set(lower[:cut]) else ""
    gender += "f" if FEMININE & set(lower[:cut]) else ""
    plural = head in PLURAL or (form == "NOM" and head.endswith("s") and not head.endswith("ss"))
    return Mention(
        tuple(lower), head, form, kind, gender, "p" if plural else "s", *(sentence, begin, end)
    )


def litbank(text: dict[str, Any]) -> Iterable[tuple[Mention, Any]]:
    """Mentions of one novel."""
    starts = np.cumsum([0, *(len(row) for row in text["sentences"])])
    for row in text["mentions"]:
        begin, end = starts[row["sent"]] + row["start"], starts[row["end_sent"]] + row["end"]
        place = (row["sent"], int(begin), int(end))
        yield mention(row["text"].split(), row["form"], row["type"], *place), row["entity"]


def gum(text: dict[str, Any]) -> Iterable[tuple[Mention, Any]]:
    """Mentions of one text; kinds of phrases are guessed from the words."""
    tokens = text["tokens"]
    sentence = np.cumsum([0, *(token in STOPS for token in tokens)])
    for row in text["mentions"]:
        begin, end = row["start"], row["end"]
        words = tokens[begin : end + 1]
        first = begin == 0 or sentence[begin] != sentence[begin - 1]
        form = "NOM"
        if len(words) == 1 and words[0].lower() in PRONOUNS:
            form = "PRON"
        elif any(word[0].isupper() for word in words[1 if first else 0 :]):
            form = "PROP"
        yield mention(words, form, row["type"], int(sentence[begin]), begin, end), row["entity"]


CORPORA = {"litbank": ("litbank_coref.jsonl", litbank), "gum_coref": ("gum_coref.jsonl", gum)}


def corpus(name: str, documents: int | None, most: int, seed: int = 0) -> list[Document]:
    """Documents in random order, each cut after its first mentions; masked texts are left out."""
    file, mentions_of = CORPORA[name]
    lines = folder(name, file).read_text(encoding="utf-8").splitlines()
    texts = [text for text in map(json.loads, lines) if not text.get("masked")]
    order = np.random.default_rng(seed).permutation(len(texts))[:documents]
    corpora = []
    for k in order:
        pairs = sorted(mentions_of(texts[k]), key=lambda pair: (pair[0].begin, -pair[0].end))[:most]
        # a mention without an entity is one of its own
        codes: dict[Any, int] = {}
        entity = [codes.setdefault(e or ("", at), len(codes)) for at, (_, e) in enumerate(pairs)]
        corpora.append(Document(texts[k]["doc"], [m for m, _ in pairs], np.array(entity, np.int64)))
    return corpora
