"""Runs the sample project in other processes, unchanged or with one line edited."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

SAMPLE = Path(__file__).parent / "sample"


def project(place, file=None, old=None, new=None):
    """A copy of the sample project in which `old` is replaced by `new`."""
    shutil.copytree(SAMPLE, place, ignore=shutil.ignore_patterns("__pycache__"))
    if file is not None:
        text = (place / file).read_text()
        assert text.count(old) == 1
        (place / file).write_text(text.replace(old, new))
    return place


def start(command, place, cache, **settings):
    """A Python process in a folder, with a cache folder and further settings."""
    names = ("PARTITA_PLAIN_NUMBA", "NUMBA_DISABLE_JIT")
    kept = {name: value for name, value in os.environ.items() if name not in names}
    # a pyc written in the same second as an edit would hide the edit
    set_here = {"PARTITA_CACHE_DIR": str(cache), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.Popen(
        [sys.executable, "-W", "error", *command],
        cwd=place,
        env=kept | set_here | settings,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process):
    """Return the output of the process, as JSON."""
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    return json.loads(output)


def run(place, cache, *weights, **settings):
    """Return the results of the project in `place` for each weight."""
    return finish(start(["model.py", *map(str, weights)], place, cache, **settings))
