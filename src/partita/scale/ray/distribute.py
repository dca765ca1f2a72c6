"""The same search on a Ray cluster: shards go to worker processes, and what is lost is done again.

The folder of shards must be seen by all machines under one path. The driver holds neither mentions
nor labels: it hands out numbers of shards and, between rounds, Arrow tables that lie in Ray's
store, of which it knows the names only.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from partita.errors import CheckpointError, InputError
from partita.progress import Bars
from partita.scale.ray.connect import joined
from partita.scale.ray.pool import Crew, Job
from partita.scale.ray.rounds import RANDOM, SUPER, Dealt, deal
from partita.scale.ray.shards import (
    Manifest,
    done_path,
    manifest_of,
    read_json,
    read_vocabulary,
    write_json,
)
from partita.scale.ray.worker import Maker, Outcome, ended
from partita.scale.search import Settings
from partita.states.checks import whole

__all__ = ["Distributed", "distribute"]

AT_ONCE = 2
"""Shards by worker whose mentions are dealt out, and in Ray's store, at one time."""


@dataclass(frozen=True)
class Distributed:
    """What a run over all shards came to; the labels are on disk."""

    mentions: int
    entities: int
    seconds: float
    """CPU seconds of all searches, those of earlier runs included."""
    wall: float
    shards: int
    """Shards of all rounds."""
    resumed: int
    """Of them, those that an earlier run had finished."""
    lost: int
    """How often a worker was lost with a shard in its hands."""
    peak: int
    """Most bytes that one worker held."""
    notes: tuple[str, ...] = ()


def distribute(
    folder: str | Path,
    method: Maker,
    settings: Settings | None = None,
    *,
    rounds: int = 1,
    by: str = SUPER,
    workers: int = 2,
    address: str | None = None,
    memory: int | None = None,
    retries: int = 3,
    patience: float = 120.0,
    progress: bool = False,
    watch: Callable[[Outcome], None] | None = None,
) -> Distributed:
    """Search all shards of a folder on a Ray cluster; one round finds the labels of `search`.

    A shard is done when its labels are on disk: the same call after any failure does the others.

    Parameters
    ----------
    folder
        Of `write_shards`, under the same path on all machines.
    method
        Makes the method from the vocabulary, such as `partial(dirichlet_entities, ...)`.
    rounds, by
        Rounds for canopies that were cut; between them their entities are dealt out by
        "super-entity" or at "random". Other canopies are done after the first.
    workers
        Processes, each with one core and one shard.
    address
        HOST:PORT of a running cluster, or "auto"; by default one is started on this machine.
    memory
        Bytes that each worker sets aside, so that no machine gets more workers than it can hold.
    retries
        How often a shard may lose its worker.
    patience
        Seconds within which some worker must come up.
    watch
        Called after each shard.
    """
    began, settings, base = time.perf_counter(), settings or Settings(), Path(folder).resolve()
    manifest = manifest_of(base)
    check(manifest, settings, by, rounds=rounds, workers=workers)
    whole(retries, "retries", 0)
    words = read_vocabulary(base)
    turns = rounds if manifest.cut else 1
    with joined(address, workers) as ray:
        claim(base, method, settings, by)
        told = ray.put(words), turns > 1
        crew = Crew(ray, (base, method, settings), told, retries, patience)
        run = Run(base, manifest, settings, by, crew, len(words.names))
        crew.start(workers, memory)
        try:
            with Bars(["round 0"], progress) as bars:
                for turn in range(turns):
                    for outcome in run.round(turn):
                        count = len(run.done) + len(run.resumed)
                        facts = f"{count}/{run.total} shards, {crew.lost} lost"
                        bars.show(0, count / run.total, facts, f"round {outcome.turn}")
                        if watch is not None:
                            watch(outcome)
        finally:
            crew.stop()
    return run.told(time.perf_counter() - began)


def check(manifest: Manifest, settings: Settings, by: str, **counts: int) -> None:
    """Raise unless the settings fit the shards and each other."""
    for name, value in counts.items():
        whole(value, name)
    if by not in (RANDOM, SUPER):
        raise InputError(f'entities are dealt out by {by!r}; give "{SUPER}" or "{RANDOM}"')
    for name in ("chunk", "largest"):
        if getattr(settings, name) != getattr(manifest, name):
            raise InputError(
                f"{name} is {getattr(settings, name)} but the shards were written with "
                f"{getattr(manifest, name)}; give that, or write them again"
            )


def claim(folder: Path, method: Maker, settings: Settings, by: str) -> None:
    """Note what is done in a folder; raise if something else was begun there."""
    job = {"scheme": described(method), "by": by, **asdict(settings)}
    job["temperatures"] = list(settings.temperatures)
    del job["threads"]
    path = folder / "job.json"
    if not path.exists():
        write_json(path, job)
        return
    for name, begun in read_json(path, "remove it and the labels").items():
        if job.get(name) != begun:
            raise CheckpointError(
                f"{folder} was begun with {name} {begun!r}, not {job.get(name)!r}; "
                "give the same, or write the shards to a new folder"
            )


def described(value: Any) -> Any:
    """A maker in words that are the same in every process."""
    if isinstance(value, partial):
        return [described(value.func), described(value.args), described(value.keywords)]
    if isinstance(value, dict):
        return {str(key): described(one) for key, one in sorted(value.items())}
    if isinstance(value, list | tuple):
        return [described(one) for one in value]
    if callable(value):
        return f"{value.__module__}.{value.__qualname__}"
    return repr(value)


class Run:
    """The rounds over one folder."""

    def __init__(
        self,
        folder: Path,
        manifest: Manifest,
        settings: Settings,
        by: str,
        crew: Crew,
        groups: int,
    ) -> None:
        self.folder, self.manifest, self.settings, self.by = folder, manifest, settings, by
        self.crew, self.groups = crew, groups
        self.place: dict[int, tuple[int, ...]] = dict(manifest.cut)
        """The shards of the last round that hold each canopy that was cut."""
        self.total = len(manifest.sizes)
        self.done: list[Outcome] = []
        self.resumed: list[Outcome] = []
        self.parted = 0
        """Entities of cut canopies after the first round."""
        self.expected = 0

    def round(self, turn: int) -> Iterator[Outcome]:
        """Do what is left of a round; a file says when all of it is done."""
        self.expected = 0
        path = done_path(self.folder, turn)
        (self.folder / f"round-{turn}").mkdir(exist_ok=True)
        yield from self.first() if turn == 0 else self.later(turn)
        mine = [one for one in (*self.done, *self.resumed) if one.turn == turn]
        found = sum(one.mentions for one in mine)
        if found != self.expected:
            raise CheckpointError(
                f"round {turn} has labels for {found:,} mentions instead of {self.expected:,}; "
                f"remove {path.parent} if its labels are of another run"
            )
        write_json(path, {"mentions": found, "place": list(self.place.items())})

    def first(self) -> Iterator[Outcome]:
        """The shards as they were written."""
        self.expected = sum(self.manifest.sizes)
        numbers = range(len(self.manifest.sizes))
        yield from self.inferred(Job("infer", 0, k) for k in numbers if not self.had(0, k))

    def later(self, turn: int) -> Iterator[Outcome]:
        """The entities of each canopy that was cut, in new pieces; some canopies at a time."""
        place, first = dict[int, tuple[int, ...]](), 0
        for batch in self.batches():
            dealt, missing = self.dealt(turn, batch), dict[int, list[int]]()
            for canopy, (_, _, pieces) in dealt.items():
                place[canopy] = tuple(range(first, first + pieces))
                missing[canopy] = [k for k in place[canopy] if not self.had(turn, k)]
                first, self.total = first + pieces, self.total + pieces
            sent = self.sent(turn - 1, {c: batch[c] for c in batch if missing[c]}, dealt)
            yield from self.inferred(
                Job("infer", turn, k, tuple(one[k - place[canopy][0]] for one in sent[canopy]))
                for canopy, numbers in missing.items()
                for k in numbers
            )
        self.place = place

    def batches(self) -> Iterator[dict[int, tuple[int, ...]]]:
        """Canopies that were cut, enough at a time to keep workers busy: all go through memory."""
        batch = dict[int, tuple[int, ...]]()
        for canopy, sources in sorted(self.place.items()):
            batch[canopy] = sources
            if sum(map(len, batch.values())) >= AT_ONCE * len(self.crew.hands):
                yield batch
                batch = {}
        if batch:
            yield batch

    def dealt(self, turn: int, batch: dict[int, tuple[int, ...]]) -> dict[int, Dealt]:
        """New pieces for the entities of some canopies."""
        group = (turn - 1) % self.groups
        found: dict[int, list[Any]] = {canopy: [] for canopy in batch}
        asked = [
            Job("inspect", turn - 1, source, (canopy, group))
            for canopy, sources in batch.items()
            for source in sources
        ]
        for result in self.crew.run(asked):
            found[result.job.given[0]].append(result.value)
            self.expected += int(result.value[1].sum())
            self.parted += result.value[0].size if turn == 1 else 0
        most, seed = self.settings.largest, self.settings.seed
        return {c: deal(parts, self.by, most, [seed, turn, c]) for c, parts in found.items()}

    def sent(
        self, turn: int, batch: dict[int, tuple[int, ...]], dealt: dict[int, Dealt]
    ) -> dict[int, list[list[Any]]]:
        """By canopy and shard of the last round, a table for each new piece: names in the store."""
        found: dict[int, list[list[Any]]] = {canopy: [] for canopy in batch}
        asked = []
        for canopy, sources in batch.items():
            given = (canopy, self.crew.ray.put(dealt[canopy]))
            asked += [Job("scatter", turn, k, given, dealt[canopy][2]) for k in sources]
        for result in self.crew.run(asked):
            found[result.job.given[0]].append(result.parts)
        return found

    def inferred(self, jobs: Iterable[Job]) -> Iterator[Outcome]:
        """Search shards."""
        for result in self.crew.run(jobs):
            self.done.append(result.value)
            yield result.value

    def had(self, turn: int, number: int) -> bool:
        """Whether an earlier run has done a shard."""
        found = ended(self.folder, turn, number)
        if found is not None:
            self.resumed.append(found)
        return found is not None

    def told(self, wall: float) -> Distributed:
        """What all rounds came to."""
        every = [*self.done, *self.resumed]
        last = max(one.turn for one in every) if every else 0
        entities = self.manifest.alone + sum(one.entities for one in every if one.turn == 0)
        if last:
            entities += sum(one.entities for one in every if one.turn == last) - self.parted
        return Distributed(
            mentions=self.manifest.alone + sum(one.mentions for one in every if one.turn == 0),
            entities=entities,
            seconds=sum(one.seconds for one in every),
            wall=wall,
            shards=len(every),
            resumed=len(self.resumed),
            lost=self.crew.lost,
            peak=max((one.peak for one in every), default=0),
            notes=self.manifest.notes,
        )
