from typing import NamedTuple

import numba
import numpy as np
import pytest

from partita.kernel.numba.compile import PLAIN, entry, interpreted, kernel
from tests.kernel.processes import finish, project, run, start

compiled = pytest.mark.compiled
not_plain = pytest.mark.skipif(PLAIN, reason="the fallback allows allocation")


class Row(NamedTuple):
    values: np.ndarray
    size: int


def helper(x):
    return x


@kernel
def doubled(x):
    return x * 2


@compiled
def test_kernels_compose_into_entries():
    @kernel(inline=False)
    def large(x):
        return doubled(x) + 1

    @entry
    def called(x):
        return large(x) + doubled(x)

    assert not interpreted()
    assert called(3) == 13


@compiled
def test_many_calls_make_one_specialisation():
    @entry
    def total(row, k):
        return row.values[k] + row.size

    for k in range(10):
        total(Row(np.arange(10.0), k), k)
    assert len(total.overloads) == 1


@compiled
@not_plain
@pytest.mark.parametrize("decorator", [kernel, kernel(inline=False), entry])
def test_allocation_is_a_compile_error(decorator):
    @decorator
    def makes(n):
        return np.zeros(n).sum()

    with pytest.raises(numba.core.errors.NumbaError):
        makes.compile((numba.int64,))


def test_without_the_compiler_functions_are_returned_unchanged(monkeypatch):
    monkeypatch.setattr(numba.core.config, "DISABLE_JIT", 1)
    assert interpreted()
    assert kernel(helper) is helper
    assert kernel(inline=False)(helper) is helper
    assert entry(helper) is helper


@compiled
def test_all_modes_give_the_same_results(tmp_path):
    base = project(tmp_path / "base")
    modes = ({}, {"PARTITA_PLAIN_NUMBA": "1"}, {"NUMBA_DISABLE_JIT": "1"})
    found = [run(base, tmp_path / str(k), 1, 2, **mode) for k, mode in enumerate(modes)]
    assert len({str([one["result"] for one in ones]) for ones in found}) == 1
    assert [ones[0]["made"] for ones in found] == [1, 1, 0]
    assert not (tmp_path / "1").exists()


OTHER_NUMBA = """
import json, sys
import numba
{change}
from partita.kernel.numba import compile
from model import run
json.dump([compile.PLAIN, run([1])[0]["result"]], sys.stdout)
"""
CHANGES = {
    "option gone": (
        "from numba.core.cpu import CPUTargetOptions as options\n"
        "for one in options.__mro__:\n"
        "    if 'forceinline' in vars(one): delattr(one, 'forceinline')",
        True,
    ),
    "no such cache": ("sys.modules['numba.core.caching'].FunctionCache = None", False),
    "caching moved": ("del sys.modules['numba.core.caching'].CompileResultCacheImpl", False),
}


@compiled
@pytest.mark.parametrize("change", CHANGES)
def test_a_numba_without_the_undocumented_points_still_runs(tmp_path, change):
    base = project(tmp_path / "base")
    lines, is_plain = CHANGES[change]
    code = OTHER_NUMBA.format(change=lines)
    plain, result = finish(start(["-c", code], base, tmp_path / "cache"))
    (slow,) = run(base, tmp_path / "cache", 1, NUMBA_DISABLE_JIT="1")
    assert plain is is_plain
    assert result == slow["result"]
    assert not (tmp_path / "cache").exists()
