"""Random adds, corrections and undos: replay of the log, killed processes and readers."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import pyarrow as pa

import partita
from partita.errors import InputError
from partita.synthetic import people

__all__ = ["measure_kills", "measure_readers", "measure_replay"]

RECORDS = 500
"""Generated people: the first half creates the store, the rest is added."""
SEED = 5
"""The seed of people and of random changes."""
BATCH = 5
"""Records of one add, at most."""
CHANGES_TIMED = 5
"""Changes whose mean time limits the time of a kill: a killed process made up to two changes."""


def create(folder: Path, seed: int = SEED) -> tuple[partita.Store, pa.Table]:
    """A store of generated people, and the people that are not in it yet."""
    warnings.simplefilter("ignore")
    table = people(RECORDS, seed, truth=None).table()
    first = partita.resolve(table.slice(0, RECORDS // 2), seed=seed)
    return partita.Store.create(first, folder / "store.partita"), table.slice(RECORDS // 2)


def change(store: partita.Store, rest: pa.Table, dice: random.Random) -> str:
    """Make one random change; a change that the store refuses counts as one."""
    verb = dice.choice(["add", "add", "add", "change", "delete", "correct", "undo"])
    ids = store.export().column("unique_id").to_pylist()
    try:
        if verb == "add":
            at = dice.randrange(rest.num_rows - BATCH)
            store.add(rest.slice(at, dice.randint(1, BATCH)))
        elif verb == "change":
            row = rest.slice(dice.randrange(rest.num_rows), 1).to_pylist()[0]
            store.add([{**row, "unique_id": dice.choice(ids)}])
        elif verb == "delete":
            store.add(delete=[dice.choice(ids)])
        elif verb == "correct":
            kind = dice.choice(["together", "apart"])
            store.correct(**{kind: [dice.sample(ids, 2)]})
        else:
            store.undo(dice.randint(1, len(store.runs())))
    except InputError as error:
        return f"{verb} refused: {error}"
    return verb


def measure_replay(changes: int, seed: int) -> dict[str, Any]:
    """Make random changes and check the store after each; then replay the log in two ways.

    The log must give the state as of each run, and the same changes on a copy of the first store
    must end in the same state.
    """
    dice = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        store, rest = create(Path(folder), seed)
        copy = shutil.copy(store.path, Path(folder) / "copy.partita")
        states, refused, broken = {1: _export_sorted(store)}, 0, []
        for _ in range(changes):
            refused += "refused" in change(store, rest, dice)
            broken += store.check()
            states[len(store.runs())] = _export_sorted(store)
        equal = [_export_sorted(store, run) == state for run, state in states.items()]
        with partita.Store(copy) as repeated:
            dice = random.Random(seed)
            for _ in range(changes):
                change(repeated, rest, dice)
            is_repeated = _export_sorted(repeated) == states[max(states)]
        store.close()
    return {
        "seed": seed,
        "changes": changes,
        "refused": refused,
        "runs": max(states),
        "states_replayed": sum(equal),
        "states": len(states),
        "repeated_changes_equal": is_repeated,
        "broken": broken,
    }


def _export_sorted(store: partita.Store, run: int | None = None) -> list[bytes]:
    """The lines of the export as CSV, sorted."""
    path = store.write(store.path.with_name("export.csv"), run)
    return sorted(path.read_bytes().splitlines())


def measure_kills(kills: int) -> dict[str, Any]:
    """Kill processes that make random changes; the store must hold a whole number of runs."""
    dice, outcomes, broken = random.Random(SEED), {"before": 0, "after": 0}, list[str]()
    with tempfile.TemporaryDirectory() as folder:
        store, rest = create(Path(folder))
        first = random.Random(0)
        change(store, rest, first)
        began = time.perf_counter()
        for _ in range(CHANGES_TIMED):
            change(store, rest, first)
        longest = 2 * (time.perf_counter() - began) / CHANGES_TIMED
        path = store.path
        store.close()
        for number in range(kills):
            with partita.Store(path) as before:
                runs = len(before.runs())
            # a fork has the machine code already, so that the kill falls into the change
            child = os.fork()
            if child == 0:
                _change_until_killed(path, rest, number)
            time.sleep(dice.random() * longest)
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            with partita.Store(path) as after:
                broken += after.check()
                outcomes["after" if len(after.runs()) > runs else "before"] += 1
    return {"kills": kills, **outcomes, "broken": broken}


def _change_until_killed(path: Path, rest: pa.Table, seed: int) -> None:
    dice = random.Random(seed)
    with partita.Store(path) as store:
        while True:
            change(store, rest, dice)


def start_worker(path: Path, rows: Path, seed: int) -> subprocess.Popen[str]:
    """Start a process that changes a store until it is killed."""
    program = (
        "import random, warnings, pyarrow as pa, partita\n"
        "from benchmarks.store.changes import change\n"
        "warnings.simplefilter('ignore')\n"
        f"rest = pa.ipc.open_file({str(rows)!r}).read_all()\n"
        f"dice = random.Random({seed})\n"
        f"store = partita.Store({str(path)!r})\n"
        "change(store, rest, dice)\n"
        "while True:\n"
        "    print('begin', len(store.runs()), flush=True)\n"
        "    change(store, rest, dice)\n"
    )
    return subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )


def measure_readers(seconds: float) -> dict[str, Any]:
    """Read while another process writes: each read must be the state as of some run."""
    reads, wrong, runs = 0, 0, set[int]()
    with tempfile.TemporaryDirectory() as folder:
        store, rest = create(Path(folder))
        path, rows = Path(folder) / "store.partita", Path(folder) / "rest.arrow"
        with pa.OSFile(str(rows), "wb") as file, pa.ipc.new_file(file, rest.schema) as writer:
            writer.write_table(rest)
        worker = start_worker(path, rows, 0)
        assert worker.stdout is not None
        worker.stdout.readline()
        end, states = time.monotonic() + seconds, list[tuple[int, int, pa.Table]]()
        while time.monotonic() < end:
            before, table, after = len(store.runs()), store.export(), len(store.runs())
            states.append((before, after, table))
            reads += 1
            runs.add(before)
        worker.kill()
        worker.wait()
        for before, after, table in states:
            possible = (store.export(run=run) for run in range(before, after + 1))
            wrong += not any(table.equals(state) for state in possible)
        store.close()
    return {"reads": reads, "runs_seen": len(runs), "half_runs_seen": wrong}
