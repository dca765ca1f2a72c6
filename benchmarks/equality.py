"""Equality of results: the same bits from this source tree and from an earlier revision.

    python -m benchmarks.equality --against REVISION [--sets NAME ...] [--json]

Each of the seven open record sets, and the generated people of the demo, is resolved with one seed
by both trees on this machine. A digest covers cluster labels, both probabilities of every record
and the interval of the number of entities. Changes of layout and names must leave all digests
equal. Sets whose data is absent are skipped with a message.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.peers.sets import DATA, PEOPLE, ROOT, SETS, prepare, prepare_people

__all__ = ["compare", "digests", "main"]

DEMO_RECORDS = 10_000
"""Generated people; the size of `make demo`."""
SEED = 1
"""The seed of `make demo`."""


def digest(result: Any) -> str:
    """SHA-256 of everything numeric that a result states about its records."""
    total = hashlib.sha256()
    total.update(np.ascontiguousarray(result.labels, np.int64).tobytes())
    for column in (result.p_member, result.p_cluster):
        total.update(np.ascontiguousarray(column, np.float64).tobytes())
    total.update(repr([float(value) for value in result.marginals.entity_count()]).encode())
    return total.hexdigest()


def digests(names: list[str]) -> dict[str, str]:
    """The digest of each set, resolved by whichever `partita` is imported."""
    import partita

    results = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            if name == PEOPLE:
                data = prepare_people(DEMO_RECORDS, SEED, Path(folder))
            elif not SETS[name].path.exists():
                print(f"{name}: skipped, no data in {DATA}", file=sys.stderr)
                continue
            else:
                data = prepare(SETS[name], Path(folder))
            settings: dict[str, Any] = {}
            if data.source is not None:
                settings |= {"source": data.source, "mode": "link", "one_to_one": True}
            result = partita.resolve(str(data.path), seed=SEED, threads=1, **settings)
            results[name] = digest(result)
    return results


def compare(revision: str, names: list[str]) -> dict[str, dict[str, str]]:
    """Digests of both trees by set: `{"name": {"before": ..., "after": ...}}`."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        git = ["git", "-C", str(ROOT)]
        subprocess.run([*git, "worktree", "add", "--detach", str(tree), revision], check=True)
        try:
            before = _child(tree / "src", names)
        finally:
            subprocess.run([*git, "worktree", "remove", "--force", str(tree)], check=True)
        after = _child(ROOT / "src", names)
    return {name: {"before": before[name], "after": after[name]} for name in before}


def _child(source: Path, names: list[str]) -> dict[str, str]:
    """Digests from a process that imports `partita` from the given folder."""
    command = [sys.executable, "-m", "benchmarks.equality", "--digests", "--sets", *names]
    environment = os.environ | {"PYTHONPATH": str(source)}
    process = subprocess.run(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=True
    )
    return json.loads(process.stdout.splitlines()[-1])


def main() -> None:
    """Print one line a set, and exit with 1 if any differs."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.equality", description=__doc__)
    parser.add_argument("--against", default="HEAD", help="revision to compare with")
    parser.add_argument("--sets", nargs="+", default=[*SETS, PEOPLE], choices=[*SETS, PEOPLE])
    parser.add_argument("--digests", action="store_true", help="only print digests as JSON")
    parser.add_argument("--json", action="store_true", help="print one JSON object as last line")
    options = parser.parse_args()
    if options.digests:
        print(json.dumps(digests(options.sets)))
        return
    table = compare(options.against, options.sets)
    equal = {name: row["before"] == row["after"] for name, row in table.items()}
    for name, row in table.items():
        word = "equal" if equal[name] else "DIFFERENT"
        print(f"{name:28} {row['before'][:16]} {row['after'][:16]} {word}")
    if options.json:
        print(json.dumps({"against": options.against, "equal": equal, "digests": table}))
    sys.exit(not all(equal.values()))


if __name__ == "__main__":
    main()
