"""Settings of the whole suite: a cache of its own, and tests that need or refuse the compiler."""

import os
from pathlib import Path

# machine code is kept between runs, and apart from the user's own; set before partita is imported
os.environ["PARTITA_CACHE_DIR"] = str(Path(__file__).parents[1] / ".pytest_cache" / "kernels")

import hypothesis
import pytest

from partita.kernel import interpreted

hypothesis.settings.register_profile(
    "steady", deadline=None, derandomize=True, max_examples=50, database=None
)
hypothesis.settings.register_profile("wide", deadline=None, max_examples=1000)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))

HERE = Path(__file__).parent

SKIPPED = {
    "compiled": (interpreted(), "needs the compiler; NUMBA_DISABLE_JIT=1 switches it off"),
    "interpreted": (not interpreted(), "needs NUMBA_DISABLE_JIT=1"),
}

ONCE = {
    *("benchmarks", "text", "cli", "metrics", "mixtures", "papers", "report", "scale"),
    *("synthetic", "test_house.py", "test_imports.py"),
}
"""Folders and files without kernels of their own, about what is around the engine or about the
source itself: as plain Python they would tell nothing new."""

EXPERIMENTS = {"benchmarks", "papers", "scale"}
"""Folders whose tests run small experiments: `make experiments`, not `make test`."""


def pytest_ignore_collect(collection_path, config):
    """What the marks leave out as a whole is not even imported, which would take seconds."""
    asked = config.option.markexpr
    out = (ONCE if "not compiled" in asked else set()) | (
        EXPERIMENTS if "not long" in asked else set()
    )
    return True if _top(collection_path) in out else None


def _top(path):
    """The first folder or file below tests/."""
    inside = path.relative_to(HERE) if path.is_relative_to(HERE) else path
    return inside.parts[0] if inside.parts else ""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    for item in items:
        if _top(item.path) in EXPERIMENTS:
            item.add_marker(pytest.mark.long)
        if _top(item.path) in ONCE:
            item.add_marker(pytest.mark.compiled)
        for name, (skipped, reason) in SKIPPED.items():
            if skipped and item.get_closest_marker(name):
                item.add_marker(pytest.mark.skip(reason=reason))
