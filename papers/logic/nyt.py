"""NYT-Freebase: judged facts from patterns and curated rules, without a label of any relation.

The training matrix of the paper that judged these facts is not available: patterns of the 10,000
test pairs are the only facts, so this is transductive, and rules alone connect relations to them.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from papers.samplerank.data import folder
from partita.kernel import Floats, Ints
from partita.knowledge.matrix import Formulae, MatrixSettings, fit_matrix
from partita.knowledge.rules import Rule, load_rules
from partita.metrics import mean_average_precision

__all__ = ["BASELINES", "load_nyt", "run_nyt"]

BASELINES = ("mintz09", "yao11", "surdeanu12")
PAIRS = "nyt-freebase.test.subsample-10000.tuples.txt"
KINDS = ("path#", "trigger#", "ner#", "lex#")
"""Patterns about the relation, not about neighbouring words."""
MIN_PAIRS = 3
"""Pairs of a pattern, below which nothing can be shared."""
SETTINGS = MatrixSettings("sigmoid", rank=30, epochs=30, rate=0.05, l2=0.001)
FALSE_CELLS = 2
"""False cells sampled for each pattern of a pair."""
WEAK = 0.1
"""Weight of a false cell of a relation that only rules derive. Origin: the toy of LOGIC."""


def load_nyt() -> dict[str, Any]:
    """Load pairs with their patterns, judged facts, rules, and scores of earlier systems."""
    place = folder("universal_schema_nyt")
    pairs: dict[tuple[str, str], list[str]] = {}
    for line in (place / PAIRS).read_text("utf-8").splitlines():
        _, first, second, *patterns = line.split("\t")
        pairs[first, second] = [name for name in patterns if name.startswith(KINDS)]
    gold = [
        (row[0] == "1", row[1], (row[2], row[3]))
        for row in (line.split("\t") for line in _lines(place / "naacl2013.gold.tsv"))
        if row[1].startswith("REL$") and (row[2], row[3]) in pairs
    ]
    baselines = {}
    for name in BASELINES:
        rows = [line.split("\t") for line in _lines(place / f"{name}.txt")]
        baselines[name] = {(row[4], (row[1], row[2])): float(row[0]) for row in rows}
    return {
        "pairs": pairs,
        "gold": gold,
        "rules": load_rules(place / "rules.txt"),
        "baselines": baselines,
    }


def _lines(path: Path) -> list[str]:
    return path.read_text("utf-8").splitlines()


FALSE_HEADS = 500
"""Pairs sampled as weakly false for each relation that only rules derive."""


def describe(pairs: dict[tuple[str, str], list[str]]) -> dict[tuple[str, str], set[str]]:
    """Return the columns of each pair and of its inverse: patterns, types and arguments.

    A pattern of the inverse pair is another column, except that types are swapped. Arguments are
    columns as in the entity model of Riedel et al. 2013.
    """
    described: dict[tuple[str, str], set[str]] = {}
    for (first, second), patterns in pairs.items():
        for own, other, names in (
            (first, second, patterns),
            (second, first, [invert(name) for name in patterns]),
        ):
            columns = described.setdefault((own, other), {f"first#{own}", f"second#{other}"})
            columns.update(names)
    return described


def invert(name: str) -> str:
    """Return the column of a pattern for the inverse pair."""
    if name.startswith("ner#"):
        first, _, second = name.removeprefix("ner#").partition("->")
        return f"ner#{second}->{first}"
    return f"{name}:INV"


def _body_column(rule: Rule) -> str:
    atom = rule.body[0]
    return atom.relation if atom.first == rule.head.first else f"{atom.relation}:INV"


def ground(rules: list[Rule], columns: dict[str, int], rows: int) -> Ints:
    """Unroll the rules over all pairs: row, column of the head, row, column of the body."""
    parts = []
    for rule in rules:
        body = _body_column(rule)
        if body in columns:
            row = np.arange(rows)
            cells = [row, np.full(rows, columns[rule.head.relation])]
            parts.append(np.stack([*cells, row, np.full(rows, columns[body])], 1))
    return np.concatenate(parts)


def build_matrix(
    described: dict[tuple[str, str], set[str]], rules: list[Rule], seed: int
) -> tuple[Formulae, dict[tuple[str, str], int], dict[str, int]]:
    """Build cells of patterns, sampled false cells, and the rules over all pairs."""
    rng = np.random.default_rng(seed)
    rows = {pair: k for k, pair in enumerate(described)}
    counts = Counter(name for names in described.values() for name in names)
    bodies = {rule.body[0].relation for rule in rules}
    heads = sorted({rule.head.relation for rule in rules})
    shared = [n for n, k in counts.items() if k >= MIN_PAIRS or n.removesuffix(":INV") in bodies]
    names = sorted(shared)  # the order of a set of strings differs between processes
    columns = {name: k for k, name in enumerate([*names, *heads])}
    true = np.array(
        [(rows[p], columns[c]) for p, cs in described.items() for c in sorted(cs) if c in columns]
    )
    false = np.repeat(true, FALSE_CELLS, 0)
    false[:, 0] = rng.integers(0, len(rows), len(false))
    size = [len(columns), 1]
    false = false[~np.isin(false @ size, true @ size)]
    # a relation that only rules derive is false of most pairs
    rare = np.array(
        [(rng.integers(len(rows)), columns[c]) for c in heads for _ in range(FALSE_HEADS)]
    )
    implied = ground(rules, columns, len(rows))
    many = [len(true), len(false), len(rare), len(implied)]
    head = np.concatenate([true, false, rare, implied[:, :2]])
    body = np.zeros((len(head), 1, 2), np.int64)
    body[-len(implied) :, 0] = implied[:, 2:]
    formulae = Formulae(
        head,
        body,
        np.repeat([0, 0, 0, 1], many),
        np.repeat([1.0, 0.0, 0.0, 1.0], many),
        np.repeat([1.0, 1.0, WEAK, 1.0], many),
    )
    return formulae, rows, columns


def score_gold(
    gold: list[Any], rows: dict[tuple[str, str], int], columns: dict[str, int], p: Floats
) -> Floats:
    """Return the probability of each judged fact; 0 for a relation that no rule has."""
    return np.array(
        [p[rows[pair], columns[name]] if name in columns else 0.0 for _, name, pair in gold]
    )


def run_nyt(seed: int = 0) -> dict[str, Any]:
    """Return weighted MAP of the baselines, of rules alone, and of the matrix with rules."""
    data = load_nyt()
    pairs, gold, rules = data["pairs"], data["gold"], data["rules"]
    truth, names = [row[0] for row in gold], [row[1] for row in gold]

    def measure(scores: Any) -> float:
        return mean_average_precision(scores, truth, names, weighted=True)

    report = {
        name: measure([known.get((r, p), 0.0) for _, r, p in gold])
        for name, known in data["baselines"].items()
    }
    described = describe(pairs)
    logic = {
        (rule.head.relation, pair)
        for rule in rules
        for pair, names_of in described.items()
        if _body_column(rule) in names_of
    }
    report["none"] = measure([0.0] * len(gold))
    report["rules alone"] = measure([float((r, p) in logic) for _, r, p in gold])
    formulae, rows, columns = build_matrix(described, rules, seed)
    for title, kept in (
        ("matrix alone", formulae.length == 0),
        ("matrix with rules", formulae.length >= 0),
    ):
        part = Formulae(*(column[kept] for column in formulae))
        matrix = fit_matrix(part, len(rows), len(columns), SETTINGS, seed=seed)
        report[title] = measure(score_gold(gold, rows, columns, matrix.probabilities()))
    return {"facts": len(gold), "true": sum(truth), "weighted_map": report}
