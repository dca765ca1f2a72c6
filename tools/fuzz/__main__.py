"""Run fuzz cases: `python -m tools.fuzz [--cases 3000] [--seed 1] [--first 0] [--group NAME]`.

Each case writes its files into a folder of its own, runs a command or the readers and is judged.
Failures are printed with the number by which `--first N --cases 1` repeats them. The exit code is 1
if a case fails.
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import logging
import shutil
import sys
import tempfile
import warnings
from collections import Counter
from pathlib import Path

from tools.fuzz.cases import make_case
from tools.fuzz.judge import Verdict, judge, run_command

__all__ = ["main", "run_cases"]


def run_cases(
    seed: int, numbers: range, folder: Path, group: str | None = None
) -> dict[int, tuple[str, Verdict]]:
    """Run cases, of one group if it is named, and print failures; return group and verdict."""
    verdicts: dict[int, tuple[str, Verdict]] = {}
    for number in numbers:
        place = folder / f"case-{number}"
        place.mkdir()
        name, case = make_case(seed, number, place, group)
        # a crash of the interpreter leaves the number of its case
        (folder / "last").write_text(f"{number} {name}")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            verdict = judge(case)
        if verdict.is_failure:
            print(f"case {number} ({name}): {verdict.outcome}\n{verdict.detail}\n", flush=True)
        verdicts[number] = (name, verdict)
        shutil.rmtree(place)
    return verdicts


def main() -> int:
    """Parse the options, run the cases and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--cases", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--group", help="run cases of one group alone, such as changed_schema")
    parser.add_argument("--json", action="store_true", help="print one JSON object as last line")
    options = parser.parse_args()
    faulthandler.enable()
    # the CPU seconds of a case are limited, and compilation is not part of them
    run_command("warm", "--quiet")
    logging.disable(logging.CRITICAL)
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        numbers = range(options.first, options.first + options.cases)
        verdicts = run_cases(options.seed, numbers, Path(folder), options.group)
    counts = Counter(verdict.outcome for _, verdict in verdicts.values())
    by_group = Counter((name, verdict.outcome) for name, verdict in verdicts.values())
    for (name, outcome), count in sorted(by_group.items()):
        print(f"{name:20} {outcome:10} {count:6,}")
    seconds = [verdict.seconds for _, verdict in verdicts.values()]
    summary = {
        "cases": len(verdicts),
        **{name: counts[name] for name in ("same", "refused", "traceback", "wrong", "slow")},
        "seconds": round(sum(seconds), 1),
        "slowest": round(max(seconds, default=0.0), 1),
    }
    print(json.dumps(summary) if options.json else summary)
    return int(any(verdict.is_failure for _, verdict in verdicts.values()))


if __name__ == "__main__":
    sys.exit(main())
