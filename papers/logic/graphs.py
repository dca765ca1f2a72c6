"""Real graphs: Countries, kinship and WN18, completed with and without rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from papers.logic.ranks import rank_facts
from papers.samplerank.data import folder
from partita.knowledge.completion import Facts
from partita.knowledge.embeddings import EmbeddingSettings, fit_embedding
from partita.knowledge.facts import FactSettings, complete
from partita.knowledge.rules import Rule, load_rules
from partita.knowledge.triples import Triples, load_triples
from partita.metrics import average_precision, calibration

__all__ = [
    "CLAUSES",
    "PAPER",
    "load_parts",
    "read_clauses",
    "run_countries",
    "run_kinship",
    "run_nations",
    "run_wn18",
]

REGIONS = ("africa", "americas", "asia", "europe", "oceania")
RENAMED = {"locatedIn": "locatedin", "neighborOf": "neighbor"}
"""Relations of the clauses by their names in the facts."""
PAPER = {
    "S1": "NTP-lambda 1.00",
    "S2": "NTP-lambda .930",
    "S3": "NTP-lambda .773",
    "kinship": "ComplEx of the prototype .859",
}
"""Figures of others, as the data's notes recall them."""
CLAUSES = {
    "kinship": "kinships__clauses__clauses_conf0.900_supp10.pl",
    "nations": "nations__clauses__clauses_conf0.950_supp50.pl",
}
"""File of mined rules by graph."""
COUNTRIES = EmbeddingSettings(rank=20, epochs=30)
KINSHIP = EmbeddingSettings(rank=400, epochs=40)
NATIONS = EmbeddingSettings(rank=50)
WN18 = EmbeddingSettings(rank=50, epochs=15, negatives=500, batch=512)


def load_parts(name: str) -> list[Triples]:
    """Load training, validation and test facts over the same entities."""
    return load_triples(*(str(folder("kg", name, f"{p}.tsv")) for p in ("train", "valid", "test")))


def read_clauses(name: str) -> str:
    """Read a file of clauses, with the relations named as in the facts."""
    text = folder("kg", "clauses_inferbeddings", name).read_text("utf-8")
    for old, new in RENAMED.items():
        text = text.replace(old, new)
    return text + "\n"


def run_countries(level: int, seed: int, *, rules: bool) -> float:
    """Return the AUC-PR of the regions of 24 test countries."""
    train, _, test = load_parts(f"countries_S{level}")
    relation = train.relations.index("locatedin")
    regions = [train.entities.index(name) for name in REGIONS]
    heads = np.unique(test.facts[:, 0])
    cells = np.array([(h, relation, r) for h in heads for r in regions])
    truth = np.isin(train.keys(cells), test.keys(test.facts))
    clauses = load_rules(read_clauses(f"countries__clauses__s{level}.pl")) if rules else []
    settings = FactSettings(COUNTRIES, seed=seed)
    answer = complete(train, clauses, settings, train.keys(cells))
    return average_precision(answer.score(cells), truth)


def measure_calibration(model: Facts, true: Sequence[Triples]) -> dict[str, float]:
    """Compare the posterior of all facts in question with held-out facts."""
    keys = np.concatenate([part.keys(part.facts) for part in true])
    truth = np.isin(model.world.keys, keys)
    joint = calibration(model.p, truth)
    return {
        "facts": model.world.n,
        "true": int(truth.sum()),
        "ece": joint.ece_width,
        "brier": joint.brier,
        "average_precision": average_precision(model.p, truth),
        "average_precision_embedding": average_precision(model.log_odds, truth),
    }


def run_kinship(seed: int) -> dict[str, Any]:
    """Return ranks with and without mined rules, and the calibration of the joint posterior."""
    train, valid, test = parts = load_parts("kinship")
    rules = load_rules(read_clauses(CLAUSES["kinship"]))
    answer = complete(train, rules, FactSettings(KINSHIP, seed=seed))
    plain = fit_embedding(train, KINSHIP, seed=seed)
    return {
        "with_rules": rank_facts(answer, parts, test.facts),
        "without": rank_facts(plain, parts, test.facts),
        "posterior": measure_calibration(answer, (valid, test)),
        "rules": answer.rules().to_pylist(),
    }


def run_nations(seed: int) -> dict[str, Any]:
    """Return the calibration of the joint posterior on nations."""
    train, valid, test = parts = load_parts("nations")
    rules = load_rules(read_clauses(CLAUSES["nations"]))
    answer = complete(train, rules, FactSettings(NATIONS, seed=seed))
    return {
        "with_rules": rank_facts(answer, parts, test.facts),
        "without": rank_facts(fit_embedding(train, NATIONS, seed=seed), parts, test.facts),
        "posterior": measure_calibration(answer, (valid, test)),
    }


def remove_inverses(train: Triples, rules: Sequence[Rule], seed: int) -> Triples:
    """Remove one of the two facts of a random half of the inverse pairs."""
    rng = np.random.default_rng(seed)
    names = {name: k for k, name in enumerate(train.relations)}
    inverse = {names[rule.body[0].relation]: names[rule.head.relation] for rule in rules}
    head, relation, tail = train.facts.T
    other = np.array([inverse.get(k, -1) for k in range(len(names))])[relation]
    keys = train.keys(train.facts)
    twin = np.where(other >= 0, train.keys(np.stack([tail, other, head], 1)), -1)
    first = np.flatnonzero(np.isin(twin, keys) & (keys < twin))
    chosen = first[rng.random(first.size) < 0.5]
    second = np.searchsorted(keys, twin[chosen])
    hidden = np.zeros(train.n, bool)
    hidden[np.where(rng.random(chosen.size) < 0.5, chosen, second)] = True
    return train.without(hidden)


def run_wn18(seed: int, most: int | None = None) -> dict[str, Any]:
    """Return ranks on test-II (facts that rules derive) with half of the inverse pairs cut."""
    paths = [str(folder("kg", "WN18", f"{p}.tsv")) for p in ("train", "valid", "test")]
    paths.append(str(folder("kg", "WN18", "WN18-testII.txt")))
    train, valid, test, second = load_triples(*paths)
    rules = load_rules(folder("kg", "WN18", "wn18_rule.txt"))
    cut = remove_inverses(train, rules, seed)
    queries = np.random.default_rng(seed).permutation(second.facts)[:most]
    settings = FactSettings(WN18, seed=seed, draws=100, tune=50)
    answer = complete(cut, rules, settings)
    everything = (train, valid, test)
    return {
        "facts": train.n,
        "left": cut.n,
        "queries": len(queries),
        "with_rules": rank_facts(answer, everything, queries),
        "without": rank_facts(fit_embedding(cut, WN18, seed=seed), everything, queries),
        "posterior": measure_calibration(answer, everything),
    }
