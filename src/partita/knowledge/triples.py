"""Facts as triples (head, relation, tail), numbered: the observed part of a knowledge base."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.data import read
from partita.errors import InputError
from partita.kernel import Ints
from partita.knowledge.rules import Rule

__all__ = [
    "Triples",
    "check_relations",
    "index_triples",
    "load_rows",
    "load_triples",
    "suggest_name",
]

COLUMNS = (
    ("head", "subject", "subj", "s", "source", "entity1"),
    ("relation", "predicate", "pred", "p", "rel"),
    ("tail", "object", "obj", "o", "target", "entity2"),
    ("truth", "true", "label"),
)
"""Names of the columns of a table of facts, in any case; the truth may be missing."""
TRUE, FALSE = {"1", "true", "t", "yes"}, {"0", "false", "f", "no", "-1"}


@dataclass(frozen=True, eq=False)
class Triples:
    """Facts by the numbers of their entities and relations.

    Two entities and a relation have one key, (relation * entities + head) * entities + tail.
    """

    entities: tuple[str, ...]
    relations: tuple[str, ...]
    facts: Ints = field(repr=False)
    """Observed facts, one row each, without repeats: head, relation, tail."""
    false: Ints = field(repr=False)
    """Facts that the input states to be false, in the same form."""

    @property
    def n(self) -> int:
        """The number of observed facts."""
        return len(self.facts)

    def keys(self, facts: Ints) -> Ints:
        """Return the key of each fact."""
        n = len(self.entities)
        head, relation, tail = facts.T
        return (relation * n + head) * n + tail

    def facts_of(self, keys: Ints) -> Ints:
        """Return the facts of keys: head, relation, tail."""
        n = len(self.entities)
        pair, tail = np.divmod(keys, n)
        relation, head = np.divmod(pair, n)
        return np.stack([head, relation, tail], 1)

    def name(self, fact: Iterable[int]) -> tuple[str, str, str]:
        """Return the names of a fact."""
        head, relation, tail = fact
        return self.entities[head], self.relations[relation], self.entities[tail]

    def find(self, head: str, relation: str, tail: str) -> tuple[int, bool | None]:
        """Return the key of a fact, and whether it is observed to be true or false, or None."""
        row = []
        for name, names, noun in (
            (head, self.entities, "entity"),
            (relation, self.relations, "relation"),
            (tail, self.entities, "entity"),
        ):
            if name not in names:
                hint = suggest_name(name, names)
                raise InputError(f"there is no {noun} {name!r} in the facts; {hint}")
            row.append(names.index(name))
        key = int(self.keys(np.array([row]))[0])
        for facts, truth in ((self.facts, True), (self.false, False)):
            if (self.keys(facts) == key).any():
                return key, truth
        return key, None

    def find_latent(self, head: str, relation: str, tail: str) -> int:
        """Return the key of a fact that is not observed; an observed one is an error."""
        key, truth = self.find(head, relation, tail)
        if truth is not None:
            state = "true" if truth else "false"
            raise InputError(f"{head} {relation} {tail} is observed to be {state}; give another")
        return key

    def extended(self, facts: Ints) -> Triples:
        """Return the same knowledge base with further facts."""
        keys = np.union1d(self.keys(self.facts), self.keys(facts))
        return Triples(self.entities, self.relations, self.facts_of(keys), self.false)

    def without(self, hidden: NDArray[np.bool_]) -> Triples:
        """Return the same knowledge base without the marked facts."""
        return Triples(self.entities, self.relations, self.facts[~hidden], self.false)


def load_triples(data: Any, *others: Any, relations: Iterable[str] = ()) -> list[Triples]:
    """Load facts, and further sets of facts over the same entities and relations.

    Parameters
    ----------
    relations
        Relations that need not occur in the facts.
    data
        A path, a data frame or an Arrow table with the columns head, relation and tail (in this
        order, or under one of their usual names) and perhaps `truth` (1 or 0); or a list of tuples.
    """
    loaded = [load_rows(item) for item in (data, *others)]
    rows = [row for part, _ in loaded for row in part]
    entities = tuple(dict.fromkeys(name for head, _, tail in rows for name in (head, tail)))
    names = tuple(dict.fromkeys([*(relation for _, relation, _ in rows), *relations]))
    return [index_triples(part, truth, entities, names) for part, truth in loaded]


def index_triples(
    rows: Sequence[tuple[str, str, str]],
    truth: Sequence[bool],
    entities: tuple[str, ...],
    relations: tuple[str, ...],
) -> Triples:
    """Number the facts by given entities and relations; a fact stated both ways is an error."""
    number = {name: k for k, name in enumerate(entities)}
    kind = {name: k for k, name in enumerate(relations)}
    facts = np.array([(number[h], kind[r], number[t]) for h, r, t in rows], np.int64).reshape(-1, 3)
    holds = np.asarray(truth, bool)
    empty = Triples(entities, relations, facts[:0], facts[:0])
    keys = empty.keys(facts)
    true, false = np.unique(keys[holds]), np.unique(keys[~holds])
    both = np.intersect1d(true, false)
    if both.size:
        names = empty.name(empty.facts_of(both[:1])[0])
        raise InputError(f"the fact {' '.join(names)} is stated true and false; remove one of them")
    return Triples(entities, relations, empty.facts_of(true), empty.facts_of(false))


def load_rows(data: Any) -> tuple[list[tuple[str, str, str]], list[bool]]:
    """Load rows of head, relation and tail, with their truth."""
    if isinstance(data, list | tuple) and data and isinstance(data[0], list | tuple):
        columns: list[list[Any]] = [list(column) for column in _transpose(data)]
        skipped = 0
    else:
        columns, skipped = _load_columns(data)
    parts = [list(column) for column in columns]
    for name, column in zip(("head", "relation", "tail"), parts, strict=False):
        for at, value in enumerate(column):
            if value is None or not str(value).strip():
                raise InputError(f"line {at + skipped + 1} of the facts has no {name}; fill it in")
    triples = [
        (str(h).strip(), str(r).strip(), str(t).strip()) for h, r, t in zip(*parts[:3], strict=True)
    ]
    if len(parts) == 3:
        return triples, [True] * len(triples)
    return triples, [_parse_truth(value, at + skipped + 1) for at, value in enumerate(parts[3])]


def _transpose(rows: Sequence[Sequence[Any]]) -> list[tuple[Any, ...]]:
    for at, row in enumerate(rows):
        if len(row) not in (3, 4) or len(row) != len(rows[0]):
            raise InputError(
                f"fact {at + 1} is {tuple(row)!r}; give head, relation and tail, and for all facts "
                "or none its truth"
            )
    return list(zip(*rows, strict=True))


def _load_columns(data: Any) -> tuple[list[list[Any]], int]:
    """Load the three or four columns of a table, and the number of rows above the first fact."""
    # only files can have a header that counts as a row
    header = False if isinstance(data, str | PathLike) else None
    table = read(data, id=False, header=header).table
    names = [str(name).lower() for name in table.column_names]
    columns = [table.column(k).to_pylist() for k in range(table.num_columns)]
    order, skipped = _find_columns(names), 0
    if order is None:
        order = _find_columns([str(column[0]).strip().lower() for column in columns])
        skipped = 0 if order is None else 1
    if order is None:
        order = list(range(len(columns)))
    if len(order) not in (3, 4):
        raise InputError(
            f"the facts have {len(columns)} columns; give head, relation and tail, separated by "
            "tabs or commas, or name these columns"
        )
    return [columns[k][skipped:] for k in order], skipped


def _find_columns(names: Sequence[str]) -> list[int] | None:
    """Find the columns of head, relation, tail and truth by name; None where one is missing."""
    order = []
    for accepted in COLUMNS:
        places = [names.index(name) for name in accepted if name in names]
        order += places[:1]
        if not places and accepted is not COLUMNS[-1]:
            return None
    return order


def _parse_truth(value: Any, line: int) -> bool:
    text = str(value).strip().lower().removesuffix(".0")
    if text not in TRUE | FALSE:
        raise InputError(f"line {line} of the facts has the truth {value!r}; give 1 or 0")
    return text in TRUE


def suggest_name(name: str, names: Sequence[str]) -> str:
    """Return the advice on an unknown name: the most similar known one, if any."""
    close = difflib.get_close_matches(name, names, 1)
    return f"did you mean {close[0]!r}?" if close else "no fact has it: correct it"


def check_relations(rules: Sequence[Rule], triples: Triples, *, new: bool = False) -> None:
    """Check that the facts hold every relation and every entity that a rule names.

    With `new` the relation of a head may be new: the rules alone derive its facts.
    """
    heads = {rule.head.relation for rule in rules} if new else set()
    for rule in rules:
        where = "the rule" if rule.line is None else f"line {rule.line} of the rules"
        for relation in rule.relations:
            if relation not in triples.relations and relation not in heads:
                hint = suggest_name(relation, triples.relations)
                if relation == rule.head.relation and not new:
                    hint += ", or allow it as a head (--new-relations, or new_relations=True)"
                raise InputError(f"{where} has the unknown relation {relation!r}; {hint}")
        for atom in (rule.head, *rule.body):
            for term in atom.terms:
                if not isinstance(term, str) and term.name not in triples.entities:
                    raise InputError(
                        f"{where} names the unknown entity {term.name!r}; correct it, or remove "
                        "the quotation marks if it is a variable"
                    )
