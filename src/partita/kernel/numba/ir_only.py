"""IR-only compilation: kernels without machine code of their own.

A kernel is only ever linked, as LLVM's intermediate representation, into the entry that calls it.
Numba would still optimise each in full and emit machine code that never runs: more than half of the
compile time of a walk. `omit_machine_code` gives one dispatcher a compiler that omits both; all
other functions, the user's own `njit` functions included, compile as usual. These parts of Numba
are undocumented; if one is missing or raises, kernels are compiled in full.
"""

# Numba's internals carry no annotations, and its stub of `dispatcher` omits the compiler
# mypy: allow-untyped-calls, allow-subclassing-any

from __future__ import annotations

import logging
from typing import Any

from numba.core import dispatcher as dispatchers
from numba.core import errors
from numba.core.codegen import JITCodeLibrary, RuntimeLinker
from numba.core.compiler import Compiler

__all__ = ["omit_machine_code"]

internals: Any = dispatchers
FunctionCompiler: Any = internals._FunctionCompiler
ENVIRONMENT = "NumbaEnv"
"""Part of the name of the variable that links compiled code to its Python objects."""
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


def _is_supported() -> bool:
    """Return whether this Numba has every attribute used here."""
    for owner, names in POINTS:
        for name in names:
            if not hasattr(owner, name):
                log.debug("kernels are compiled in full: no %s.%s", owner.__name__, name)
                return False
    return True


def _reads_environment(module: Any) -> bool:
    """Return whether code refers to Python objects, as `print` does."""
    return any(
        ENVIRONMENT in getattr(operand, "name", "")
        for function in module.functions
        for block in function.blocks
        for instruction in block.instructions
        for operand in instruction.operands
    )


class Unset:
    """A code generator without effect, for variables that are not in memory."""

    def set_env(self, name: str, environment: Any) -> None:
        """Skip the variable of a kernel that does not read it."""


class IRLibrary(JITCodeLibrary):
    """The code of one kernel: ready to be linked, optimised little and not in memory."""

    _light = False
    _full = False

    @property
    def codegen(self) -> Any:
        """The code generator, or `Unset` if nothing is in memory."""
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
        # Numba's own first pass: the entry is optimised in full, and has less work once inlining
        # is done
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


class IRPipeline(Compiler):
    """Numba's compiler with an IR-only library for the code."""

    def compile_extra(self, func: Any) -> Any:
        """Compile a function."""
        state = self.state
        state.library = IRLibrary(state.targetctx.codegen(), func.__qualname__)
        return super().compile_extra(func)


class IRCompiler(FunctionCompiler):
    """Compiles one dispatcher's function IR-only, and in full if that fails."""

    def __init__(self, full: Any) -> None:
        parts = (full.py_func, full.targetdescr, full.targetoptions, full.locals)
        # `pipeline_class` stays Numba's, because the disk cache includes it in its key
        super().__init__(*parts, full.pipeline_class)
        self._inner = FunctionCompiler(*parts, IRPipeline)

    def _compile_core(self, args: Any, return_type: Any) -> Any:
        try:
            return self._inner._compile_core(args, return_type)
        except errors.NumbaError:
            raise
        except Exception as error:
            # Numba did not reject the function, so this module may be the cause
            log.debug("%s is compiled in full: %r", self.py_func.__qualname__, error)
            return super()._compile_core(args, return_type)


SUPPORTED = _is_supported()


def omit_machine_code(dispatcher: Any) -> Any:
    """Omit the machine code of a dispatcher that only compiled code calls."""
    full: Any = getattr(dispatcher, "_compiler", None)
    if not SUPPORTED or type(full) is not FunctionCompiler:
        return dispatcher
    # a wrapper for Python or C would run the machine code
    wrapped = not all(
        full.targetoptions.get(f"no_{wrapper}_wrapper") for wrapper in ("cpython", "cfunc")
    )
    if not wrapped and full.pipeline_class is Compiler:
        dispatcher._compiler = IRCompiler(full)
    return dispatcher
