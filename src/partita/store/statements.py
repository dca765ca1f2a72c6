"""Statements of a user about records, turned into corrections; contradictions are refused.

"A and B together" and "B and C together" imply that A and C are together. A statement that
contradicts such a chain is refused, and the message lists the chain.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, pairwise
from typing import Any, NamedTuple

from partita.data import read
from partita.errors import InputError
from partita.store.corrections import APART, TOGETHER, Correction, list_corrections
from partita.store.database import Database
from partita.store.delivery import Key
from partita.store.history import find_versions, name_record

__all__ = [
    "Statement",
    "add_statements",
    "find_entity",
    "find_record",
    "read_statements",
    "state_entity",
    "state_groups",
]


Links = defaultdict[Key, list[tuple[Key, Correction]]]
"""The corrections of each record, with the other record."""


class Statement(NamedTuple):
    """Two records that are together or apart."""

    kind: str
    left: Key
    right: Key


def find_record(db: Database, id: str) -> Key:
    """Source and id of a present record, by its id or "source:id"."""
    for record in reversed(find_versions(db, str(id))):
        row = db.rows("SELECT source, id, entity FROM records WHERE record = ?", (record,))[0]
        if row[2] is not None:
            return row[0], row[1]
    raise InputError(f"the record {id!r} is no longer in the store; `partita history` shows why")


def find_entity(db: Database, id: str) -> int:
    """The number of an entity by its id; an id that redirects is followed."""
    entity = db.value("SELECT entity FROM entities WHERE id = ?", (id,))
    if entity is None:
        raise InputError(f"there is no entity {id!r}; give a cluster_id of `partita export`")
    while True:
        into = db.value("SELECT merged_into FROM entities WHERE entity = ?", (entity,))
        if into is None:
            return int(entity)
        entity = into


def state_groups(db: Database, kind: str, groups: Iterable[Sequence[Any]]) -> list[Statement]:
    """Statements that the records of each group are together, or apart from each other."""
    return [
        Statement(kind, find_record(db, left), find_record(db, right))
        for group in groups
        for left, right in _list_pairs(kind, [str(id) for id in group])
    ]


def _list_pairs(kind: str, ids: Sequence[str]) -> list[tuple[str, str]]:
    """The pairs of a group: a chain where records are together, all pairs where they are apart."""
    if len(ids) < 2:
        raise InputError(f"{kind} names {len(ids)} records; give two or more ids")
    return list(pairwise(ids) if kind == TOGETHER else combinations(ids, 2))


def state_entity(db: Database, id: str, records: Sequence[str]) -> list[Statement]:
    """Statements that an entity has exactly these records."""
    keys = [find_record(db, record) for record in records]
    entities = [
        db.value(
            "SELECT entity FROM records WHERE source = ? AND id = ? AND entity IS NOT NULL", key
        )
        for key in keys
    ]
    if find_entity(db, id) not in entities:
        raise InputError(f"the entity {id} has none of these records; name one of its records")
    sql = "SELECT source, id FROM records WHERE entity IN :keys"
    members = [(row[0], row[1]) for row in db.rows_in(sql, entities)]
    first = keys[0]
    together = [Statement(TOGETHER, first, key) for key in keys[1:]]
    return together + [Statement(APART, first, key) for key in members if key not in set(keys)]


def add_statements(
    db: Database,
    run: int,
    statements: Iterable[Statement],
    reason: str,
    reference: str | None = None,
) -> list[Key]:
    """Store statements as corrections; return the records that they name.

    Records of the source `reference` are different entities.
    """
    known = {TOGETHER: Links(list), APART: Links(list)}
    for correction in list_corrections(db):
        _add_link(known[correction.kind], correction)
    named: list[Key] = []
    for statement in statements:
        if statement.left == statement.right:
            raise InputError(f"{_name(statement.left)} is named twice; give two different records")
        links = known[statement.kind]
        if any(other == statement.right for other, _ in links[statement.left]):
            continue
        _check_consistent(known, statement, reference)
        cursor = db.execute(
            "INSERT INTO corrections (run, kind, source_l, id_l, source_r, id_r, reason) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            (run, statement.kind, *statement.left, *statement.right, reason),
        )
        _add_link(links, Correction(int(cursor.lastrowid or 0), run, *statement, reason))
        named += [statement.left, statement.right]
    return named


def _add_link(links: Links, correction: Correction) -> None:
    links[correction.left].append((correction.right, correction))
    links[correction.right].append((correction.left, correction))


def _check_consistent(known: Mapping[str, Links], new: Statement, reference: str | None) -> None:
    """Raise an InputError with the chain of corrections that a statement contradicts."""
    links = known[TOGETHER]
    if new.kind == APART:
        chain = _find_chain(links, new.left).get(new.right)
        if chain is not None:
            raise _contradiction(new, chain)
        return
    left, right = _find_chain(links, new.left), _find_chain(links, new.right)
    fixed = [(a, b) for a in left for b in right if a[0] == b[0] == reference and a != b]
    if reference is not None and fixed:
        a, b = fixed[0]
        raise _contradiction(
            new,
            [*left[a], *right[b]],
            f"{_name(a)} and {_name(b)} are different records of the reference {reference}",
        )
    for a, chain in left.items():
        for b, correction in known[APART].get(a, ()):
            if b in right:
                raise _contradiction(new, [*chain, correction, *right[b]])


def _find_chain(links: Links, start: Key) -> dict[Key, list[Correction]]:
    """The shortest chain of corrections to each record that is together with the start."""
    chains: dict[Key, list[Correction]] = {start: []}
    queue = deque([start])
    while queue:
        key = queue.popleft()
        for other, statement in links.get(key, []):
            if other not in chains:
                chains[other] = [*chains[key], statement]
                queue.append(other)
    return chains


def _name(key: Key) -> str:
    return str(name_record(*key))


def _contradiction(new: Statement, chain: Sequence[Any], fact: str = "") -> InputError:
    """The error of a statement that contradicts corrections, and a fact about the records."""
    sentences = [
        f"correction {statement.number}: {_name(statement.left)} and {_name(statement.right)} "
        f"{statement.kind}"
        for statement in chain
    ]
    step = f"remove one of them first (--remove {chain[0].number})" if chain else "leave it out"
    return InputError(
        f"{_name(new.left)} and {_name(new.right)} {new.kind} contradicts "
        f"{'; '.join([*filter(None, [fact]), *sentences])}; {step}"
    )


def read_statements(source: Any) -> tuple[list[list[str]], list[list[str]]]:
    """Pairs of ids that must and that cannot be one entity, from a file of constraints."""
    table = read(source, id=False).table
    for name in ("id_l", "id_r", "constraint"):
        if name not in table.column_names:
            raise InputError(
                f"the corrections have no column {name!r}; give id_l, id_r, constraint"
            )
    pairs: dict[str, list[list[str]]] = {"must": [], "cannot": []}
    for row in table.to_pylist():
        if row["constraint"] not in pairs:
            raise InputError(f"constraint is {row['constraint']!r}; give must or cannot")
        ends = [str(row["id_l"]), str(row["id_r"])]
        for at, side in enumerate("lr"):
            if row.get(f"source_{side}"):
                ends[at] = f"{row[f'source_{side}']}:{ends[at]}"
        pairs[row["constraint"]].append(ends)
    return pairs["must"], pairs["cannot"]
