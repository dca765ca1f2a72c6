"""The reconciliation API 0.2 of the W3C community group, as functions from JSON to JSON.

https://www.w3.org/community/reports/reconciliation/CG-FINAL-specs-0.2-20230410/ describes the
shapes: service manifest, batches of queries, data extension, suggestions and previews.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from html import escape
from typing import Any

from partita.data.table import list_some, to_text
from partita.errors import InputError
from partita.knowledge.reconciliation import Match, Query, Reconciler

__all__ = ["ReconciliationService"]

API_VERSIONS = ["0.1", "0.2"]
"""Versions of the API; 0.2 adds features of matches, which clients of 0.1 skip."""
SPACE = "urn:partita:reference"
"""URI of the ids of the reference and of its columns: both belong to the user's file."""
ONE_TYPE = {"id": "record", "name": "Record"}
"""The type of all records, where no column holds types."""
CERTAIN = 0.95
"""Probability from which a record counts as a certain match, as in the summary of `link`."""
LIMIT = 10
"""Records that a query returns by default."""
MAX_LIMIT = 100
"""Records, suggestions or properties that one request returns at most."""
MAX_QUERIES = 1_000
"""Queries of one batch, and ids of one data extension, at most."""
MAX_LETTERS = 2_000
"""Characters of a value that are compared."""
MAX_TYPES = 50
"""Types that the manifest lists, the most frequent first."""
PREVIEW = {"width": 430, "height": 300}
"""Size of a preview in pixels."""
DIGITS = 4
"""Decimals of scores and features."""


class ReconciliationService:
    """Answers of a reference to the requests of a reconciliation client."""

    def __init__(self, reconciler: Reconciler, title: str) -> None:
        self.reconciler, self.title = reconciler, title
        counts = Counter(kind for kind in reconciler.types if kind)
        kinds = [kind for kind, _ in counts.most_common(MAX_TYPES)]
        self.types = [{"id": kind, "name": kind} for kind in kinds] or [ONE_TYPE]
        id_name = reconciler.reference.id_name
        self.properties = [
            name for name in reconciler.reference.table.column_names if name != id_name
        ]

    def describe(self, base: str) -> dict[str, Any]:
        """The service manifest; `base` is the address of the service."""
        suggest = {
            kind: {"service_url": base, "service_path": f"/suggest/{kind}"}
            for kind in ("entity", "property", "type")
        }
        proposed = {"service_url": base, "service_path": "/properties"}
        return {
            "versions": API_VERSIONS,
            "name": self.title,
            "identifierSpace": SPACE,
            "schemaSpace": SPACE,
            "defaultTypes": self.types,
            "view": {"url": f"{base}/preview?id={{{{id}}}}"},
            "preview": {"url": f"{base}/preview?id={{{{id}}}}", **PREVIEW},
            "suggest": suggest,
            "extend": {"propose_properties": proposed, "property_settings": []},
        }

    def answer_batch(self, batch: Any) -> dict[str, Any]:
        """Answer a batch of queries: the candidates of each, by its key."""
        if not isinstance(batch, dict):
            raise InputError("queries are no JSON object; give one query under each key")
        if len(batch) > MAX_QUERIES:
            raise InputError(f"there are {len(batch):,} queries; send at most {MAX_QUERIES:,}")
        queries = [self._read_query(key, query) for key, query in batch.items()]
        matches = self.reconciler.find(queries)
        return {
            key: {"result": [self._describe_match(match, group) for match in group]}
            for key, group in zip(batch, matches, strict=True)
        }

    def _read_query(self, key: str, query: Any) -> Query:
        """The values, types and limit of one query."""
        if not isinstance(query, dict) or not ("query" in query or query.get("properties")):
            raise InputError(f"query {key!r} has neither 'query' nor 'properties'; give one")
        values = {}
        text = query.get("query") or ""
        if not isinstance(text, str):
            raise InputError(f"'query' of query {key!r} is {text!r}; give text")
        for place, item in enumerate(query.get("properties") or []):
            if not isinstance(item, dict) or "pid" not in item or "v" not in item:
                raise InputError(
                    f"property {place + 1} of query {key!r} lacks 'pid' or 'v'; give both"
                )
            value = _read_value(item["v"])
            # a client may send columns of its own project, which the reference lacks
            if item["pid"] in self.reconciler.columns and value:
                values[str(item["pid"])] = value[:MAX_LETTERS]
        if text.strip():
            values[self.reconciler.name] = text[:MAX_LETTERS]
        return Query(values, _read_types(key, query.get("type")), _read_limit(query.get("limit")))

    def _describe_match(self, match: Match, group: list[Match]) -> dict[str, Any]:
        """One candidate: the score is the probability in per cent."""
        record = match.record
        return {
            "id": self.reconciler.id(record),
            "name": self.reconciler.names[record],
            "description": self._describe_record(record),
            "score": round(100 * match.p, DIGITS),
            "match": match is group[0] and match.p >= CERTAIN,
            "type": [self._describe_type(record)],
            "features": [
                {"id": name, "value": round(bits, DIGITS)} for name, bits in match.bits.items()
            ],
        }

    def _describe_type(self, record: int) -> dict[str, str]:
        kind = self.reconciler.type_of(record)
        return {"id": kind, "name": kind} if self.reconciler.types else ONE_TYPE

    def _describe_record(self, record: int) -> str:
        """The values of a record beside its name, in one line."""
        values = [
            value
            for name, value in self._read_record(record).items()
            if value and name != self.reconciler.name
        ]
        return "; ".join(values)

    def _read_record(self, record: int) -> dict[str, str | None]:
        """The values of a record as text, by column."""
        row = self.reconciler.reference.table.slice(record, 1)
        return {name: to_text(row.column(name))[0].as_py() for name in self.properties}

    def extend(self, request: Any) -> dict[str, Any]:
        """Return the values of properties of records (data extension)."""
        if not isinstance(request, dict) or not all(
            isinstance(request.get(name), list) for name in ("ids", "properties")
        ):
            raise InputError("extend lacks a list 'ids' or 'properties'; give both")
        names = [str(_read_id(item)) for item in request["properties"]]
        for name in names:
            if name not in self.properties:
                raise InputError(
                    f"there is no property {name!r}; there are {list_some(self.properties)}"
                )
        if len(request["ids"]) > MAX_QUERIES:
            raise InputError(f"there are {len(request['ids']):,} ids; send at most {MAX_QUERIES:,}")
        rows = {str(id): self._extend_record(str(id), names) for id in request["ids"]}
        return {"meta": [{"id": name, "name": name} for name in names], "rows": rows}

    def _extend_record(self, id: str, names: list[str]) -> dict[str, list[dict[str, str]]]:
        """The values of one record; an unknown id has none."""
        place = self.reconciler.places.get(id)
        values = {} if place is None else self._read_record(place)
        return {name: [{"str": value}] if (value := values.get(name)) else [] for name in names}

    def propose(self, type: str | None, limit: str | None) -> dict[str, Any]:
        """Propose properties that records have."""
        names = self.properties[: _read_limit(limit) or MAX_LIMIT]
        entries = [{"id": name, "name": name} for name in names]
        answer: dict[str, Any] = {"properties": entries}
        return answer | ({"type": type} if type else {})

    def suggest(self, kind: str, prefix: str, cursor: str | None = None) -> dict[str, Any]:
        """Suggest entities, properties or types for the first letters of a name.

        `cursor` is the number of suggestions that are skipped.
        """
        skipped = _read_cursor(cursor)
        if kind == "entity":
            return {"result": self._suggest_entities(prefix, skipped)}
        start = prefix.casefold()
        entries = self.types
        if kind == "property":
            entries = [{"id": name, "name": name} for name in self.properties]
        suggestions = [entry for entry in entries if start in entry["name"].casefold()]
        return {"result": suggestions[skipped:]}

    def _suggest_entities(self, prefix: str, skipped: int) -> list[dict[str, Any]]:
        """The record of an id, then names that begin with the text, then the nearest names."""
        text = prefix.strip()
        numbers = [self.reconciler.places[text]] if text in self.reconciler.places else []
        if text:
            values = {self.reconciler.name: text[:MAX_LETTERS]}
            [matches] = self.reconciler.find([Query(values)])
            nearest = [match.record for match in matches if match.record not in numbers]
            begins = [
                self.reconciler.names[record].casefold().startswith(text.casefold())
                for record in nearest
            ]
            # sorting is stable: both groups keep their order
            ranked = sorted(zip(begins, nearest, strict=True), key=lambda pair: not pair[0])
            numbers += [record for _, record in ranked]
        return [
            {
                "id": self.reconciler.id(record),
                "name": self.reconciler.names[record],
                "description": self._describe_record(record),
                "notable": [self._describe_type(record)],
            }
            for record in numbers[skipped : skipped + LIMIT]
        ]

    def preview(self, id: str) -> str | None:
        """A page with the values of a record; None for an unknown id."""
        place = self.reconciler.places.get(id)
        if place is None:
            return None
        cells = "".join(
            f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>"
            for name, value in self._read_record(place).items()
            if value
        )
        title = escape(self.reconciler.names[place] or id)
        return (
            '<!doctype html><html lang="en"><head><meta charset="utf-8">'
            f"<title>{title}</title><style>body{{font:13px sans-serif;margin:8px}}"
            "th{text-align:left;padding-right:1em;vertical-align:top;color:#555}</style></head>"
            f"<body><strong>{title}</strong> <code>{escape(id)}</code><table>{cells}</table>"
            "</body></html>"
        )


def _read_value(value: Any) -> str:
    """The text of a property value: of an entity its name, of a list its first value."""
    if isinstance(value, list):
        return _read_value(value[0]) if value else ""
    if isinstance(value, Mapping):
        return str(value.get("name") or value.get("id") or "")
    if isinstance(value, bool) or value is None:
        return "" if value is None else str(value).lower()
    return str(value).strip()


def _read_id(item: Any) -> Any:
    """The id of a type or property, which may stand alone."""
    return item.get("id") if isinstance(item, Mapping) else item


def _read_types(key: str, types: Any) -> frozenset[str]:
    """The ids of the types of a query."""
    if types is None or types == "":
        return frozenset()
    names = types if isinstance(types, list) else [types]
    ids = [_read_id(item) for item in names]
    texts = [id for id in ids if isinstance(id, str)]
    if len(texts) < len(ids):
        raise InputError(f"query {key!r} has the type {types!r}; give ids of types")
    return frozenset(texts)


def _read_limit(limit: Any) -> int:
    """The number of results, between 1 and the largest."""
    try:
        number = LIMIT if limit is None else int(limit)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"limit is {limit!r}; give a whole number above 0") from None
    return min(max(number, 1), MAX_LIMIT)


def _read_cursor(cursor: str | None) -> int:
    """The number of suggestions to skip."""
    if cursor is None:
        return 0
    try:
        number = int(cursor)
    except ValueError:
        number = -1
    if number < 0:
        raise InputError(f"cursor is {cursor!r}; give a whole number of at least 0")
    return number
