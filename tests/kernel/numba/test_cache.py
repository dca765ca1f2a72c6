import importlib
import logging
import os
import pickle
import sys
from types import SimpleNamespace
from typing import NamedTuple

import numba
import numpy as np
import pytest

from partita.kernel.numba import cache
from partita.kernel.numba.cache import digest
from partita.kernel.numba.compile import PLAIN, entry, kernel
from tests.kernel.processes import finish, project, run, start

compiled = pytest.mark.compiled
needs_cache = pytest.mark.skipif(PLAIN, reason="the fallback has no disk cache")

CONSTANT = 1


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    """A cache folder that the sample project has filled, and the project's results."""
    place = tmp_path_factory.mktemp("shop")
    (first,) = run(project(place / "base"), place / "cache", 1)
    (slow,) = run(place / "base", place / "cache", 1, NUMBA_DISABLE_JIT="1")
    assert first == {"result": slow["result"], "hits": 0, "made": 1}
    return SimpleNamespace(place=place, cache=place / "cache", result=first["result"])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty cache folder for this process, without loaded code."""
    monkeypatch.setenv("PARTITA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(cache, "loaded", {})
    return tmp_path / "cache"


def closure(weight):
    @kernel
    def inner(x):
        return x + weight

    @entry
    def outer(x):
        return inner(x) * 2

    return outer


def hits(dispatcher):
    return sum(dispatcher.stats.cache_hits.values())


# ---- what other processes find


@compiled
@needs_cache
def test_second_process_hits(shop):
    copy = project(shop.place / "moved")
    assert run(copy, shop.cache, 1) == [{"result": shop.result, "hits": 1, "made": 1}]
    assert oct(shop.cache.stat().st_mode & 0o777) == "0o700"


DRAWN = """
import json, sys
import numpy as np
from partita.kernel.numba.compile import entry

@entry
def drawn(rng, found):
    for i in range(found.size):
        found[i] = rng.random()

@entry
def doubled(found):
    found *= 2.0

found = np.empty(3)
drawn(np.random.default_rng(7), found)
alone = "numba.np.arraymath" in sys.modules
if "doubled" in sys.argv:
    doubled(found)
print(json.dumps([found.tolist(), alone, sum(drawn.stats.cache_hits.values())]))
"""


@compiled
@needs_cache
def test_stored_code_runs_without_the_compiler_and_the_compiler_after_it(tmp_path):
    (tmp_path / "draw.py").write_text(DRAWN)
    expected = np.random.default_rng(7).random(3)

    def run_once(*words):
        return finish(start(["draw.py", *words], tmp_path, tmp_path / "cache"))

    assert run_once() == [expected.tolist(), True, 0]
    assert run_once() == [expected.tolist(), False, 1]
    assert run_once("doubled") == [(2 * expected).tolist(), False, 1]


CALLS = """
import json, sys
from partita.kernel.numba.compile import entry

@entry
def inner(x):
    return 3 * x + 1

def outer():
    @entry
    def outer(x):
        return inner(x) + inner(x + 1)
    return outer

if "first" in sys.argv:
    inner(1)
found = outer()
print(json.dumps([int(found(2)), sum(found.stats.cache_hits.values())]))
"""


@compiled
@needs_cache
def test_an_entry_that_was_stored_can_be_called_by_another(tmp_path):
    (tmp_path / "call.py").write_text(CALLS)

    def run_once(cache, *words):
        return finish(start(["call.py", *words], tmp_path, tmp_path / cache))

    # the inner one is stored by the first process, and found when the second compiles the outer one
    (tmp_path / "inner.py").write_text(CALLS.replace("int(found(2))", "int(inner(2))"))
    assert finish(start(["inner.py"], tmp_path, tmp_path / "one"))[0] == 7
    assert [run_once("one")[0] for _ in range(3)] == [17, 17, 17]
    # and stored with it by one process
    assert [run_once("two", "first") for _ in range(2)] == [[17, 0], [17, 1]]


# what is edited: the file, the old text, the new text, and whether the result changes
EDITS = {
    "helper in another file": ("helpers.py", "return x + OFFSET", "return x - OFFSET", True),
    "constant of another file": ("helpers.py", "OFFSET = 3", "OFFSET = 4", True),
    "constant reached through a module": ("helpers.py", "FACTOR = 10", "FACTOR = 11", True),
    "kernel reached through a module": ("helpers.py", "return x * 2", "return x * 3", True),
    "constant of the same file": ("model.py", "BASE = 100", "BASE = 200", True),
    "default argument": ("model.py", "extra=2", "extra=5", True),
    "closure constant": ("model.py", "make(weight)\n", "make(weight + 1)\n", True),
    "nested function": ("model.py", "return value * 5", "return value * 6", True),
    "option": ("helpers.py", "@kernel\ndef helper", "@kernel(inline=False)\ndef helper", False),
    "order of fields": (
        "helpers.py",
        "    first: np.ndarray\n    second: np.ndarray",
        "    second: np.ndarray\n    first: np.ndarray",
        False,
    ),
}


@compiled
@needs_cache
@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_recompiles(shop, tmp_path, edit):
    file, old, new, changes = EDITS[edit]
    edited = project(tmp_path / "edited", file, old, new)
    (found,) = run(edited, shop.cache, 1)
    (slow,) = run(edited, shop.cache, 1, NUMBA_DISABLE_JIT="1")
    assert found == {"result": slow["result"], "hits": 0, "made": 1}
    assert (found["result"] != shop.result) == changes


@compiled
@needs_cache
def test_processes_at_the_same_time_do_not_mix_their_kernels(shop, tmp_path):
    base, weights = shop.place / "base", (2, 3, 4, 5)
    running = [start(["model.py", str(w)], base, tmp_path) for w in weights]
    alone = [finish(process)[0] for process in running]
    expected = run(base, tmp_path, *weights, NUMBA_DISABLE_JIT="1")
    assert [one["result"] for one in alone] == [one["result"] for one in expected]
    together = run(base, tmp_path, *weights, 2)
    assert [one["hits"] for one in together] == [1] * 5
    assert [one["result"] for one in together[:4]] == [one["result"] for one in expected]


FORKED = """
import json, multiprocessing, sys
from model import run
if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    with context.Pool(2) as pool:
        json.dump([one[0] for one in pool.map(run, [[6], [7]], chunksize=1)], sys.stdout)
"""


@compiled
@needs_cache
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_forked_processes_do_not_mix_their_kernels(shop, tmp_path):
    base = shop.place / "base"
    alone = finish(start(["-c", FORKED], base, tmp_path))
    together = run(base, tmp_path, 6, 7)
    assert [one["hits"] for one in together] == [1, 1]
    assert [one["result"] for one in together] == [one["result"] for one in alone]


@compiled
@needs_cache
def test_settings_of_the_compiler_count(shop):
    (found,) = run(shop.place / "base", shop.cache, 1, NUMBA_BOUNDSCHECK="1")
    assert found == {"result": shop.result, "hits": 0, "made": 1}


@compiled
@needs_cache
def test_damaged_files_are_compiled_again(shop, tmp_path):
    base = shop.place / "base"
    run(base, tmp_path, 1)
    (file,) = tmp_path.glob("*.kernel")
    whole = file.read_bytes()
    middle = len(whole) // 2
    for bad in (b"", whole[:middle], whole[:middle] + b"\0\1" + whole[middle + 2 :]):
        file.write_bytes(bad)
        (found,) = run(base, tmp_path, 1)
        assert found == {"result": shop.result, "hits": 0, "made": 1}
    assert run(base, tmp_path, 1)[0]["hits"] == 1


@compiled
def test_a_folder_that_cannot_be_written_is_no_error(shop, tmp_path):
    (tmp_path / "file").write_text("")
    for _ in range(2):
        (found,) = run(shop.place / "base", tmp_path / "file" / "cache", 1)
        assert found == {"result": shop.result, "hits": 0, "made": 1}


# ---- what this process finds


@compiled
@needs_cache
def test_equal_closures_share_machine_code(folder):
    first, second, other = closure(1), closure(1), closure(2)
    assert [f(3) for f in (first, second, other)] == [8, 8, 10]
    assert [hits(f) for f in (first, second, other)] == [0, 1, 0]
    # a library loaded twice would define its symbols twice
    libraries = [next(iter(f.overloads.values())).library for f in (first, second, other)]
    assert libraries[0] is libraries[1] is not libraries[2]
    assert len(list(folder.glob("*.kernel"))) == 2

    @entry
    def both(x):
        return first(x) + second(x) + other(x)

    assert both(3) == 26


@compiled
@needs_cache
def test_each_signature_has_a_file(folder):
    f = closure(1)
    assert (f(3), f(3.5)) == (8, 9.0)
    assert len(list(folder.glob("*.kernel"))) == 2
    f.recompile()
    assert hits(f) == 0
    assert f(3) == 8


@compiled
@needs_cache
def test_old_machine_code_is_not_stored_under_new_source(folder, monkeypatch):
    @kernel
    def reads(x):
        return x + CONSTANT

    def make(k):
        return entry(lambda x: reads(x) * k)

    assert make(1)(10) == 11
    stored = set(folder.iterdir())
    monkeypatch.setitem(globals(), "CONSTANT", 5)
    make(2)(10)
    assert set(folder.iterdir()) == stored


@compiled
@needs_cache
def test_classes_that_no_other_process_can_import_are_not_stored(folder, caplog):
    class Hidden(NamedTuple):
        x: float

    @entry
    def total(hidden):
        return hidden.x + 1

    with caplog.at_level(logging.DEBUG, logger=cache.__name__):
        assert total(Hidden(1.0)) == 2.0
    assert "Hidden" in caplog.text
    assert not folder.exists()


@compiled
@needs_cache
def test_recursion_is_hashed_and_mutual_recursion_is_not_stored(folder):
    @kernel(inline=False)
    def down(n):
        return 0 if n == 0 else down(n - 1) + 1

    @kernel(inline=False)
    def even(n):
        if n == 0:
            return 1
        return odd(n - 1)

    @kernel(inline=False)
    def odd(n):
        if n == 0:
            return 0
        return even(n - 1)

    assert entry(lambda n: down(n) + 1)(5) == 6
    assert len(list(folder.glob("*.kernel"))) == 1
    assert entry(lambda n: even(n) + 1)(5) == 1
    assert len(list(folder.glob("*.kernel"))) == 1


@compiled
@needs_cache
def test_hash_compiles_nothing(folder):
    kernels = [kernel(eval(f"lambda x: x + {k}")) for k in range(100)]

    def make(functions):
        return entry(lambda x: functions[0](x) + 1)

    made = make(tuple(kernels))
    digest(made)
    assert not any(one.signatures for one in (made, *kernels))
    assert digest(make(tuple(kernels))) == digest(made)
    assert digest(make(tuple(reversed(kernels)))) != digest(made)


@compiled
@needs_cache
def test_functions_of_other_numba_users_are_left_alone(folder):
    f = numba.njit(lambda x: x + 1)
    assert f(1) == 2
    assert f.stats.cache_path is None


class OldModule:
    """Pickles as the import of a module that has moved."""

    def __reduce__(self):
        return importlib.import_module, ("partita.records.dates",)


def test_stored_code_that_names_moved_modules_loads_without_warnings():
    sys.modules.pop("partita.records.dates", None)
    # warnings are errors in all tests
    assert cache.unpickle(pickle.dumps(OldModule())).__name__ == "partita.comparison.dates"
