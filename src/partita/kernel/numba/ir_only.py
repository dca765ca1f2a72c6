"""Kernels without machine code of their own.

A kernel is only ever linked, as LLVM's intermediate code, into the entry that calls it. Numba would
nonetheless optimise each in full and emit machine code that nobody runs: more than half of the
time a walk takes to compile. `lighten` gives one dispatcher a compiler that leaves both out;
whatever else is compiled meanwhile, the user's own `njit` functions among it, stays as it is.
The points of Numba used here are undocumented; where one is missing or raises, kernels are compiled
in full.
"""

# Numba's internals carry no annotations, and its stub of `dispatcher` leaves out the compiler
# mypy: allow-untyped-calls, allow-subclassing-any

from __future__ import annotations

import logging
from typing import Any

from numba.core import dispatcher as dispatchers
from numba.core import errors
from numba.core.codegen import JITCodeLibrary, RuntimeLinker
from numba.core.compiler import Compiler

__all__ = ["lighten"]

internals: Any = dispatchers
FunctionCompiler: Any = internals._FunctionCompiler
ENVIRONMENT = "NumbaEnv"
"""Part of the name of the variable through which compiled code finds its Python objects."""
POINTS: tuple[tuple[Any, tuple[str, ...]], ...] = (
    (RuntimeLinker, ("PREFIX",)),
    (Compiler, ("compile_extra",)),
    (FunctionCompiler, ("_compile_core",)),
    (
        JITCodeLibrary,
        (
            *("add_ir_module", "codegen", "_optimize_final_module", "_finalize_final_module"),
            *("_finalize_dynamic_globals", "_verify_declare_only_symbols", "_finalized"),
        ),
    ),
)

log = logging.getLogger(__name__)


def _known() -> bool:
    """Whether this Numba has every attribute used here."""
    for owner, names in POINTS:
        for name in names:
            if not hasattr(owner, name):
                log.debug("kernels are compiled in full: no %s.%s", owner.__name__, name)
                return False
    return True


def _reads_environment(module: Any) -> bool:
    """Whether code refers to Python objects, as that of `print` does."""
    return any(
        ENVIRONMENT in getattr(operand, "name", "")
        for function in module.functions
        for block in function.blocks
        for instruction in block.instructions
        for operand in instruction.operands
    )


class Unset:
    """Stands for the code generator where Numba would fill in a variable that is not in memory."""

    def set_env(self, name: str, environment: Any) -> None:
        """Leave the variable of a kernel that does not read it."""


class LightLibrary(JITCodeLibrary):
    """The code of one kernel: ready to be linked, but optimised little and not in memory."""

    _light = False
    _full = False

    @property
    def codegen(self) -> Any:
        """The code generator, as far as there is anything in memory for it."""
        return Unset() if self._light else self._codegen

    def add_ir_module(self, ir_module: Any) -> None:
        """Add code; some code can only be linked to if it is in memory too."""
        self._full = self._full or _reads_environment(ir_module)
        super().add_ir_module(ir_module)

    def _optimize_final_module(self) -> None:
        # mutual recursion calls through a pointer to a function in memory
        variables = self._final_module.global_variables
        self._full = self._full or any(v.name.startswith(RuntimeLinker.PREFIX) for v in variables)
        if self._full:
            super()._optimize_final_module()
            return
        # Numba's own first pass: the entry is optimised in full, and has less to go through when
        # inlining is done already
        passes, builder = self._codegen._module_pass_manager(
            loop_vectorize=False, slp_vectorize=False, opt=0, cost="cheap"
        )
        passes.run(self._final_module, builder)

    def _finalize_final_module(self) -> None:
        if self._full:
            super()._finalize_final_module()
            return
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._light = self._finalized = True


class LightPipeline(Compiler):
    """Numba's compiler with a light library to put the code into."""

    def compile_extra(self, func: Any) -> Any:
        """Compile a function."""
        state = self.state
        state.library = LightLibrary(state.targetctx.codegen(), func.__qualname__)
        return super().compile_extra(func)


class LightCompiler(FunctionCompiler):
    """Compiles one dispatcher's function light, and in full if that goes wrong."""

    def __init__(self, full: Any) -> None:
        parts = (full.py_func, full.targetdescr, full.targetoptions, full.locals)
        # `pipeline_class` stays Numba's, which the disk cache takes into its key
        super().__init__(*parts, full.pipeline_class)
        self._inner = FunctionCompiler(*parts, LightPipeline)

    def _compile_core(self, args: Any, return_type: Any) -> Any:
        try:
            return self._inner._compile_core(args, return_type)
        except errors.NumbaError:
            raise
        except Exception as error:
            # not what Numba says of a function it cannot compile, so it may be due to this module
            log.debug("%s is compiled in full: %r", self.py_func.__qualname__, error)
            return super()._compile_core(args, return_type)


KNOWN = _known()


def lighten(dispatcher: Any) -> Any:
    """Let a dispatcher that only compiled code calls do without machine code of its own."""
    full: Any = getattr(dispatcher, "_compiler", None)
    if not KNOWN or type(full) is not FunctionCompiler:
        return dispatcher
    # with a wrapper for Python or C there is someone to run the machine code
    wrapped = not all(full.targetoptions.get(f"no_{one}_wrapper") for one in ("cpython", "cfunc"))
    if not wrapped and full.pipeline_class is Compiler:
        dispatcher._compiler = LightCompiler(full)
    return dispatcher
