"""Draft of a schema: fields and rules from tagged lines, from a table, or from plain lines."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from partita.data import Records
from partita.data.lines import LINE_COLUMN, read_text_records
from partita.data.postgres import hide_password, is_postgres
from partita.data.table import to_text
from partita.errors import InputError
from partita.text.extraction.labels import TAG, LabelledLines, encode_labels, parse_tags
from partita.text.extraction.rates import measure_rates
from partita.text.extraction.rules import compile_rules
from partita.text.extraction.schema import Schema, read_schema
from partita.text.extraction.tokens import fold, tokenise

__all__ = ["draft_schema", "format_schema"]

MIN_CASES = 3
"""Occurrences of a word or shape from which on a rule is drafted for it."""
MIN_PURITY = 0.9
"""Share of the cases of a drafted rule that the examples confirm."""
MAX_WORDS = 40
"""Words of a drafted dictionary."""
MAX_PATTERNS = 3
"""Drafted patterns of each field."""
MAX_EXAMPLES = 200
"""Tagged lines that a drafted schema contains as examples. Origin: a file that can be read."""
MIN_SHARE = 0.1
"""Share of the plain lines that have a shape with digits, from which on it is a field."""
PLACEHOLDER = "words"
"""The field of plain lines for words without a pattern, which the user renames."""
COMMON = {
    "email": r"[\w.+-]+@[\w-]+\.[\w.]+",
    "url": r"(https?://|www\.)\S+",
    "date": r"\d{1,4}[/.-]\d{1,2}[/.-]\d{1,4}",
    "year": r"(19|20)\d\d",
    "price": r"[$€£]\d[\d.,]*",
    "number": r"\d[\d.,]*",
}
"""Patterns that are searched in plain lines; a token counts for the first that matches it."""


def draft_schema(data: Any, column: str | None = None) -> str:
    """Draft a schema as TOML from examples.

    Tagged lines such as `<author>Lee</author> 1999` give fields and rules that the tags confirm;
    the lines are the examples of the schema. A table of records gives one field for each column,
    with the column as its dictionary. Plain lines give the common patterns that occur in them.
    """
    if isinstance(data, str | Path) and column is None:
        records, name = read_text_records(data)
        if name != LINE_COLUMN and len(records.names) > 1:
            if is_postgres(data):
                # the rules would hold the address, password included
                raise InputError(
                    f"the dictionaries of a schema are files, and {hide_password(str(data))} is a "
                    "table of a database; write the table to a file, or name a column of text"
                )
            return _draft_from_table(records, str(data))
    else:
        records, name = read_text_records(data, column)
    lines = [line or "" for line in to_text(records.table.column(name)).to_pylist()]
    names = {match[2].strip() for line in lines for match in TAG.finditer(line) if match[1]}
    return _draft_from_tags(lines, names) if names else _draft_from_lines(lines)


def format_schema(content: dict[str, Any], comments: Sequence[str] = ()) -> str:
    """Format a schema as TOML."""
    lines = [f"# {comment}" for comment in comments]
    for key, value in content.items():
        if key == "examples":
            lines += ["examples = [", *(f"  {_format_value(line)}," for line in value), "]"]
        elif key != "rules":
            lines.append(f"{key} = {json.dumps(value, ensure_ascii=False)}")
    for rule in content.get("rules", ()):
        lines += ["", "[[rules]]"]
        lines += [f"{key} = {_format_value(value)}" for key, value in rule.items()]
    return "\n".join(lines) + "\n"


def _format_value(value: Any) -> str:
    # a literal string keeps the backslashes of a pattern readable
    if isinstance(value, str) and "\\" in value and "'" not in value:
        return f"'{value}'"
    return json.dumps(value, ensure_ascii=False)


def _draft_from_table(records: Records, path: str) -> str:
    """Draft one field for each column, with the column as its dictionary or its shapes."""
    rules: list[dict[str, Any]] = []
    for name in records.names:
        values = records.column(name, cleaned=False).values.to_pylist()
        words = [word for value in values for word in tokenise([value]).texts(0)]
        shapes = Counter(_generalise(word) for word in words)
        patterns = [shape for shape, _ in shapes.most_common(MAX_PATTERNS)]
        share = sum(shapes[shape] for shape in patterns) / max(1, len(words))
        if all(r"\d" in shape for shape in patterns) and share >= MIN_PURITY:
            rules.append({"name": name, "field": name, "pattern": "|".join(patterns)})
            continue
        source = {"table": path, "column": name}
        rules.append({"name": f"{name} entry", "field": name, **source, "whole": True})
        rules.append({"name": f"{name} word", "field": name, **source, "match": "tokens"})
    comments = ("One field for each column; its values are the dictionary of the field.",)
    content = {"fields": list(records.names), "rules": [*rules, {"once": True}]}
    return format_schema(content, comments)


def _draft_from_lines(lines: Sequence[str]) -> str:
    """Draft fields for the common patterns of plain lines."""
    tokens = tokenise(lines, "spaces")
    counts: Counter[str] = Counter()
    shapes: Counter[str] = Counter()
    for word, count in zip(tokens.words, np.bincount(tokens.word).tolist(), strict=True):
        bare = word.strip(".,;:()[]")
        match = next((name for name, p in COMMON.items() if re.fullmatch(p, bare)), None)
        if match:
            counts[match] += count
        elif any(letter.isdigit() for letter in bare):
            shapes[_generalise(bare)] += count
    patterns = {name: COMMON[name] for name in COMMON if counts[name] >= MIN_CASES}
    least = max(MIN_CASES, MIN_SHARE * len(lines))
    common = [shape for shape, count in shapes.most_common(MAX_PATTERNS) if count >= least]
    patterns |= {f"code_{k}": shape for k, shape in enumerate(common, 1)}
    rules: list[dict[str, Any]] = [
        {"name": name, "field": name, "pattern": rf"[(\[]?({pattern})[)\].,;:]*"}
        for name, pattern in patterns.items()
    ]
    first = Counter(fold(line.split()[0]) for line in lines if line.strip())
    comments = [
        "Patterns that occur in the lines. Rename the fields, and add fields and rules: tagged",
        "lines such as <author>Lee</author> <date>1999</date> give a better draft.",
        f"Common first words: {', '.join(word for word, _ in first.most_common(8))}.",
    ]
    fields = [PLACEHOLDER, *patterns]
    return format_schema({"fields": fields, "split": "spaces", "rules": rules}, comments)


def _draft_from_tags(lines: Sequence[str], names: set[str]) -> str:
    """Draft fields and rules from tagged lines; keep the rules that the tags confirm."""
    ordered = list(dict.fromkeys(m[2].strip() for line in lines for m in TAG.finditer(line)))
    fields = [name for name in ordered if name in names]
    parsed = [(line.strip(), parse_tags(line, fields)) for line in lines]
    tagged = [line for _, line in parsed if line.spans]
    if not tagged:
        raise InputError("no line has a closed tag; give lines such as <name>Ann Lee</name>")
    schema = read_schema({"fields": fields})
    labelled = encode_labels(tagged, schema)
    rules = [*_draft_patterns(labelled, schema), *_draft_words(labelled, schema)]
    rules += _draft_structure(labelled, schema)
    confirmed = _keep_confirmed(rules, labelled, schema)
    comments = (f"Drafted from {len(tagged):,} tagged lines; each rule agrees with the tags.",)
    examples = list(dict.fromkeys(text for text, line in parsed if line.spans))
    content: dict[str, Any] = {"fields": fields, "examples": examples[:MAX_EXAMPLES]}
    if schema.other is not None and (labelled.label < len(fields)).all():
        content["other"] = False
    return format_schema({**content, "rules": confirmed}, comments)


def _count_by_label(values: Sequence[str], label: Sequence[int]) -> dict[str, Counter[int]]:
    counts: dict[str, Counter[int]] = defaultdict(Counter)
    for value, code in zip(values, label, strict=True):
        counts[value][code] += 1
    return counts


def _draft_patterns(labelled: LabelledLines, schema: Schema) -> list[dict[str, Any]]:
    """Draft patterns of tokens with digits whose shape belongs to one field."""
    words = [labelled.tokens.words[k] for k in labelled.tokens.word]
    counts = _count_by_label([_generalise(word) for word in words], labelled.label.tolist())
    rules = []
    for code, field in enumerate(schema.fields):
        shapes = [
            (count[code], shape)
            for shape, count in counts.items()
            if r"\d" in shape and count[code] >= max(MIN_CASES, MIN_PURITY * count.total())
        ]
        patterns = [shape for _, shape in sorted(shapes, reverse=True)[:MAX_PATTERNS]]
        if patterns:
            rules.append({"name": f"{field} shape", "field": field, "pattern": "|".join(patterns)})
    return rules


def _draft_words(labelled: LabelledLines, schema: Schema) -> list[dict[str, Any]]:
    """Draft dictionaries of words that belong to one field."""
    words = [fold(labelled.tokens.words[k]) for k in labelled.tokens.word]
    counts = _count_by_label(words, labelled.label.tolist())
    rules = []
    for code, field in enumerate(schema.fields):
        pure = [
            (count[code], word)
            for word, count in counts.items()
            if word.isalpha() and count[code] >= max(MIN_CASES, MIN_PURITY * count.total())
        ]
        if pure:
            chosen = [word for _, word in sorted(pure, key=lambda pair: (-pair[0], pair[1]))]
            rules.append({"name": f"{field} words", "field": field, "words": chosen[:MAX_WORDS]})
    return rules


def _draft_structure(labelled: LabelledLines, schema: Schema) -> list[dict[str, Any]]:
    """Draft all rules about places and segments; those without confirmation are dropped later."""
    rules: list[dict[str, Any]] = [{"once": True}, {"boundary": "punctuation"}]
    tokens, fields = labelled.tokens, len(schema.fields)
    filled = np.flatnonzero(np.diff(tokens.start))
    for place, ends in (("first", tokens.start[filled]), ("last", tokens.start[filled + 1] - 1)):
        code = int(np.bincount(labelled.label[ends]).argmax())
        if code < fields:
            rules.append({"name": place, "field": schema.fields[code], "place": place})
    begins = np.flatnonzero(labelled.first == np.arange(tokens.n))
    within = begins - tokens.start[tokens.line_of()[begins]]
    places = {
        name: float(within[labelled.label[begins] == code].mean())
        for code, name in enumerate(schema.fields)
        if (labelled.label[begins] == code).any()
    }
    if len(places) > 1:
        rules.append({"order": sorted(places, key=lambda name: places[name])})
    sizes = np.append(begins[1:], tokens.n) - begins
    for code, name in enumerate(schema.fields):
        own = sizes[labelled.label[begins] == code]
        if own.size >= MIN_CASES:
            # a shorter segment than those of a few examples is no error
            rules.append({"field": name, "length": [1, int(own.max())]})
    return rules


def _keep_confirmed(
    rules: list[dict[str, Any]], labelled: LabelledLines, schema: Schema
) -> list[dict[str, Any]]:
    """Keep the rules that hold in at least MIN_PURITY of their cases."""
    full = read_schema({"fields": list(schema.fields), "rules": rules})
    measured = measure_rates(compile_rules(full, labelled.tokens), labelled.first, labelled.label)
    return [
        rule
        for rule, rate in zip(rules, measured, strict=True)
        if rate.cases >= MIN_CASES and rate.rate >= MIN_PURITY
    ]


def _generalise(word: str) -> str:
    r"""Return a pattern of words with the same digits and signs: 1999 becomes \d{4}."""
    parts = []
    for match in re.finditer(r"\d+|[^\W\d_]+|.", word):
        run = match[0]
        if run[0].isdigit():
            parts.append(r"\d" if len(run) == 1 else rf"\d{{{len(run)}}}")
        else:
            parts.append("[A-Za-z]+" if run.isalpha() else re.escape(run))
    return "".join(parts)
