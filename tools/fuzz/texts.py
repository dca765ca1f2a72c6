"""Cases of text: schemas and labels of `partita extract`, and documents of `partita coref`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random

from tools.fuzz.files import HARD, damage
from tools.fuzz.judge import Wrong, check_cells, read_output, run_command

__all__ = ["changed_documents", "changed_schema", "replace_value"]

SCHEMA = (
    'fields = ["author", "title", "place > town", "place > land", "date"]',
    "max_length = 6",
    'split = "words"',
    'examples = ["<author>Lee</author> <date>1999</date>"]',
    '[[rules]]\nfield = "author"\nplace = "first"',
    "[[rules]]\nfield = \"date\"\npattern = '(19|20)\\d\\d'\nstrength = 0.9",
    '[[rules]]\nfield = "town"\nwords = ["Ely", "New York"]\nmatch = "near"',
    '[[rules]]\nnot_field = "other"\npattern = "[a-z]+"\nafter = ","',
    "[[rules]]\nonce = true",
    '[[rules]]\norder = ["author", "title"]',
    '[[rules]]\nboundary = "punctuation"',
    '[[rules]]\nfield = "title"\nlength = [1, 5]',
    '[[rules]]\nfield = "land"\nfile = "lands.txt"',
)
"""Lines and tables of a schema."""
VALUES = (
    *("1", "-1", "0", "[]", '""', '"x"', "true", "false", "1e308", "nan", "[[1]]", "{}"),
    *("99999999999999999999", "2001-01-01", '["author"]', "'(a'", "'a{99999999999}'", "'[[:x'"),
    *('"\\u0000"', "'" + "(" * 300 + ")" * 300 + "'", '["author", "author"]'),
)
"""Values that replace those of a schema."""
WORDS = (
    "Lee,",
    "A.",
    "On",
    "trees",
    "Ely",
    "Utopia",
    "1999",
    "12-19",
    "in",
    "New",
    "York",
    "(",
    ".",
)
PEOPLE = ("Ann Archer", "Archer", "Bob Dyer", "Dyer", "she", "he", "the chair", "Ely")
ENDINGS = (".json", ".jsonl", ".conllu", ".ann")


def replace_value(random: Random, text: str) -> str:
    """Replace the value of a random key."""
    lines = text.split("\n")
    at = random.choice([k for k, line in enumerate(lines) if " = " in line])
    lines[at] = f"{lines[at].partition(' = ')[0]} = {random.choice(VALUES)}"
    return "\n".join(lines)


def _make_line(random: Random) -> str:
    words = [*random.choices(WORDS, k=random.randrange(1, 9)), random.choice(HARD)]
    # a text file has one record for each line
    return " ".join(words).replace("\n", " ").replace("\r", " ")


def changed_schema(random: Random, folder: Path) -> None:
    """A schema with changed values or damaged bytes, and perhaps damaged labels."""
    lines = ["Lee 1999", *(_make_line(random) for _ in range(random.randrange(1, 8)))]
    (folder / "lines.txt").write_bytes("\n".join(lines).encode())
    (folder / "lands.txt").write_text("Utopia\nAtlantis\n")
    head, rules = SCHEMA[:4], random.sample(SCHEMA[4:], random.randrange(1, 6))
    text = "\n".join([head[0], *random.sample(head[1:], random.randrange(3)), *rules])
    if random.random() < 0.5:
        text = replace_value(random, text)
    data = damage(random, text.encode()) if random.random() < 0.3 else text.encode()
    (folder / "schema.toml").write_bytes(data)
    words = ["extract", folder / "lines.txt", "--schema", folder / "schema.toml"]
    if random.random() < 0.3:
        labels = b"<author>Lee</author> <date>1999</date>\n<title>On trees</title>\n"
        (folder / "labels.txt").write_bytes(damage(random, labels))
        words += ["--labels", folder / "labels.txt"]
    out = folder / "out.csv"
    run_command(*words, "--out", out, "--quiet")
    check_cells({"text": lines}, out)


def _make_json(random: Random, path: Path, text: str, spans: list[tuple[int, int]]) -> bytes:
    mentions = [{"start": start, "end": end, "type": "PER"} for start, end in spans]
    item = json.dumps({"doc": "d", "text": text, "mentions": mentions}, ensure_ascii=False)
    return item.encode()


def _make_brat(random: Random, path: Path, text: str, spans: list[tuple[int, int]]) -> bytes:
    path.with_suffix(".txt").write_bytes(text.encode())
    notes = [f"T{k}\tPER {a} {b}\t{text[a:b]!r}" for k, (a, b) in enumerate(spans, 1)]
    return "\n".join([*notes, "R1\tX Arg1:T1 Arg2:T1"]).encode()


def _make_conllu(random: Random, path: Path, text: str, spans: list[tuple[int, int]]) -> bytes:
    lines = ["# newdoc id = d", "# global.Entity = eid-etype-head-other"]
    starts, ends = {start for start, _ in spans}, {end for _, end in spans}
    at = 0
    for number, word in enumerate(text.split(" "), 1):
        entity = f"{'(e1-person-1-' * (at in starts)}{'e1' * (at not in starts)}"
        marks = entity + ")" if at + len(word) in ends else entity * (at in starts)
        lines.append(f"{number}\t{word}" + "\t_" * 7 + f"\t{f'Entity={marks}' if marks else '_'}")
        at += len(word) + 1
    return "\n".join([*lines, "", ""]).encode()


MAKERS: dict[str, Callable[[Random, Path, str, list[tuple[int, int]]], bytes]] = {
    ".json": _make_json,
    ".jsonl": _make_json,
    ".ann": _make_brat,
    ".conllu": _make_conllu,
}
"""The encoder of documents of each ending."""


def changed_documents(random: Random, folder: Path) -> None:
    """Documents with mentions, perhaps damaged; undamaged mentions are in the output."""
    ending = random.choice(ENDINGS)
    text, spans = "", []
    for _ in range(random.randrange(1, 12)):
        name = random.choice(PEOPLE)
        spans.append((len(text), len(text) + len(name)))
        cell = random.choice(HARD)
        rest = "spoke" if ending == ".conllu" or not cell.strip() else cell
        text += f"{name} {rest} . "
    path, out = folder / f"document{ending}", folder / "out.csv"
    data = MAKERS[ending](random, path, text.rstrip(" "), spans)
    is_damaged = random.random() < 0.6
    path.write_bytes(damage(random, data) if is_damaged else data)
    run_command("coref", path, "--out", out, "--draws", 10, "--quiet")
    if is_damaged:
        read_output(out)
    elif read_output(out)["text"] != [text[start:end] for start, end in spans]:
        raise Wrong(f"the mentions are {read_output(out)['text']}")
