"""Machine code on disk, found again by the source of everything an entry captures.

Numba's own cache does not know what a closure captures: it either never hits or runs old code.
Here a key covers the signature, the compiler and the source of all captured kernels, and each key
has a file of its own, since an index shared by processes can map a key to another's code.
The points of Numba used here are undocumented; `compile` works without this file if one is missing.
"""

# Numba's internals carry no annotations
# mypy: allow-untyped-calls

from __future__ import annotations

import contextlib
import hashlib
import itertools
import logging
import os
import secrets
import sys
import weakref
from typing import Any

import llvmlite
import numba
import numpy as np
from llvmlite.binding import address_of_symbol, parse_assembly, parse_bitcode
from numba import types
from numba.core import config, serialize, sigutils
from numba.core.bytecode import FunctionIdentity
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.codegen import RuntimeLinker
from numba.core.dispatcher import Dispatcher
from numba.core.runtime.nrt import rtsys

from partita.kernel.numba.source import Record, Uncacheable, importable
from partita.kernel.numba.store import folder, place_of, read, write
from partita.progress import report_compilation

__all__ = ["cached", "digest"]

UNIQUE = 2**40
"""Numba counts functions from one in every process; ours count from beyond this number."""

SETTINGS = (
    *("OPT", "BOUNDSCHECK", "DEBUGINFO_DEFAULT", "LOOP_VECTORIZE", "SLP_VECTORIZE"),
    *("USING_SVML", "LLVM_REFPRUNE_PASS", "LLVM_REFPRUNE_FLAGS"),
)
SIMPLE = (
    *(types.Number, types.Boolean, types.NoneType, types.UnicodeType, types.Record),
    *(types.CharSeq, types.UnicodeCharSeq, types.NPDatetime, types.NPTimedelta),
    *(types.NumPyRandomGeneratorType, types.NumPyRandomBitGeneratorType),
)

NO_BITCODE = parse_assembly("").as_bitcode()

log = logging.getLogger(__name__)
loaded: dict[str, Any] = {}
"""Compile results of this process; loading one twice would define its symbols twice."""
witnessed: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()
"""What each kernel was made of when it was first seen."""


def distinguish() -> None:
    """Give compiled functions numbers that no other process gives to its own."""
    # Symbols are told apart by that number alone: two closures of one factory, compiled by two
    # processes and loaded by a third, would otherwise call each other's kernels.
    FunctionIdentity._unique_ids = itertools.count(UNIQUE + secrets.randbits(60))


if not hasattr(FunctionIdentity, "_unique_ids"):
    raise ImportError("this Numba numbers its functions in a way that is not known")
distinguish()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=distinguish)


class Captured(Record):
    """A record that understands Numba's dispatchers and types."""

    def foreign(self, value: Any) -> bool:
        """Append a dispatcher as a child, or a Numba type."""
        if isinstance(value, Dispatcher):
            self.put("kernel", "")
            self.children.append(value)
        elif isinstance(value, types.Type):
            self.type(value)
        else:
            return False
        return True

    def dispatcher(self, dispatcher: Any) -> None:
        """Append a compiled function: its options and its source."""
        compiler = dispatcher._compiler
        self.value((dispatcher.targetoptions, compiler.locals, compiler.pipeline_class))
        self.function(dispatcher.py_func)

    def type(self, kind: Any) -> None:
        """Append a Numba type; a NamedTuple counts by class and fields, not by the types alone."""
        if isinstance(kind, types.Literal):
            self.value(kind.literal_value)
        elif isinstance(kind, types.Omitted):
            self.value(kind.value)
        elif isinstance(kind, types.BaseTuple | types.EnumMember):
            self.put(type(kind).__name__, str(getattr(kind, "count", "")))
            if hasattr(kind, "instance_class"):
                # Numba pickles a class that cannot be imported by value: it would come back
                # as another class, with other types than the caller's
                if not importable(kind.instance_class):
                    raise Uncacheable(f"class {kind.instance_class.__qualname__} in a signature")
                self.cls(kind.instance_class)
            parts: Any = kind if isinstance(kind, types.BaseTuple) else (kind.dtype,)
            for part in parts:
                self.type(part)
        elif isinstance(kind, types.Array):
            self.put("array", str(kind))
            self.type(kind.dtype)
        elif isinstance(kind, types.Optional):
            self.put("optional", "")
            self.type(kind.type)
        elif isinstance(kind, SIMPLE):
            self.put("type", str(kind))
        else:
            raise Uncacheable(f"type {kind}")


def digest(root: Any) -> str:
    """Hash of a dispatcher and, in the order in which they are met, of all that it captures."""
    order, queue, total = {id(root): 0}, [root], hashlib.sha256()
    for dispatcher in queue:
        record = Captured()
        record.dispatcher(dispatcher)
        _witness(dispatcher, record)
        total.update(bytes(record))
        for child in record.children:
            if id(child) not in order:
                order[id(child)] = len(queue)
                queue.append(child)
            total.update(b"%d," % order[id(child)])
    return total.hexdigest()


def _witness(dispatcher: Any, record: Record) -> None:
    # Numba keeps the machine code of a kernel whose globals have changed since, and would store
    # that old code under the hash of the new source
    children = [weakref.ref(child) for child in record.children]
    now = (hashlib.sha256(bytes(record)).digest(), children)
    if dispatcher.overloads and witnessed.get(dispatcher, now) != now:
        raise Uncacheable(f"{dispatcher.py_func.__qualname__} has changed since it was compiled")
    if any(result.fndesc.uid < UNIQUE for result in dispatcher.overloads.values()):
        raise Uncacheable(f"{dispatcher.py_func.__qualname__} was compiled before this module")
    witnessed[dispatcher] = now


class Payload(CompileResultCacheImpl):
    """Numba's conversion between a compile result and what can be stored."""

    def __init__(self) -> None:
        # the parent looks for a source file and a __pycache__ to write to; neither is used
        pass

    def check_cachable(self, result: Any) -> bool:
        """Whether the machine code is free of addresses of this process."""
        if result.lifted or result.library.has_dynamic_globals:
            return False
        # mutual recursion calls through a pointer that Numba fills in only while compiling
        variables = result.library._final_module.global_variables
        return not any(variable.name.startswith(RuntimeLinker.PREFIX) for variable in variables)

    def reduce(self, result: Any) -> Any:
        """The names that machine code calls and defines, and the code, without its bitcode.

        Bitcode is for functions that are compiled into others, and takes longest of all to read;
        what calls an entry finds it by name.
        """
        (name, kind, (code, bitcode)), *rest = super().reduce(result)
        own = _names(parse_bitcode(bitcode), declared=False)
        # what LLVM means by itself has no address
        called = _names(result.library._final_module, declared=True)
        needed = [one for one in called if not one.startswith("llvm.")]
        return needed, own, ((name, kind, (code, NO_BITCODE)), *rest)

    def rebuild(self, target_context: Any, payload: Any) -> Any:
        """The compile result, with all that its machine code calls."""
        needed, own, parts = payload
        _supply(needed, target_context)
        target_context.codegen()._engine._defined_symbols.update(own)
        return super().rebuild(target_context, parts)


class SourceCache(FunctionCache):
    """Numba's function cache with another key and another storage."""

    def __init__(self, dispatcher: Any) -> None:
        # the parent would open its index file
        self._dispatcher = weakref.ref(dispatcher)
        self._name = repr(dispatcher.py_func)
        self._py_func = dispatcher.py_func
        self._impl = Payload()
        self._keys: dict[Any, str] = {}
        self.enable()

    @property
    def cache_path(self) -> str:
        """The folder of the files."""
        return str(folder())

    def flush(self) -> None:
        """Forget the machine code of this function."""
        for key in self._keys.values():
            loaded.pop(key, None)
            with contextlib.suppress(OSError):
                place_of(key).unlink(missing_ok=True)
        self._keys.clear()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Load the compile result for a signature, or None; every failure is a miss."""
        result = None
        try:
            result = self._load_overload(sig, target_context)
        except Exception as error:
            log.debug("%s is compiled afresh: %r", self._name, error)
        if result is None:
            report_compilation(True)
        return result

    def save_overload(self, sig: Any, data: Any) -> None:
        """Store a compile result; on failure nothing is stored."""
        report_compilation(False)
        try:
            super().save_overload(sig, data)
        except Exception as error:
            log.debug("%s is not stored: %r", self._name, error)

    def _load_overload(self, sig: Any, target_context: Any) -> Any:
        if not self._enabled:
            return None
        self._keys.pop(sig, None)
        key = self._keys[sig] = self._index_key(sig, target_context.codegen())
        if key in loaded:
            result = loaded[key]
            # Numba tells functions apart by their entry points, so each dispatcher has its own;
            # its metadata may be filled in only once
            made = (result.library, result.fndesc, result.environment)
            point = target_context.get_executable(*made)
            return result._replace(entry_point=point, metadata=None)
        payload = read(key)
        if payload is None:
            return None
        # Numba's payload is a pickle: types and the environment of compiled code have no other
        # form. It comes from a folder of the user's own and is checked against its seal.
        result = self._impl.rebuild(target_context, serialize.loads(payload))
        if tuple(result.signature.args) != tuple(sigutils.normalize_signature(sig)[0]):
            raise Uncacheable("the stored signature is another one")
        loaded[key] = result
        return result

    def _save_overload(self, sig: Any, data: Any) -> None:
        if not self._enabled or sig not in self._keys:
            return
        key = self._keys[sig]
        if key != self._index_key(sig, data.codegen):
            raise Uncacheable("the source has changed while it was compiled")
        Captured().type(data.signature.return_type)
        if not self._impl.check_cachable(data):
            raise Uncacheable("the machine code holds addresses of this process")
        payload = serialize.dumps(self._impl.reduce(data))
        loaded[key] = data
        write(key, payload)

    def _index_key(self, sig: Any, codegen: Any) -> str:
        arguments, result = sigutils.normalize_signature(sig)
        record = Captured()
        for kind in arguments:
            record.type(kind)
        if result is not None:
            record.type(result)
        versions = (numba.__version__, llvmlite.__version__, np.__version__, sys.version)
        settings = [repr(getattr(config, name, None)) for name in SETTINGS]
        facts = (len(arguments), codegen.magic_tuple(), versions, settings)
        record.put("facts", repr(facts))
        record.put("source", digest(self._dispatcher()))
        return hashlib.sha256(bytes(record)).hexdigest()


def _names(module: Any, *, declared: bool) -> list[str]:
    """What a module of LLVM defines, or what it takes from elsewhere."""
    parts = (one for kind in (module.functions, module.global_variables) for one in kind)
    return [one.name for one in parts if bool(one.is_declaration) == declared]


def _supply(names: list[str], target_context: Any) -> None:
    """Have what machine code calls, loading no more of Numba than that."""
    # before any cached code Numba itself loads all that its compiler knows, which takes longer
    # than the code
    for load in (rtsys.initialize, type(target_context).refresh):
        if all(address_of_symbol(name) is not None for name in names):
            return
        load(target_context)
    lost = [name for name in names if address_of_symbol(name) is None]
    if lost:
        # LLVM would end the process
        raise Uncacheable(f"{lost[0]} is nowhere to be found")


def cached(dispatcher: Any) -> Any:
    """Let a dispatcher keep its machine code on disk; one without a place for it stays as it is."""
    if isinstance(dispatcher, Dispatcher) and hasattr(dispatcher, "_cache"):
        dispatcher._cache = SourceCache(dispatcher)
    return dispatcher
