"""Attributes of mentions as arrays: words, head, form, gender, number, place in the text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from partita.kernel import Ints
from partita.text.coreference.documents import Document, Mention

__all__ = [
    "FORMS",
    "NOM",
    "PRON",
    "PROP",
    "Attributes",
    "describe_mentions",
    "is_name",
    "normalise_name",
]

PRON, NOM, PROP = 0, 1, 2
FORMS = ("PRON", "NOM", "PROP")
TOKEN = re.compile(r"['’]s\b|\w+(?:[.\-]\w+|['’](?!s\b)\w+)*\.?(?<!\w\w\.)|[^\w\s]")
"""A possessive, a word with inner points and hyphens, or one other character. The point after a
single letter belongs to the word, as in U.S."""

PRONOUNS = {
    "first": "i me my mine myself",
    "plural first": "we us our ours ourselves",
    "second": "you your yours yourself yourselves thou thee thy",
    "masculine": "he him his himself",
    "feminine": "she her hers herself",
    "neuter": "it its itself",
    "plural": "they them their theirs themselves",
    "demonstrative": "this that these those",
    "relative": "who whom whose which",
    "other": "one someone somebody everyone everybody anyone anybody none something anything "
    "everything nothing here there each both all some other others another",
}
PRONOUN_KIND = {word: kind for kind, words in PRONOUNS.items() for word in words.split()}


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


MASCULINE = _words(
    "he him his himself mr mr. sir lord king prince man men boy boys father son brother uncle "
    "husband gentleman dad grandfather nephew guy"
)
FEMININE = _words(
    "she her hers herself mrs mrs. ms ms. miss lady queen princess woman women girl girls mother "
    "daughter sister aunt wife mom grandmother niece"
)
PLURAL = _words(
    "we us our ours ourselves they them their theirs themselves these those people men women "
    "children police both all some others"
)
DETERMINERS = {
    **dict.fromkeys(("the",), "definite"),
    **dict.fromkeys(("a", "an", "some", "any", "every", "each", "no", "another"), "indefinite"),
    **dict.fromkeys(("this", "that", "these", "those", "such"), "demonstrative"),
    **dict.fromkeys(("my", "your", "his", "her", "its", "our", "their"), "possessive"),
}
HEAD_ENDS = _words("of in on at with who which that from to for by , and or ( - : ; where when")
"""Words that end the noun phrase proper: its head is the word before."""
CACHED_NAMES = 1 << 16
"""Normalised names that are kept, because names and titles repeat. Origin: a choice."""
STOPS = {".", "!", "?"}
POSSESSIVE = {"'s", "’s", "'", "’"}
MASCULINE_CODE, FEMININE_CODE = 1, 2


class Attributes(NamedTuple):
    """Codes of the mentions of one document; equal codes mean equal values."""

    form: Ints
    kind: Ints
    """Pronoun class, or determiner of a noun phrase, or name."""
    type: Ints
    """0 if unknown."""
    gender: Ints
    number: Ints
    head: Ints
    text: Ints
    first: Ints
    """The first and the last word of the name, without determiner and possessive."""
    last: Ints
    prefix: Ints
    """The first letters of the head."""
    initials: Ints
    """Of the capitalised words; 0 if there is at most one."""
    letters: Ints
    """The text without points, to compare with initials."""
    before: Ints
    """The word before the mention, and the word after it."""
    after: Ints
    sentence: Ints
    begin: Ints
    """The first token, and the token after the last one."""
    end: Ints
    length: Ints
    words: list[frozenset[int]]
    """Codes of the content words."""
    tokens: Ints
    """Codes of the tokens of the document."""


def code(text: str) -> int:
    """A number of a text, the same in every run; 0 for an empty text."""
    return crc32(text.encode()) + 1 if text else 0


@lru_cache(CACHED_NAMES)
def normalise_name(text: str) -> str:
    """A name in lower case without a leading article, a final possessive, points and spaces."""
    lower = " ".join(text.replace("_", " ").split()).casefold()
    for ending in (" 's", "'s", " ’s", "’s", " '", "'"):
        lower = lower.removesuffix(ending)
    lower = lower.removeprefix("the ")
    return re.sub(r"(?<=\b\w)\.\s?", "", lower).strip(" .,\"'") or lower


def is_name(text: str) -> bool:
    """Whether a text has a capitalised word other than a pronoun or a determiner."""
    words = text.split()
    return any(
        word[0].isupper() and word.lower() not in PRONOUN_KIND and word.lower() not in DETERMINERS
        for word in words
    )


def describe_mentions(document: Document) -> Attributes:
    """Compute the attributes of every mention of a document."""
    matches = list(TOKEN.finditer(document.text))
    starts = np.array([match.start() for match in matches], np.int64)
    tokens = [match.group() for match in matches]
    sentence = _number_sentences(document, tokens, starts)
    rows = []
    for mention in document.mentions:
        begin = int(np.searchsorted(starts, mention.start, "right")) - 1
        begin = begin if begin >= 0 and matches[begin].end() > mention.start else begin + 1
        end = max(int(np.searchsorted(starts, mention.end)), begin + 1)
        rows.append(_describe(mention, tokens, begin, end, sentence))
    columns = [list(column) for column in zip(*rows, strict=True)]
    fields: list[Any] = [np.array(column, np.int64) for column in columns[:-1]]
    codes = np.array([code(token.lower()) for token in tokens], np.int64)
    return Attributes._make([*fields, columns[-1], codes])


def _number_sentences(document: Document, tokens: Sequence[str], starts: Ints) -> Ints:
    """The sentence of each token."""
    if document.sentences:
        return np.searchsorted(np.array(document.sentences), starts, "right")
    ends = np.array([token in STOPS for token in tokens], np.int64)
    return np.cumsum(ends) - ends


def _describe(
    mention: Mention, tokens: Sequence[str], begin: int, end: int, sentence: Ints
) -> tuple[object, ...]:
    words = list(tokens[begin:end]) or [mention.text]
    lower = [word.lower() for word in words]
    while len(lower) > 1 and lower[-1] in POSSESSIVE:
        words, lower = words[:-1], lower[:-1]
    inner = lower[1:] if len(lower) > 1 and lower[0] in DETERMINERS else lower
    cut = next((k for k, word in enumerate(inner) if k > 0 and word in HEAD_ENDS), len(inner))
    head = inner[cut - 1]
    is_first = begin == 0 or (begin < len(tokens) and sentence[begin] != sentence[begin - 1])
    form = _find_form(mention, words, lower, is_first)
    plural = lower[0] in PLURAL or head in PLURAL
    plural |= form == NOM and head.endswith("s") and not head.endswith("ss")
    capitals = [word[0] for word in words if word[0].isupper()]
    content = frozenset(code(word) for word in inner[:cut] if word[0].isalnum())
    return (
        form,
        _find_kind(form, lower),
        code(mention.type.lower()),
        _find_gender(inner[:cut]),
        int(plural),
        code(head),
        code(" ".join(inner)),
        code(inner[0]),
        code(inner[-1]),
        code(head[:4]) if len(head) > 3 else code(head),
        code("".join(capitals).lower()) if len(capitals) > 1 else 0,
        code("".join(inner).replace(".", "")),
        code(tokens[begin - 1].lower()) if begin > 0 else 0,
        code(tokens[end].lower()) if end < len(tokens) else 0,
        int(sentence[min(begin, len(sentence) - 1)]) if len(sentence) else 0,
        begin,
        end,
        min(len(inner), 8),
        content,
    )


def _find_form(mention: Mention, words: list[str], lower: list[str], is_first: bool) -> int:
    if len(lower) == 1 and lower[0] in PRONOUN_KIND:
        return PRON
    if mention.form in FORMS:
        return FORMS.index(mention.form)
    named = words[1:] if is_first and len(words) > 1 else words
    if any(word[0].isupper() and word.lower() not in PRONOUN_KIND for word in named):
        return PROP
    return NOM


def _find_kind(form: int, lower: list[str]) -> int:
    if form == PRON:
        return code(PRONOUN_KIND.get(lower[0], "other"))
    return code(f"{FORMS[form]} {DETERMINERS.get(lower[0], '')}")


def _find_gender(words: Sequence[str]) -> int:
    masculine = MASCULINE_CODE if not MASCULINE.isdisjoint(words) else 0
    return masculine + (FEMININE_CODE if not FEMININE.isdisjoint(words) else 0)
