"""The content of a function as bytes to hash: its bytecode and every value it captures.

A closure over kernels has no file and no time stamp of its own, and `repr` or `pickle` of captured
values differ between processes. A `Record` therefore encodes bytecode, constants, defaults, closure
cells and the globals that are read, and rejects values that it cannot encode.
"""

from __future__ import annotations

import dis
import enum
import functools
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

__all__ = ["Record", "Uncacheable", "is_importable", "is_library"]

ATOMS = (type(None), type(...), bool, int, float, complex, str, bytes)
LIBRARIES = frozenset({"llvmlite", "numba", "numpy", "scipy"})
STANDARD = tuple(Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib"))
MAX_EMBEDDED_BYTES = 1_000_000
"""Array size up to which Numba embeds the data in the code; it refers to larger ones by address."""

READS_GLOBAL = frozenset(dis.opmap[name] for name in ("LOAD_GLOBAL", "LOAD_NAME"))
LOAD_GLOBAL, EXTENDED_ARG = dis.opmap["LOAD_GLOBAL"], dis.opmap["EXTENDED_ARG"]


class Uncacheable(Exception):
    """A captured value has no hash that is the same in every process."""


@functools.cache
def is_library(module: str) -> bool:
    """Return whether a module changes only with its version: standard library, NumPy, Numba."""
    top = module.partition(".")[0]
    if top in LIBRARIES or top == "builtins":
        return True
    # a user's own file may have the name of a standard module, so check the file too
    origin = getattr(getattr(sys.modules.get(top), "__spec__", None), "origin", None)
    if top not in sys.stdlib_module_names or origin is None:
        return False
    return origin in ("built-in", "frozen") or any(
        Path(origin).is_relative_to(folder) for folder in STANDARD
    )


def is_importable(cls: type) -> bool:
    """Return whether another process would import this very class by its name."""
    if cls.__module__ == "__main__":
        return False
    value: Any = sys.modules.get(cls.__module__)
    for name in cls.__qualname__.split("."):
        value = getattr(value, name, None)
    return value is cls


def nested_codes(code: CodeType) -> Iterator[CodeType]:
    """Yield the code object and those of the functions and comprehensions inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from nested_codes(constant)


@functools.lru_cache(maxsize=4096)
def global_names(code: CodeType) -> tuple[str, ...]:
    """Return the names that the code reads from its module, without attribute names."""
    # `co_names` mixes both, and `dis` takes longer than the rest of the hash
    names, high, raw = [], 0, code.co_code
    for place in range(0, len(raw), 2):
        operation, argument = raw[place], raw[place + 1] | high
        high = argument << 8 if operation == EXTENDED_ARG else 0
        if operation in READS_GLOBAL:
            # since Python 3.11 the lowest bit of LOAD_GLOBAL is a flag
            names.append(code.co_names[argument >> 1 if operation == LOAD_GLOBAL else argument])
    return tuple(dict.fromkeys(names))


class Record:
    """One function as bytes, except for the compiled functions that it captures: its `children`."""

    def __init__(self) -> None:
        self.children: list[Any] = []
        self._parts: list[bytes] = []
        self._names: tuple[str, ...] = ()
        self._modules: set[int] = set()

    def __bytes__(self) -> bytes:
        return b"".join(self._parts)

    def put(self, kind: str, text: str) -> None:
        """Append one item with its length, so that different sequences never give equal bytes."""
        data = text.encode("utf-8", "surrogatepass")
        self._parts.append(b"%s %d:%s" % (kind.encode(), len(data), data))

    def function(self, function: FunctionType) -> None:
        """Append a function with everything it refers to."""
        codes = list(nested_codes(function.__code__))
        self._names = tuple(dict.fromkeys(name for code in codes for name in code.co_names))
        self.value(function.__code__)
        self.value(function.__defaults__)
        self.value(function.__kwdefaults__)
        for cell in function.__closure__ or ():
            self._cell(cell)
        for name in dict.fromkeys(name for code in codes for name in global_names(code)):
            self.put("global", name)
            if name in function.__globals__:
                self.value(function.__globals__[name])

    def value(self, value: Any) -> None:
        """Append any captured value, or raise `Uncacheable`."""
        kind = type(value)
        if kind in ATOMS:
            self.put(kind.__name__, repr(value))
        elif self.foreign(value):
            pass
        elif isinstance(value, CodeType):
            self._code(value)
        elif isinstance(value, ModuleType):
            self._module(value)
        elif isinstance(value, type):
            self.cls(value)
        elif isinstance(value, enum.Enum):
            self.cls(kind)
            self.put("member", value.name)
        elif isinstance(value, np.ndarray | np.generic | np.dtype):
            self._numeric(value)
        elif kind in (list, dict, set, frozenset, slice) or isinstance(value, tuple):
            self._container(value)
        else:
            self._named(value)

    def foreign(self, value: Any) -> bool:
        """Append a value of a type that only the compiler handles; return whether it was one."""
        return False

    def cls(self, cls: type) -> None:
        """Append a class by the parts that compiled code uses: the fields or the members."""
        self.put("class", f"{cls.__module__}.{cls.__qualname__}")
        if is_library(cls.__module__) or (issubclass(cls, BaseException) and is_importable(cls)):
            return
        if issubclass(cls, tuple) and hasattr(cls, "_fields"):
            self.value(cls._fields)
            self.value(getattr(cls, "_field_defaults", None))
        elif issubclass(cls, enum.Enum):
            self.value({name: member.value for name, member in cls.__members__.items()})
        else:
            raise Uncacheable(f"class {cls.__qualname__}")

    def _code(self, code: CodeType) -> None:
        # no file and no line numbers: moving a function does not change its result
        counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
        names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
        self.put("code", repr((counts, names, code.co_code, code.co_exceptiontable)))
        self.value(code.co_consts)

    def _cell(self, cell: CellType) -> None:
        try:
            contents = cell.cell_contents
        except ValueError:
            self.put("empty", "")
        else:
            self.value(contents)

    def _module(self, module: ModuleType) -> None:
        top = sys.modules.get(module.__name__.partition(".")[0])
        self.put("module", f"{module.__name__} {getattr(top, '__version__', '')}")
        if is_library(module.__name__) or id(module) in self._modules:
            return
        self._modules.add(id(module))
        held = vars(module)
        if "__getattr__" in held:
            raise Uncacheable(f"module {module.__name__} computes its attributes")
        for name in self._names:
            if name in held:
                self.put("attribute", name)
                self.value(held[name])

    def _numeric(self, value: Any) -> None:
        if isinstance(value, np.dtype):
            self.put("dtype", repr(value))
            return
        array = np.asarray(value)
        if array.dtype.hasobject or array.nbytes > MAX_EMBEDDED_BYTES:
            raise Uncacheable("a large array or one of Python objects")
        flags = (array.flags.c_contiguous, array.flags.f_contiguous, array.flags.aligned)
        self.put(type(value).__name__, repr((array.dtype, array.shape, flags)))
        self.put("bytes", repr(array.tobytes()))

    def _container(self, value: Any) -> None:
        self.put(type(value).__name__, str(len(value)) if hasattr(value, "__len__") else "")
        if isinstance(value, slice):
            self._container((value.start, value.stop, value.step))
        elif isinstance(value, set | frozenset):
            # the order of a set differs from one process to the next
            if not all(type(item) in ATOMS for item in value):
                raise Uncacheable("a set of composed values")
            self.put("items", repr(sorted((type(item).__name__, repr(item)) for item in value)))
        elif isinstance(value, dict):
            if not all(type(key) is str for key in value):
                raise Uncacheable("a dict with keys other than text")
            for key in sorted(value):
                self.put("key", key)
                self.value(value[key])
        else:
            if type(value) not in (tuple, list):
                self.cls(type(value))
            for item in value:
                self.value(item)

    def _named(self, value: Any) -> None:
        # a plain function may replace an overload registered elsewhere, whose source is unknown
        module = getattr(value, "__module__", None) or "numpy"
        name = str(getattr(value, "__qualname__", None) or getattr(value, "__name__", ""))
        if not is_library(module) or getattr(sys.modules.get(module), name, None) is not value:
            raise Uncacheable(f"{type(value).__name__} {name or repr(value)}")
        self.put("named", f"{module}.{name}")
