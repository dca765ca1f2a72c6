"""The decorators: `kernel` for code inside a walk, `entry` for functions that Python calls.

Composed kernels run at the speed of fused code only with `forceinline` and without Numba's
reference counting (`_nrt=False`), which also turns an allocation inside a kernel into a compile
error. These parts of Numba are undocumented; only this module, `cache` and `ir_only` use them. If
one is missing, Partita falls back to documented options alone, to no cache, or to machine code for
every kernel.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from typing import Any

import numba
from numba.core import config

__all__ = ["PLAIN", "entry", "fingerprint", "interpreted", "kernel"]

INLINED = {
    "forceinline": True,
    "_nrt": False,
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
}
CALLED = {"_nrt": False, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
ENTERED = {"_nrt": False, "nogil": True}

log = logging.getLogger(__name__)
# Numba's annotations lack its undocumented options and its settings
njit: Any = numba.njit
settings: Any = config


def _accepts_options() -> bool:
    """Return whether this Numba accepts every option used here, before anything is compiled."""
    try:
        from numba.core import compiler, registry

        parse: Any = registry.cpu_target.options.parse_as_flags
        flags: Any = compiler.Flags
        for options in (INLINED, CALLED, ENTERED):
            parse(flags(), dict(options))
    except Exception as error:
        log.warning("this Numba rejects the options of fast kernels: %s", error)
        return False
    return True


def _load_cache() -> Callable[[Any], Any]:
    """Return the function that adds the disk cache to a dispatcher, or one that does nothing."""
    try:
        from partita.kernel.numba.cache import add_cache
    except Exception as error:
        log.warning("machine code is not kept on disk: %s", error)
        return lambda dispatcher: dispatcher
    return add_cache


def _load_ir_only() -> Callable[[Any], Any]:
    """Return the function that omits a kernel's own machine code, or one that does nothing."""
    try:
        from partita.kernel.numba.ir_only import omit_machine_code
    except Exception as error:
        log.debug("kernels are compiled in full: %s", error)
        return lambda dispatcher: dispatcher
    return omit_machine_code


PLAIN = os.environ.get("PARTITA_PLAIN_NUMBA", "") not in ("", "0") or not _accepts_options()
"""True if only documented options of Numba are used: slower, and the fallback if others vanish."""
add_cache: Callable[[Any], Any] = (lambda dispatcher: dispatcher) if PLAIN else _load_cache()
omit_machine_code: Callable[[Any], Any] = (
    (lambda dispatcher: dispatcher) if PLAIN else _load_ir_only()
)


def fingerprint(function: Any) -> str | None:
    """Hash the source of a compiled function and of all it captures; None if that is impossible."""
    try:
        from partita.kernel.numba.cache import digest

        return digest(function)
    except Exception as error:
        log.debug("no fingerprint: %s", error)
        return None


def interpreted() -> bool:
    """Return whether kernels run as plain Python (NUMBA_DISABLE_JIT=1)."""
    return bool(settings.DISABLE_JIT)


def kernel(function: Callable[..., Any] | None = None, *, inline: bool = True) -> Any:
    """Compile a function that other kernels call; `inline=False` emits a large one only once."""
    if function is None:
        return lambda f: kernel(f, inline=inline)
    if interpreted():
        return function
    if PLAIN:
        return njit(function)
    return omit_machine_code(njit(**(INLINED if inline else CALLED))(function))


def entry(function: Callable[..., Any]) -> Any:
    """Compile a function that Python calls: without the interpreter lock, cached on disk."""
    if interpreted():
        return function
    if PLAIN:
        return njit(nogil=True)(function)
    return add_cache(njit(**ENTERED)(function))
