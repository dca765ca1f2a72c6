"""`Store`: entities over time. Records are added and corrected, runs undone; ids stay stable."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from partita.data.postgres import find_existing, hide_password, parse_address, write_postgres
from partita.data.write import convert_table, write_table
from partita.errors import InputError
from partita.kernel import Ints
from partita.store.check import check_store
from partita.store.corrections import APART, TOGETHER, list_corrections, remove_corrections
from partita.store.database import WAIT, Database
from partita.store.delivery import (
    Key,
    compare_delivery,
    find_present,
    insert_delivery,
    read_delivery,
)
from partita.store.drift import (
    Measure,
    is_learning_due,
    measure_deliveries,
    measure_values,
    report_drift,
    write_measures,
)
from partita.store.export import export_table, golden_records, list_tables
from partita.store.find import find_entities
from partita.store.forget import erase_record
from partita.store.history import (
    check_run,
    compare_runs,
    list_events,
    list_runs,
    name_record,
    read_history,
    undo_run,
)
from partita.store.indexing import index_changes, load_records
from partita.store.journal import Changes, Membership, start_run
from partita.store.model import StoreModel
from partita.store.rates import follow_rates
from partita.store.records import Layout, entities_of, read_layout
from partita.store.statements import add_statements, find_record, state_entity, state_groups

if TYPE_CHECKING:
    from partita.linkage.result import Resolution

__all__ = ["Store"]

NO_RECORDS = np.empty(0, np.int64)
EVENTS_COUNTED = ("created", "joined", "left", "merged", "split", "relearned")


class Store:
    """A database of records and entities, which `partita resolve --store` creates.

    Parameters
    ----------
    path
        The file of the store.
    frames
        The type of tables that methods return: "arrow", "pandas", "polars", "duckdb" or "dicts".
    wait
        Seconds to wait for another process that writes.

    Examples
    --------
    >>> import partita
    >>> rows = [{"id": k, "name": n, "town": t} for k, (n, t) in enumerate(
    ...     [("Ann Lee", "Ely"), ("Ann Lee", "Ely"), ("Bob Orr", "Bath")])]
    >>> store = Store.create(partita.resolve(rows, seed=1), "people.partita")  # doctest: +SKIP
    >>> store.add([{"id": 3, "name": "Bob Orr", "town": "Bath"}])["joined"]  # doctest: +SKIP
    1
    """

    def __init__(
        self, path: str | PathLike[str], *, frames: str = "arrow", wait: float = WAIT
    ) -> None:
        self.path = Path(path)
        self.frames = frames
        self._db = Database(path, wait=wait)
        self._db.find_faults = check_store
        self._model: tuple[int, StoreModel, Layout] | None = None

    @classmethod
    def create(cls, result: Resolution, path: str | PathLike[str]) -> Store:
        """Turn a result into a store; a file at the path is replaced."""
        from partita.store.create import create_store

        return cls(create_store(result, path), frames=result.records.input_type)

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _read_model(self) -> tuple[StoreModel, Layout]:
        run = self._db.value("SELECT max(run) FROM models")
        if self._model is None or self._model[0] != run:
            text = self._db.value("SELECT content FROM models WHERE run = ?", (run,))
            model = self._db.decode(
                "its model", text, lambda text: StoreModel.from_dict(json.loads(text))
            )
            self._model = (run, model, read_layout(self._db))
        return self._model[1:]

    def add(
        self,
        data: Any = None,
        *,
        source: str | None = None,
        delete: Iterable[Any] = (),
        is_complete: bool = False,
        dry_run: bool = False,
        reason: str = "",
    ) -> dict[str, Any]:
        """Add new and changed records and remove others; return the number of each event.

        `drift` lists how the records added since the model was learned differ from those that it
        was learned from. A sentence in it is a reason to `train` the store. `relearned` is 1 if
        this run learned the model of a small store again from all records.

        Parameters
        ----------
        data
            New records, and changed ones under the id that they have in the store.
        source
            The source of the records, in a store of several sources whose new records name none.
        delete
            Ids of records to remove.
        is_complete
            Whether the delivery holds all records of its sources: others are removed.
        dry_run
            Whether the store stays as it is.
        reason
            The reason that the log shows; by default the name of the file.
        """
        with self._db.write(is_trial=dry_run):
            db = self._db
            model, layout = self._read_model()
            keys, table = list[Key](), layout.schema.empty_table()
            if data is not None:
                keys, table = read_delivery(db, data, layout, model, source)
            delivery = compare_delivery(db, layout, keys, table, is_complete=is_complete)
            removed = {*delivery.removed, *self._find_records(delete)}
            named = hide_password(str(data)) if isinstance(data, str | Path) else "delivery"
            title = reason or named
            counts = {
                "new": len(delivery.keys) - len(delivery.replaced),
                "changed": len(delivery.replaced),
                "unchanged": delivery.unchanged,
                "removed": len(removed) - len(delivery.replaced),
            }
            run = start_run(db, "add", title, counts)
            new = insert_delivery(db, layout, model, delivery)
            values = self._measure_values(layout, model, new)
            gone = sorted(removed)
            index_changes(db, layout, model, new.tolist(), gone)
            is_learned = self._learn_again(run, new, gone)
            changes = Changes(records={record: Membership(None, None) for record in gone})
            self._reconsider(run, gone, changes, new)
            if not is_learned:
                write_measures(db, run, [*values, *measure_deliveries(db, run)])
            drift = report_drift(db, self._read_model()[0])
            return {"run": run, **counts, **self._count_events(run), "drift": drift}

    def _measure_values(self, layout: Layout, model: StoreModel, new: Ints) -> list[Measure]:
        """The fill rates and new values of records before they are indexed."""
        if not new.size:
            return []
        loaded = load_records(self._db, layout, model, new)
        return measure_values(self._db, loaded.prepare_apart(model))

    def _learn_again(self, run: int, new: Ints, gone: list[int]) -> bool:
        """Learn the model from all records if it comes from far fewer; return whether it is."""
        model, layout = self._read_model()
        if not new.size or not is_learning_due(self._db, model):
            return False
        from partita.store.relearn import learn_model

        learn_model(self._db, layout, model, run, new, gone)
        return True

    def _find_records(self, ids: Iterable[Any]) -> list[int]:
        """The numbers of present records by id."""
        keys = [find_record(self._db, str(id)) for id in ids]
        return list(find_present(self._db, keys).values())

    def _reconsider(
        self, run: int, records: Sequence[int], changes: Changes, new: Ints = NO_RECORDS
    ) -> None:
        """Reconsider the entities of records, new records, and the entities that they touch."""
        # imported here: `find` and `log` run no inference, and its modules load for half a second
        from partita.store.add import reconsider

        model, layout = self._read_model()
        entities = entities_of(self._db, np.array(records, np.int64))
        reconsider(self._db, layout, model, run, new, entities, changes)

    def _count_events(self, run: int) -> dict[str, int]:
        rows = self._db.rows("SELECT event, count(*) FROM events WHERE run = ? GROUP BY 1", (run,))
        counts = Counter(dict(rows))
        return {name: counts[name] for name in EVENTS_COUNTED}

    def correct(
        self,
        *,
        together: Iterable[Sequence[Any]] = (),
        apart: Iterable[Sequence[Any]] = (),
        entity: tuple[str, Sequence[Any]] | None = None,
        remove: Iterable[int] = (),
        reason: str = "",
        dry_run: bool = False,
    ) -> dict[str, Any]:
        """Put records together or apart for good; later runs obey.

        Parameters
        ----------
        together, apart
            Groups of two or more record ids.
        entity
            The id of an entity, and the ids of exactly its records.
        remove
            Numbers of corrections to remove, as `corrections` lists them.
        """
        with self._db.write(is_trial=dry_run):
            db = self._db
            model, _ = self._read_model()
            run = start_run(db, "correct", reason or "correction", {})
            statements = [
                *state_groups(db, TOGETHER, together),
                *state_groups(db, APART, apart),
            ]
            if entity is not None:
                statements += state_entity(db, entity[0], [str(id) for id in entity[1]])
            named = remove_corrections(db, run, remove)
            named += add_statements(db, run, statements, reason, model.settings.reference)
            records = sorted(find_present(db, named).values())
            self._reconsider(run, records, Changes())
            return {"run": run, "corrections": len(statements), **self._count_events(run)}

    def corrections(self) -> list[dict[str, Any]]:
        """The corrections in force."""
        with self._db.read():
            return [
                {
                    "number": correction.number,
                    "run": correction.run,
                    "kind": correction.kind,
                    "left": name_record(*correction.left),
                    "right": name_record(*correction.right),
                    "reason": correction.reason,
                }
                for correction in list_corrections(self._db)
            ]

    def undo(self, run: int) -> dict[str, Any]:
        """Undo a run of `add`, `correct` or `undo`, unless a later run changed its entities."""
        with self._db.write():
            model, layout = self._read_model()
            new, appeared, vanished = undo_run(self._db, run)
            index_changes(self._db, layout, model, appeared, vanished)
            follow_rates(self._db)
            return {"run": new, "undone": run, **self._count_events(new)}

    def forget(self, id: Any) -> dict[str, Any]:
        """Erase the values and the id of a record everywhere, and keep a tombstone."""
        with self._db.write():
            model, layout = self._read_model()
            run = start_run(self._db, "forget", "erasure", {})
            changes = erase_record(self._db, layout, model, run, str(id))
            self._reconsider(run, [*changes.records], changes)
        # erased values leave the journal of the database as well
        with self._db.translate_errors():
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return {"run": run, "forgotten": 1}

    def train(self, *, dry_run: bool = False) -> dict[str, Any]:
        """Learn the model again from all records and corrections, and resolve them by it.

        `weights` lists the match weights (bits) that change most. With `dry_run` the store stays
        as it is.
        """
        from partita.store.relearn import compare_weights, relearn

        with self._db.write(is_trial=dry_run):
            model, layout = self._read_model()
            run = start_run(self._db, "train", "model learned again", {})
            learned = relearn(self._db, layout, model, run)
            weights = compare_weights(model.learned, learned.learned)
            return {"run": run, **self._count_events(run), "weights": weights}

    def drift(self) -> list[dict[str, Any]]:
        """How records added since the model was learned differ from those it was learned from."""
        with self._db.read():
            return report_drift(self._db, self._read_model()[0])

    def find(self, values: Mapping[str, Any], *, limit: int = 10) -> list[dict[str, Any]]:
        """The entities that fit one new record, the likeliest first, with probabilities."""
        with self._db.read():
            model, layout = self._read_model()
            return find_entities(self._db, layout, model, values, limit)

    def runs(self) -> list[dict[str, Any]]:
        """All runs, the first one first."""
        with self._db.read():
            return list_runs(self._db)

    def events(
        self, run: int, *, limit: int | None = None, offset: int = 0
    ) -> list[dict[str, Any]]:
        """The events of a run: created, joined, left, merged, split, corrected, relearned.

        `limit` and `offset` select a page of them.
        """
        with self._db.read():
            return list_events(self._db, check_run(self._db, run), limit, offset)

    def history(self, id: Any) -> list[dict[str, Any]]:
        """The events of an entity or of a record."""
        with self._db.read():
            return read_history(self._db, str(id))

    def diff(self, before: int, after: int) -> list[dict[str, Any]]:
        """The records whose entity differs between the states as of two runs."""
        with self._db.read():
            return compare_runs(self._db, before, after)

    def export(self, run: int | None = None) -> Any:
        """The records with cluster_id, p_member and p_cluster, now or as of a run."""
        with self._db.read():
            table = export_table(self._db, read_layout(self._db), run)
        return convert_table(table, self.frames)

    def write(self, path: str | PathLike[str], run: int | None = None) -> Path:
        """Write the export to a file."""
        with self._db.read():
            table = export_table(self._db, read_layout(self._db), run)
        return write_table(table, Path(path))

    def write_database(
        self, address: str, run: int | None = None, *, replace: bool = False
    ) -> list[str]:
        """Write records, entities and log to PostgreSQL in one transaction; return the tables.

        `address` is `postgresql://host/database::TABLE`. The tables are TABLE, TABLE_entities and
        TABLE_log; existing ones are an error unless `replace` is true.
        """
        name = parse_address(address).table
        with self._db.read():
            tables = list_tables(self._db, read_layout(self._db), name, run)
        existing = [] if replace else find_existing(address, list(tables))
        if existing:
            raise InputError(
                f"there is a table {existing[0]} already; replace it by --force, or replace=True"
            )
        write_postgres(address, tables)
        return list(tables)

    def golden(self, run: int | None = None, *, survivorship: Sequence[str] | None = None) -> Any:
        """One record per entity with its surviving values, now or as of a run.

        `survivorship` replaces the rules of the settings, as `["phone=recent:updated"]`.
        """
        return convert_table(self._golden_table(run, survivorship), self.frames)

    def write_golden(
        self,
        path: str | PathLike[str],
        run: int | None = None,
        *,
        survivorship: Sequence[str] | None = None,
    ) -> Path:
        """Write the golden records to a file."""
        return write_table(self._golden_table(run, survivorship), Path(path))

    def _golden_table(self, run: int | None, survivorship: Sequence[str] | None) -> Any:
        with self._db.read():
            model, layout = self._read_model()
            return golden_records(self._db, layout, model, run, survivorship)

    def check(self) -> list[str]:
        """The invariants that the store breaks; an empty list where it is sound."""
        with self._db.read():
            return check_store(self._db)
