"""Tiny data sets in the formats of the real ones, for runs of the commands of papers."""

import csv
import json
from pathlib import Path

import numpy as np

from papers.mlnagg.data import SECTIONS
from papers.samplerank import table2

CITATIONS = (
    ("A", "author", ".", "author", "Lee", "author", ".", "author", "On", "title", "Trees", "title"),
    ("Bo", "author", "Orr", "author", ",", "author", "1999", "date", ".", "date", "Sets", "title"),
    ("Eve", "author", ".", "author", "Logic", "title", ",", "title", "pp", "pages", "1", "pages"),
)


def blocks(count, first=0):
    lines = []
    for k in range(count):
        cells = CITATIONS[(first + k) % len(CITATIONS)]
        rows = [f"w{first + k}\tauthor"]
        rows += [f"{a}\t{b}" for a, b in zip(cells[::2], cells[1::2], strict=True)]
        lines.append("\n".join(rows))
    return "\n\n".join(lines) + "\n"


def write_citations(place: Path):
    """Segmented citations, for papers.cdrank."""
    folder = place / "citations_codl"
    folder.mkdir()
    (folder / "train300.conll").write_text(blocks(300))
    (folder / "dev100.conll").write_text(blocks(10, 1000))
    (folder / "test100.conll").write_text(blocks(10, 2000))
    (folder / "unlabeled.conll").write_text(blocks(10, 3000))
    for number in range(5):
        (folder / f"citation_train.25.{number}.txt").write_text(blocks(25, 10 * number))


LINES = """-DOCSTART- -X- O O

Ada NNP I-NP I-PER
Byron NNP I-NP I-PER
met VBD I-VP O
Bo NNP I-NP I-PER
. . O O

EU NNP I-NP I-ORG
rejects VBZ I-VP O
German JJ I-NP I-MISC
call NN I-NP O

"""


def write_labels(place: Path):
    """Sentences and rows with several labels, for tables 2 and 3 of papers.samplerank."""
    folder = place / "conll2003"
    folder.mkdir()
    for part in ("train", "testa", "testb"):
        (folder / f"eng.{part}").write_text(LINES * 5)
    for name, labels in table2.SETS.items():
        (place / "multilabel" / name).mkdir(parents=True)
        for part in ("train", "test"):
            rows = [
                ",".join(
                    [str(k % 7), str(k % 3), *(str(int(k % (j + 2) == 0)) for j in range(labels))]
                )
                for k in range(30)
            ]
            file = place / "multilabel" / name / f"{name}-{part}.arff"
            file.write_text("@relation r\n@data\n" + "\n".join(rows) + "\n")


NAMES = ("Mr. Black", "the old house", "she", "Ada Byron", "they", "her mother", "Black", "it")


def write_documents(place: Path, documents=6):
    """Documents with entities, for table 1 of papers.samplerank."""
    rng = np.random.default_rng(0)
    novels, texts = [], []
    for d in range(documents):
        phrases = [NAMES[k] for k in rng.integers(0, len(NAMES), 14)]
        tokens, listed, spans = [], [], []
        for k, phrase in enumerate(phrases):
            words = phrase.split()
            spans.append((len(tokens), len(tokens) + len(words) - 1))
            tokens += [*words, "saw" if k % 3 else "."]
        entities = [f"e{NAMES.index(p) % 5}" for p in phrases]
        for (a, b), phrase, entity in zip(spans, phrases, entities, strict=True):
            form = "PRON" if phrase in ("she", "they", "it") else "PROP"
            where = {"sent": 0, "start": a, "end_sent": 0, "end": b, "text": phrase}
            listed.append({**where, "type": "PER", "form": form, "entity": entity})
        listed[0]["entity"] = None
        novels.append({"doc": f"n{d}", "sentences": [tokens], "mentions": listed})
        plain = [
            {"start": a, "end": b, "type": "person", "entity": e, "wiki": None}
            for (a, b), e in zip(spans, entities, strict=True)
        ]
        texts.append({"doc": f"g{d}", "masked": False, "tokens": tokens, "mentions": plain})
    texts.append({"doc": "hidden", "masked": True, "tokens": ["_"], "mentions": []})
    for name, file, rows in (
        ("litbank", "litbank_coref.jsonl", novels),
        ("gum_coref", "gum_coref.jsonl", texts),
    ):
        (place / name).mkdir()
        (place / name / file).write_text("\n".join(map(json.dumps, rows)) + "\n")


WORDS = [f"{a}{b}{c}" for a in "bdfgk" for b in "aeiou" for c in ("lor", "min", "tas", "ver")]


def mangled(rng, words):
    """A few words left out or replaced."""
    kept = [word if rng.random() < 0.85 else str(rng.choice(WORDS)) for word in words]
    return " ".join(word for word in kept if rng.random() < 0.95) or words[0]


def rows(rng, entities, mentions, fields, first=0, **fixed):
    """Mentions of entities that have words of their own in every field."""
    found = []
    for entity in range(first, first + entities):
        own = {field: list(rng.choice(WORDS, many)) for field, many in fields.items()}
        for _ in range(int(rng.integers(1, mentions + 1))):
            row = {field: mangled(rng, words) for field, words in own.items()}
            found.append({**row, **fixed, "entity": str(entity)})
    return found


def write(folder, found):
    folder.mkdir()
    with (folder / "records.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, ["id", *found[0]])
        writer.writeheader()
        writer.writerows({"id": k, **row} for k, row in enumerate(found))


def write_papers(place: Path):
    """Records of papers with entities, for papers.mlnagg and papers.mcmcmc."""
    rng = np.random.default_rng(1)
    citation = {"title": 6, "author": 2, "venue": 3}
    paper = {"title": 6, "authors": 2, "venue": 2, "keyword": 2, "abstract": 6}
    sections = [
        row
        for k, name in enumerate(SECTIONS)
        for row in rows(rng, 8, 4, citation, first=10 * k, section=name)
    ]
    write(place / "citeseer_pd_1563", sections)
    write(place / "cora_alchemy_1295", rows(rng, 24, 4, citation))
    names = [
        row
        for k in range(9)
        for row in rows(rng, 5, 4, paper, first=10 * k, block=f"Name_{k}", year="2001")
    ]
    write(place / "dblp_xml_680", names)
