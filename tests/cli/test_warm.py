"""`partita warm` stores all machine code that a run needs."""

import os
import subprocess
import sys

import pytest

from partita.synthetic import people

pytestmark = [pytest.mark.compiled, pytest.mark.long]


def test_a_run_after_warm_compiles_nothing(tmp_path):
    cache = tmp_path / "kernels"
    [path] = people(60, seed=1, truth=None).write(tmp_path / "people.csv")

    def run(*words):
        subprocess.run(
            [sys.executable, "-m", "partita", *map(str, words)],
            env={**os.environ, "PARTITA_CACHE_DIR": str(cache)},
            capture_output=True,
            check=True,
        )
        return {file.name for file in cache.rglob("*.kernel")}

    stored = run("warm")
    assert stored
    files = {"out": "o.csv", "pairs": "p.csv", "golden": "g.csv", "report": "r.html"}
    outputs = [word for name, file in files.items() for word in (f"--{name}", tmp_path / file)]
    assert run("resolve", path, *outputs) == stored
    assert run("explain", path, 0, 1) == stored
