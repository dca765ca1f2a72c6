"""CoNLL-2003 by document, and rich features: shapes, affixes, windows, the word elsewhere."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from papers.samplerank.data import folder, paper_features
from partita.text.sequences import iobes

__all__ = ["Documents", "documents", "rich_features", "shape"]


@dataclass
class Elsewhere:
    """The forms of a word in its document, and its neighbours."""

    lower: bool = False
    capital: bool = False
    before: set[str] = field(default_factory=set)
    after: set[str] = field(default_factory=set)


class Sentence(list[str]):
    """Words, with the facts of the document about each."""

    elsewhere: dict[str, Elsewhere]
    loud: bool


class Documents(NamedTuple):
    """Sentences with their document, and labels in IOBES."""

    words: list[Sentence]
    labels: list[list[str]]


def documents(part: str, most: int | None = None) -> Documents:
    """One part of CoNLL-2003."""
    corpus = Documents([], [])
    known: dict[str, Elsewhere] = {}
    for block in folder("conll2003", f"eng.{part}").read_text(encoding="utf-8").split("\n\n"):
        rows = [line.split() for line in block.splitlines() if line.strip()]
        if rows and rows[0][0] == "-DOCSTART-":
            known = {}
            rows = rows[1:]
        if not rows:
            continue
        sentence = Sentence(row[0] for row in rows)
        sentence.elsewhere, sentence.loud = known, "".join(sentence).isupper()
        note(sentence)
        corpus.words.append(sentence)
        corpus.labels.append(iobes([row[-1] for row in rows]))
    return Documents(corpus.words[:most], corpus.labels[:most])


def note(sentence: Sentence) -> None:
    """Add a sentence to the document's facts about words."""
    for i, word in enumerate(sentence):
        about = sentence.elsewhere.setdefault(word.lower(), Elsewhere())
        about.lower |= word.islower()
        # a capital is informative inside a sentence that is not all in capitals
        about.capital |= i > 0 and not sentence.loud and not word.islower()
        if i > 0:
            about.before.add(sentence[i - 1].lower())
        if i + 1 < len(sentence):
            about.after.add(sentence[i + 1].lower())


def shape(word: str) -> str:
    """Capitals, letters and digits as X, x and d; runs longer than two are cut."""
    code = ""
    for letter in word:
        kind = "X" if letter.isupper() else "x" if letter.islower() else letter
        kind = "d" if letter.isdigit() else kind
        if code[-2:] != kind * 2:
            code += kind
    return code


def rich_features(sentence: Sentence, i: int) -> list[str]:
    """The paper's features and many more, without a gazetteer and without tags."""
    word = sentence[i]
    lower, form = word.lower(), shape(word)
    features = [*paper_features(sentence, i), f"shape={form}"]
    features.append(f"shape={form} loud={sentence.loud} first={i == 0}")
    for k in range(1, 5):
        if len(word) > k:
            features += [f"prefix={lower[:k]}", f"suffix={lower[-k:]}"]
    for step in (-2, -1, 1, 2):
        if 0 <= i + step < len(sentence):
            features += neighbour(lower, form, sentence[i + step], step)
        else:
            features.append(f"end{step}")
    if 0 < i < len(sentence) - 1:
        features.append(f"around={sentence[i - 1].lower()} {sentence[i + 1].lower()}")
    about = sentence.elsewhere[lower]
    features.append(f"elsewhere={about.lower} {about.capital} {word[0].isupper()}")
    if word[0].isupper():
        features += [f"before={near}" for near in sorted(about.before)]
        features += [f"after={near}" for near in sorted(about.after)]
    return features


def neighbour(lower: str, form: str, near: str, step: int) -> list[str]:
    """Features of a neighbouring word."""
    features = [f"word{step}={near.lower()}", f"shape{step}={shape(near)}"]
    if abs(step) == 1:
        features += [f"shapes{step}={form} {shape(near)}", f"suffix{step}={near[-3:]}"]
        features.append(f"words{step}={lower} {near.lower()}")
    return features
