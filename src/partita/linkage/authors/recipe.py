"""The author recipe: resolve up to millions of author mentions on papers into persons.

Entities are scored by the features of HCOREF 4 (Wick, Singh & McCallum 2012), kept as sums, so that
the cost of a move depends on its mention only. The recipe searches for the best partition, canopy
by canopy; it does not sample a posterior, so it has no probabilities.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from partita.data import Records, check_output, extend_input, read, write
from partita.errors import InputError
from partita.io import temporary_folder
from partita.kernel import Ints
from partita.linkage.authors.mentions import AuthorMentions, author_mentions
from partita.linkage.authors.models import (
    AuthorModel,
    search_settings,
    train_model,
    unsupervised_model,
)
from partita.linkage.output.tables import RESULTS
from partita.progress import Clock
from partita.scale import Mentions, Settings, search
from partita.scale.limits import restore_order
from partita.states.checks import whole

__all__ = ["ENGINES", "AuthorResolution", "resolve_authors"]

ENGINES = ("auto", "flat", "ray")
MAX_LARGEST = 5
"""Largest entities that the summary names."""


class Outcome(NamedTuple):
    """The result of an engine: the first mention of each mention's entity, and the steps."""

    labels: Ints
    engine: str
    steps: int | None
    notes: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class AuthorResolution:
    """The result of `resolve_authors`."""

    records: Records
    labels: Ints
    """By record, the first record of its entity."""
    encoded: AuthorMentions
    outcome: Outcome
    why_engine: str
    seed: int
    threads: int
    seconds: dict[str, float]
    """CPU seconds by stage."""

    def results(self) -> dict[str, Any]:
        """The new columns: the first record of the entity; a search has no probabilities."""
        nulls = pa.nulls(self.records.n, pa.float64())
        ids = self.records.qualify_ids().take(pa.array(self.labels))
        return dict(zip(RESULTS, (ids, nulls, nulls), strict=True))

    def table(self) -> Any:
        """The input with the new columns, in the type of the input."""
        return extend_input(self.records, self.results())

    def write(self, path: str | Path) -> Path:
        """Write the input with the new columns."""
        return write(self.records, self.results(), path)

    def summary(self) -> dict[str, Any]:
        """The result in numbers, ready for JSON."""
        sizes = np.bincount(self.labels, minlength=self.records.n)
        canopies = np.diff(self.encoded.mentions.canopy)
        return {
            "recipe": "authors",
            "records": self.records.n,
            "entities": int((sizes > 0).sum()),
            "largest": int(sizes.max()),
            "largest_entities": self._largest(sizes),
            "canopies": int(canopies.size),
            "largest_canopy": int(canopies.max()),
            "columns": self.encoded.columns,
            "engine": self.outcome.engine,
            "why_engine": self.why_engine,
            "probabilities": "none: the recipe searches for one partition and does not sample, "
            "so p_member and p_cluster are empty",
            "steps": self.outcome.steps,
            "warnings": [*self.records.notes, *self.encoded.notes, *self.outcome.notes],
            "seconds": self.seconds,
            "threads": self.threads,
            "seed": self.seed,
        }

    def _largest(self, sizes: Ints) -> list[dict[str, Any]]:
        """The name on the first mention of each of the largest entities, and its mentions."""
        order = np.argsort(-sizes, kind="stable")[:MAX_LARGEST]
        order = order[sizes[order] > 0]
        roles = self.encoded.columns
        parts = [roles[role] for role in ("name", "first", "middle", "last") if role in roles]
        rows = self.records.original(order).select(parts).to_pylist()
        return [
            {"name": " ".join(str(part) for part in row.values() if part), "mentions": int(size)}
            for row, size in zip(rows, sizes[order], strict=True)
        ]


def resolve_authors(
    data: Any,
    *,
    id: str | None = None,
    source: str | None = None,
    ignore: str | Iterable[str] = (),
    canopies: str | None = None,
    truth_column: str | None = None,
    memory: int | str | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    seed: int = 0,
    threads: int | None = None,
    engine: str = "auto",
    address: str | None = None,
    folder: str | PathLike[str] | None = None,
    progress: bool = False,
) -> AuthorResolution:
    """Resolve mentions of authors into persons.

    Parameters
    ----------
    data
        Anything that `partita.read` takes, including BibTeX files. The recipe finds columns of last
        (or whole), first and middle names, coauthors, titles and venues by their names.
    id, source, ignore, memory, encoding, delimiter
        As for `read`.
    canopies
        A column whose values no entity crosses; by default last name and first initial.
    truth_column
        A column with the true author of some mentions, which the model is trained on. These
        mentions are resolved like all others.
    seed, threads
        The result depends on the seed, not on the number of threads.
    engine
        "flat" (this machine), "ray" (a cluster), or "auto": flat unless there is an address.
    address
        HOST:PORT of a Ray cluster; by default one is started on this machine.
    folder
        The folder of the shards during a run on a cluster; all machines must see it.

    Examples
    --------
    >>> rows = [{"name": "Ann Lee", "title": "sums"}] * 2 + [{"name": "Bob Orr", "title": "sets"}]
    >>> [row["cluster_id"] for row in resolve_authors(rows).table()]
    [0, 0, 2]
    """
    whole(seed, "seed", 0)
    cores = whole(threads, "threads") if threads is not None else os.cpu_count() or 1
    engine_name, reason = _engine(engine, address)
    clock = Clock(progress)
    with clock.stage("read", "reading"):
        ignored = [ignore] if isinstance(ignore, str) else [*ignore]
        ignored += [column for column in (canopies, truth_column) if column is not None]
        records = read(
            data,
            id=id,
            source=source,
            ignore=ignored,
            memory=memory,
            encoding=encoding,
            delimiter=delimiter,
        )
        check_output(records, RESULTS)
    with clock.stage("encode", "encoding"):
        encoded = author_mentions(records, canopies)
    model = unsupervised_model()
    if truth_column is not None:
        with clock.stage("learn", "training on labels"):
            model = train_model(encoded, records, truth_column, seed)
    settings = search_settings(seed, cores)
    if engine_name == "flat":
        outcome = _flat(encoded.mentions, model, settings, clock)
    else:
        outcome = _ray(encoded.mentions, model, settings, address, folder, clock)
    labels = restore_order(outcome.labels, encoded.row)
    workers = "threads" if engine_name == "flat" else "workers"
    why = f"{reason}: {_size(encoded, canopies)}, {cores} {workers}"
    return AuthorResolution(
        records, labels, encoded, outcome, why, seed, cores, dict(clock.seconds)
    )


def _engine(engine: str, address: str | None) -> tuple[str, str]:
    """The engine, and the reason for it."""
    if engine not in ENGINES:
        raise InputError(f"engine is {engine!r}; give one of {', '.join(ENGINES)}")
    if engine == "flat" and address is not None:
        raise InputError(
            f"the engine 'flat' runs on this machine, not at {address}; give ray, or no address"
        )
    if engine == "auto" and address is not None:
        return "ray", f"a cluster at {address} was given"
    if engine == "auto":
        return "flat", "the mentions fit into the memory of this machine"
    return engine, "chosen by the user"


def _size(encoded: AuthorMentions, canopies: str | None) -> str:
    sizes, by = np.diff(encoded.mentions.canopy), canopies or "last name and first initial"
    return (
        f"{encoded.mentions.size:,} mentions in {sizes.size:,} canopies by {by}, "
        f"the largest has {sizes.max():,}"
    )


def _flat(mentions: Mentions, model: AuthorModel, settings: Settings, clock: Clock) -> Outcome:
    """Search on the threads of this machine."""
    searched = 0

    def watch(chunk: Any) -> None:
        nonlocal searched
        searched += chunk.rows.size
        report(searched / mentions.size)

    with clock.stage("search", "searching") as report:
        result = search(mentions, model.method(mentions.vocabulary), settings, watch=watch)
    return Outcome(result.labels, f"flat {model.description}", result.steps, result.notes)


def _ray(
    mentions: Mentions,
    model: AuthorModel,
    settings: Settings,
    address: str | None,
    folder: str | PathLike[str] | None,
    clock: Clock,
) -> Outcome:
    """Search on a Ray cluster; the CPU time of the workers is counted."""
    from partita.scale.ray.distribute import distribute
    from partita.scale.ray.labels import all_labels
    from partita.scale.ray.shards import write_shards

    with (
        clock.stage("search"),
        temporary_folder(folder) as place,
    ):
        shards = place / "shards"
        write_shards(mentions, shards, settings)
        result = distribute(
            shards,
            model.method,
            settings,
            workers=settings.threads,
            address=address,
            progress=clock.progress,
        )
        labels = all_labels(shards)
    clock.seconds["search"] += result.seconds
    return Outcome(labels, f"{model.description}, on Ray", None, result.notes)
