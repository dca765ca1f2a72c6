"""The judge: success with every input cell unchanged, or a refusal in one sentence with exit 2."""

from __future__ import annotations

import csv
import json
import math
import signal
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as pq
from typer.testing import CliRunner

from partita.cli import app

__all__ = ["MAX_SECONDS", "Verdict", "check_cells", "judge", "read_output", "run_command"]

MAX_SECONDS = 30
"""CPU seconds of a case."""
COMPILING = "compiling (once); later runs load the machine code\n"


class Verdict(NamedTuple):
    """The outcome of one case."""

    outcome: str
    """same, refused, traceback, wrong or slow."""
    detail: str
    seconds: float

    @property
    def is_failure(self) -> bool:
        """Whether the case is neither a success nor a proper refusal."""
        return self.outcome not in ("same", "refused")


class Wrong(Exception):
    """A cell changed, or a refusal is no sentence."""


class Refused(Exception):
    """The command refused its input."""


def run_command(*words: object) -> str:
    """Run a command in this process; return its output, or raise Refused for a proper refusal."""
    result = CliRunner().invoke(app, [str(word) for word in words])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    error = result.stderr.replace(COMPILING, "")
    if result.exit_code == 2:
        if error.count("\n") != 1 or len(error) < 10 or "Traceback" in error or result.stdout:
            raise Wrong(f"the refusal is no sentence: {error[:300]!r}")
        if any(ord(letter) < 32 and letter != "\n" for letter in error):
            raise Wrong(f"the refusal has control characters: {error[:300]!r}")
        raise Refused(error.strip())
    if result.exit_code:
        raise Wrong(f"exit code {result.exit_code}: {error[:300]}")
    return result.stdout


@contextmanager
def _limit_time() -> Iterator[None]:
    """Raise TimeoutError after the limit of CPU time, where the system can."""

    def stop(number: int, frame: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, MAX_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def judge(case: Callable[[], None]) -> Verdict:
    """Run a case, which raises unless its result is right."""
    begin = time.process_time()
    try:
        with _limit_time():
            case()
        outcome, detail = "same", ""
    except Refused as error:
        outcome, detail = "refused", str(error)
    except Wrong as error:
        outcome, detail = "wrong", str(error)
    except TimeoutError:
        outcome, detail = "slow", traceback.format_exc(limit=-4)
    except Exception:
        outcome, detail = "traceback", traceback.format_exc(limit=-6)
    seconds = time.process_time() - begin
    return Verdict("slow" if seconds > MAX_SECONDS else outcome, detail, seconds)


def read_output(path: Path) -> dict[str, list[Any]]:
    """Read an output file by another library than Partita."""
    if path.suffix == ".parquet":
        return dict(pq.read_table(path).to_pydict())
    if path.suffix == ".jsonl":
        lines = path.read_text(encoding="utf-8").split("\n")[:-1]
        rows = [json.loads(line, parse_constant=_refuse_constant) for line in lines]
        return {name: [row.get(name) for row in rows] for name in (rows[0] if rows else ())}
    with path.open(encoding="utf-8", newline="") as file:
        header, *body = csv.reader(file, strict=True)
        return {name: [row[at] for row in body] for at, name in enumerate(header)}


def _refuse_constant(text: str) -> None:
    raise Wrong(f"{text} is no JSON")


def check_cells(expected: Mapping[str, list[Any]], path: Path) -> None:
    """Raise Wrong unless the output has all expected cells, in their order."""
    output = read_output(path)
    for name, column in expected.items():
        if name not in output:
            raise Wrong(f"column {name!r} is missing among {list(output)[:12]}")
        if len(output[name]) != len(column):
            raise Wrong(f"{len(output[name])} rows instead of {len(column)}")
        for row, (left, right) in enumerate(zip(column, output[name], strict=True)):
            if not _is_same(left, right):
                raise Wrong(f"row {row} of {name!r} is {right!r:.200} instead of {left!r:.200}")


def _is_same(left: Any, right: Any) -> bool:
    """Whether two cells have the same text or the same number; a missing one has no text."""
    if left in (None, "") and right in (None, ""):
        return True
    if isinstance(left, bool) or isinstance(right, bool):
        return str(left).lower() == str(right).lower()
    if isinstance(left, str) and isinstance(right, str):
        return left == right
    if isinstance(left, bytes):
        return left.hex().upper() == right
    try:
        # whole numbers are compared exactly, others as 64-bit floats
        whole = isinstance(left, int) and str(right).lstrip("-").isdigit()
        a, b = (int(left), int(right)) if whole else (float(left), float(right))
        exact = not isinstance(left, int) or whole or abs(left) <= 2**53
        return exact and (a == b or (math.isnan(a) and math.isnan(b)))
    except (TypeError, ValueError, OverflowError):
        return False
