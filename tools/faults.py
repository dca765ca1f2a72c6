"""Faults: kills, signals, full disks, memory limits and two processes at once.

    python -m tools.faults [--kills 20] [--seed 1] [--json]

Every run is a process of its own that resolves generated records. After each fault an output is
the older file or the complete new one, standard error has at most one sentence and no traceback,
and the next run gives the same bytes as an undisturbed one and leaves no temporary file.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random

from partita.synthetic import people

__all__ = ["Faults", "main"]

OLDER = "an older file\n"
RECORDS = 300
ADDRESS_SPACE = (200, 600, 1000, 1500, 2000, 2600, 4000)
"""Limits on the address space, in MiB."""


class Faults:
    """Runs of one command under faults, with counts of the outcomes."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.random = Random(seed)
        self.counts: Counter[str] = Counter()
        self.failures: list[str] = []
        self.temporary = folder / "tmp"
        self.results = folder / "results"
        for place in (self.temporary, self.results):
            place.mkdir()
        [self.source] = people(RECORDS, seed=seed, truth=None).write(folder / "people.csv")
        self.out = self.results / "out.csv"
        # the first run may compile
        self.run().wait()
        began = time.monotonic()
        self.run().wait()
        self.seconds = time.monotonic() - began
        self.reference = self.out.read_bytes()

    def run(
        self, out: Path | None = None, limit: Callable[[], None] | None = None, *words: str
    ) -> subprocess.Popen[str]:
        """Start the command."""
        command = ["-m", "partita", "resolve", str(self.source), "--out", str(out or self.out)]
        return subprocess.Popen(
            [sys.executable, *command, "--force", "--quiet", "--seed", "1", *words],
            env={
                **os.environ,
                "TMPDIR": str(self.temporary),
                "PARTITA_CHECKPOINT_SECONDS": "0",
            },
            preexec_fn=limit,  # noqa: PLW1509
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def check(self, name: str, condition: bool, detail: object) -> None:
        """Count a check, and record it if it fails."""
        self.counts[f"{name}: {'as expected' if condition else 'failed'}"] += 1
        if not condition:
            self.failures.append(f"{name}: {detail}")

    def has_litter(self) -> bool:
        """Whether temporary files are left."""
        left = [path for path in self.results.glob(".*") if path.suffix != ".checkpoint"]
        return any(self.temporary.iterdir()) or bool(left)

    def send(self, number: signal.Signals, code: int) -> None:
        """Send a signal at a random time; the output is old or complete."""
        self.out.write_text(OLDER)
        process = self.run()
        time.sleep(self.random.random() * self.seconds)
        process.send_signal(number)
        _, error = process.communicate()
        content = self.out.read_bytes()
        whole = content in (OLDER.encode(), self.reference)
        clean = number == signal.SIGKILL or not self.has_litter()
        ended = process.returncode in (0, code) or self._is_early(process.returncode, number)
        detail = (process.returncode, error[-300:], content[:80], list(self.results.iterdir()))
        sentences = [line for line in error.splitlines() if not line.startswith("warning:")]
        fine = whole and clean and ended and len(sentences) <= 1 and "Traceback" not in error
        self.check(number.name, fine, detail)

    @staticmethod
    def _is_early(code: int, number: signal.Signals) -> bool:
        """Whether the signal came before the interpreter ran any code of Partita."""
        return code == -number

    def resume(self, kills: int) -> None:
        """Kill runs that continue from their checkpoint; those that end give the same bytes.

        A kill that arrives after the end of a run does not count.
        """
        done = 0
        while True:
            process = self.run(None, None, "--resume")
            if done < kills:
                time.sleep(self.random.random() * self.seconds)
                process.kill()
            _, error = process.communicate()
            if process.returncode == 0:
                same = self.out.read_bytes() == self.reference
                self.check("resumed run", same, error[-300:])
                self.out.write_text(OLDER)
                if done == kills:
                    return
            else:
                ended = process.returncode == -signal.SIGKILL
                self.check("kill with resume", ended, (process.returncode, error[-300:]))
                if not ended:
                    return
                done += 1

    def recover(self) -> None:
        """Run undisturbed after faults: the same bytes, and nothing is left."""
        _, error = self.run().communicate()
        same = self.out.read_bytes() == self.reference and not self.has_litter()
        self.check("next run", same, (error[-300:], list(self.results.iterdir())))

    def refuse(self, name: str, process: subprocess.Popen[str]) -> None:
        """Check that a command succeeds, or refuses in one sentence."""
        _, error = process.communicate()
        lines = [line for line in error.splitlines() if not line.startswith("warning:")]
        fine = process.returncode == 0 or (process.returncode == 2 and len(lines) == 1)
        self.check(name, fine, (process.returncode, error[-400:]))

    def fill_disk(self) -> None:
        """Limit the size of files, as a full disk does."""
        self.out.write_text(OLDER)
        for size in (0, 1_000, 10_000):
            limit = (resource.RLIMIT_FSIZE, (size, size))
            self.refuse("full disk", self.run(limit=lambda limit=limit: resource.setrlimit(*limit)))
            self.check("older output", self.out.read_text() == OLDER, size)

    def limit_memory(self) -> None:
        """Limit the address space."""
        for size in ADDRESS_SPACE:
            limit = (resource.RLIMIT_AS, (size << 20, size << 20))
            process = self.run(limit=lambda limit=limit: resource.setrlimit(*limit))
            self.refuse("memory limit", process)

    def refuse_places(self, folder: Path) -> None:
        """Write where nothing can be written."""
        loop = folder / "loop.csv"
        loop.symlink_to(loop)
        places = [
            Path("/proc/out.csv"),
            folder / "missing" / "out.csv",
            folder / "x.csv" / "out.csv",
        ]
        for place in (*places, loop, folder):
            self.refuse("no place to write", self.run(place))

    def run_two(self) -> None:
        """Two processes write the same file."""
        processes = [self.run() for _ in range(2)]
        codes = [process.wait() for process in processes]
        same = self.out.read_bytes() == self.reference and codes == [0, 0]
        self.check("two processes", same and not self.has_litter(), codes)


def run_all(faults: Faults, kills: int, folder: Path) -> None:
    """Inject every fault."""
    for at in range(kills):
        faults.send(signal.SIGKILL, -signal.SIGKILL)
        if at % 5 == 4:
            faults.recover()
    for _ in range(max(1, kills // 4)):
        faults.send(signal.SIGTERM, 143)
        faults.send(signal.SIGINT, 130)
    faults.recover()
    faults.resume(kills)
    faults.fill_disk()
    faults.limit_memory()
    faults.refuse_places(folder)
    faults.run_two()


def main() -> int:
    """Run all faults and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--resume-only", action="store_true", help="kill runs with --resume alone")
    parser.add_argument("--json", action="store_true", help="print one JSON object as last line")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="faults-") as name:
        folder = Path(name)
        faults = Faults(folder, options.seed)
        if options.resume_only:
            faults.resume(options.kills)
        else:
            run_all(faults, options.kills, folder)
    for failure in faults.failures:
        print(failure)
    for label, count in sorted(faults.counts.items()):
        print(f"{label:40} {count:5}")
    summary = {"checks": faults.counts.total(), "failed": len(faults.failures)}
    print(json.dumps(summary) if options.json else summary)
    return int(bool(faults.failures))


if __name__ == "__main__":
    sys.exit(main())
