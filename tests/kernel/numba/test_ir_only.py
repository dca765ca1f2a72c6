import threading

import numba
import numpy as np
import pytest

from partita.kernel.numba.compile import PLAIN, entry, kernel
from tests.kernel.processes import finish, project, run, start

ir_only = pytest.importorskip("partita.kernel.numba.ir_only")
pytestmark = [
    pytest.mark.compiled,
    pytest.mark.skipif(PLAIN, reason="the fallback compiles every kernel in full"),
]
INT = numba.int64
REPORT = """
import json, sys
{change}
from partita.kernel.numba import compile
from model import run
from helpers import helper
json.dump([run([1])[0]["result"], type(helper._compiler).__name__], sys.stdout)
"""


@pytest.fixture(autouse=True)
def fresh(monkeypatch, tmp_path):
    # an entry that is found on disk compiles none of its kernels
    monkeypatch.setenv("PARTITA_CACHE_DIR", str(tmp_path / "fresh"))


def libraries(function):
    return [result.library for result in function.overloads.values()]


def in_memory(function):
    """Return whether the machine code of a function can be reached by its own name."""
    (result,) = function.overloads.values()
    return result.library.get_pointer_to_function(result.fndesc.llvm_func_name) != 0


@pytest.mark.parametrize("inline", [True, False])
def test_a_kernel_is_linked_without_machine_code_of_its_own(inline):
    @kernel(inline=inline)
    def tripled(x):
        return 3 * x

    tripled.compile((INT,))
    assert [one._light for one in libraries(tripled)] == [True]
    assert not in_memory(tripled)

    @entry
    def one(x):
        return tripled(x) + 1

    @entry
    def two(x):
        return tripled(x) + tripled(x + 0.5)

    assert one(2) == 7
    assert two(2) == 13.5
    assert [library._light for library in libraries(tripled)] == [True, True]
    assert not any(isinstance(library, ir_only.IRLibrary) for library in libraries(two))


def test_a_plain_function_inside_a_kernel_stays_a_plain_function():
    @kernel
    def inner(x):
        return x + 1

    @numba.njit
    def plain(x):
        return inner(x) * 2

    @kernel
    def outer(values, x):
        return plain(x) + values.sum()

    @entry
    def called(values, x):
        return outer(values, x)

    assert called(np.arange(4.0), 3) == 14.0
    assert libraries(outer)[0]._light
    assert in_memory(plain)
    assert not any(isinstance(library, ir_only.IRLibrary) for library in libraries(plain))
    assert plain.nopython_signatures == [INT(INT)]
    assert plain(10) == 22


def test_recursion():
    @kernel(inline=False)
    def factorial(n):
        if n <= 1:
            return 1
        return n * factorial(n - 1)

    @kernel(inline=False)
    def even(n):
        if n == 0:
            return True
        return odd(n - 1)

    @kernel(inline=False)
    def odd(n):
        if n == 0:
            return False
        return even(n - 1)

    @entry
    def called(n):
        return factorial(n), even(n), odd(n)

    assert called(6) == (720, True, False)
    assert libraries(factorial)[0]._light
    # each calls the other through a pointer, which needs an address
    assert not any(library._light for library in libraries(even) + libraries(odd))


def test_a_kernel_that_uses_python_objects_has_its_environment(capfd):
    @kernel
    def shown(x):
        print("value", x)  # noqa: T201
        return x

    @kernel
    def refused(x):
        if x > 1:
            raise ValueError("too large")
        return x

    @entry
    def called(x):
        return refused(shown(x))

    assert called(1) == 1
    assert capfd.readouterr().out.split() == ["value", "1"]
    with pytest.raises(ValueError, match="too large"):
        called(2)
    assert not libraries(shown)[0]._light
    assert libraries(refused)[0]._light


def test_threads_compile_at_the_same_time():
    def family(k):
        @kernel
        def scaled(x):
            return x * k

        @entry
        def called(x):
            return scaled(x) + 1

        return called

    found = {}

    def work(k):
        found[k] = family(k)(10)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {k: 10 * k + 1 for k in range(6)}


def test_what_goes_wrong_here_is_compiled_in_full(monkeypatch):
    def broken(self, ir_module):
        raise AttributeError("another Numba")

    monkeypatch.setattr(ir_only.IRLibrary, "add_ir_module", broken)

    @kernel
    def halved(x):
        return x / 2

    @entry
    def called(x):
        return halved(x)

    assert called(3) == 1.5
    assert not any(isinstance(library, ir_only.IRLibrary) for library in libraries(halved))


def test_what_numba_refuses_is_refused_once(monkeypatch):
    calls = []
    core = ir_only.FunctionCompiler._compile_core

    def counted(self, args, return_type):
        calls.append(args)
        return core(self, args, return_type)

    monkeypatch.setattr(ir_only.FunctionCompiler, "_compile_core", counted)

    @kernel
    def wrong(x):
        return x.nothing

    with pytest.raises(numba.core.errors.NumbaError):
        wrong.compile((INT,))
    assert calls == [(INT,)]


def test_a_missing_attribute_is_noticed(monkeypatch):
    monkeypatch.setattr(ir_only, "POINTS", ((ir_only.JITCodeLibrary, ("_no_such_point",)),))
    assert not ir_only._is_supported()
    monkeypatch.setattr(ir_only, "SUPPORTED", ir_only._is_supported())

    @kernel
    def same(x):
        return x

    assert type(same._compiler) is ir_only.FunctionCompiler


def test_functions_that_python_can_call_are_left_alone():
    plain = numba.njit(lambda x: x)
    assert ir_only.omit_machine_code(plain) is plain
    assert type(plain._compiler) is ir_only.FunctionCompiler
    assert ir_only.omit_machine_code(len) is len


CHANGES = {
    "as it is": ("", "IRCompiler"),
    "attribute gone": (
        "from numba.core import codegen\n"
        "owner = codegen.CPUCodeLibrary\n"
        "owner.renamed = owner._finalize_dynamic_globals\n"
        "del owner._finalize_dynamic_globals\n"
        "import partita.kernel\n"
        "owner._finalize_dynamic_globals = owner.renamed",
        "_FunctionCompiler",
    ),
    "class gone": (
        "from numba.core import codegen\n"
        "kept = codegen.JITCodeLibrary\n"
        "del codegen.JITCodeLibrary\n"
        "import partita.kernel\n"
        "codegen.JITCodeLibrary = kept",
        "_FunctionCompiler",
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_another_numba_compiles_kernels_in_full(tmp_path, change):
    lines, compiler = CHANGES[change]
    base = project(tmp_path / "base")
    code = REPORT.format(change=lines)
    result, found = finish(start(["-c", code], base, tmp_path / "cache"))
    (slow,) = run(base, tmp_path / "cache", 1, NUMBA_DISABLE_JIT="1")
    assert found == compiler
    assert result == slow["result"]


def test_it_can_be_switched_off(tmp_path):
    base = project(tmp_path / "base")
    code = REPORT.format(change="")
    process = start(["-c", code], base, tmp_path / "cache", PARTITA_PLAIN_NUMBA="1")
    assert finish(process)[1] == "_FunctionCompiler"


def test_an_entry_made_of_light_kernels_is_loaded_by_another_process(tmp_path):
    base = project(tmp_path / "base")
    (made,) = run(base, tmp_path / "cache", 2)
    (read,) = run(base, tmp_path / "cache", 2)
    assert (made["hits"], read["hits"]) == (0, 1)
    assert made["result"] == read["result"]
