"""The strength of the constraints on reference sets on which it was not chosen (cora_ie)."""

from __future__ import annotations

import re

import numpy as np
from rich.console import Console

from papers.cdrank.data import attributes, read_blocks
from papers.cdrank.table1 import RULES, SENSITIVITY_LABELS, STRENGTHS
from papers.samplerank.data import Sentences
from partita.text.extraction import Tokens, build_constraints, compile_rules, load_schema
from partita.text.sequences import Task, constraint_driven, encoded, take, train_labelled

__all__ = ["SETS", "measure_strengths", "read_set", "show_strengths"]

SETS = ("flux-cim-cs", "en-humanities")
"""The largest reference sets of cora_ie other than Cora itself."""
DRAWS = 3
"""Random draws of labelled references."""
WORD = re.compile(r"\w+(?:[-']\w+)*|[^\w\s]")
"""Words and signs, which are tokens of their own in citations_codl."""


def read_set(name: str, labels: tuple[str, ...]) -> Sentences:
    """Read a set; tokens are split as in citations_codl, and other labels are `note`."""
    references = Sentences([], [])
    whole = read_blocks("cora_ie", f"{name}.conll")
    for words, fields in zip(whole.words, whole.labels, strict=True):
        pairs = [
            (part, field if field in labels else "note")
            for word, field in zip(words, fields, strict=True)
            for part in WORD.findall(word)
        ]
        references.words.append([part for part, _ in pairs])
        references.labels.append([field for _, field in pairs])
    return references


def measure_strengths(name: str, draws: int, seed: int) -> dict[str, float]:
    """Return the mean accuracy in % of the unlabelled tokens, supervised and by strength."""
    schema = load_schema(RULES)
    references = read_set(name, schema.labels)
    task = encoded(*references, attributes, labels=schema.labels, least=2)
    constraints = build_constraints(compile_rules(schema, Tokens.from_words(references.words)))
    truth, start = task.sequences.label, task.sequences.start
    accuracy: dict[str, list[float]] = {}
    for draw in range(seed, seed + draws):
        chosen = np.random.default_rng(draw).permutation(start.size - 1)[:SENSITIVITY_LABELS]
        label = np.full_like(truth, -1)
        for k in chosen:
            label[start[k] : start[k + 1]] = truth[start[k] : start[k + 1]]
        hidden = Task(task.encoder, task.sequences._replace(label=label))
        first = train_labelled(take(task, chosen.tolist()), draw)
        taggers = {"SampleRank": first}
        for strength in STRENGTHS:
            taggers[f"{strength:g}"] = constraint_driven(
                hidden, constraints, first=first, strength=strength, random_seed=draw
            )
        for title, tagger in taggers.items():
            right = tagger.codes(task.sequences) == truth
            accuracy.setdefault(title, []).append(100 * float(right[label < 0].mean()))
    return {title: float(np.mean(values)) for title, values in accuracy.items()}


def show_strengths(console: Console, quick: bool, seed: int) -> dict[str, dict[str, float]]:
    """Measure and print the accuracy of Model+Cons by strength on every set."""
    rows = {name: measure_strengths(name, 1 if quick else DRAWS, seed) for name in SETS}
    for name, row in rows.items():
        listed = ", ".join(f"{title}: {value:.1f}" for title, value in row.items())
        console.print(f"{name}, {SENSITIVITY_LABELS} labels, by strength: {listed}")
    return rows
