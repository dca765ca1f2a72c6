"""Disk cache of machine code, keyed by the source of everything that an entry captures.

Numba's own cache ignores the values that a closure captures: it either never hits or runs old code.
Here a key covers the signature, the compiler and the source of all captured kernels. Each key has
its own file, since an index shared by processes can map a key to the code of another. A file holds
a pickle in Numba's format; `partita.kernel.numba` describes who is trusted to write it. These parts
of Numba are undocumented; `compile` works without this module if one is missing.
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
import warnings
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

from partita.kernel.numba.source import Record, Uncacheable, is_importable
from partita.kernel.numba.store import cache_folder, file_of, read, write
from partita.progress import report_compilation

__all__ = ["add_cache", "digest"]

FIRST_NUMBER = 2**40
"""Numba numbers functions from 1 in every process; ours start above this number."""

FORMAT = 2
"""Version of the format of files; part of the key, so that no version overwrites another's."""
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
first_records: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()
"""The content of each kernel when it was first hashed."""


def renumber_functions() -> None:
    """Number compiled functions differently from every other process."""
    # symbols differ by that number alone: two closures of one factory, compiled by two
    # processes and loaded by a third, would otherwise call each other's kernels
    FunctionIdentity._unique_ids = itertools.count(FIRST_NUMBER + secrets.randbits(60))


if not hasattr(FunctionIdentity, "_unique_ids"):
    raise ImportError("this Numba does not number its functions as expected")
renumber_functions()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=renumber_functions)


class NumbaRecord(Record):
    """A record that encodes Numba's dispatchers and types."""

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
        """Append a Numba type; a NamedTuple is encoded by class and fields, not by types alone."""
        if isinstance(kind, types.Literal):
            self.value(kind.literal_value)
        elif isinstance(kind, types.Omitted):
            self.value(kind.value)
        elif isinstance(kind, types.BaseTuple | types.EnumMember):
            self.put(type(kind).__name__, str(getattr(kind, "count", "")))
            if hasattr(kind, "instance_class"):
                # Numba pickles a class that cannot be imported by value: loading would give another
                # class, with other types than the caller's
                if not is_importable(kind.instance_class):
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
    """Hash a dispatcher and all that it captures, in the order of first appearance."""
    order, queue, total = {id(root): 0}, [root], hashlib.sha256()
    for dispatcher in queue:
        record = NumbaRecord()
        record.dispatcher(dispatcher)
        _check_unchanged(dispatcher, record)
        total.update(bytes(record))
        for child in record.children:
            if id(child) not in order:
                order[id(child)] = len(queue)
                queue.append(child)
            total.update(b"%d," % order[id(child)])
    return total.hexdigest()


def _check_unchanged(dispatcher: Any, record: Record) -> None:
    # Numba reuses the machine code of a kernel whose globals have changed, and would store
    # that old code under the hash of the new source
    children = [weakref.ref(child) for child in record.children]
    now = (hashlib.sha256(bytes(record)).digest(), children)
    if dispatcher.overloads and first_records.get(dispatcher, now) != now:
        raise Uncacheable(f"{dispatcher.py_func.__qualname__} has changed since it was compiled")
    if any(result.fndesc.uid < FIRST_NUMBER for result in dispatcher.overloads.values()):
        raise Uncacheable(f"{dispatcher.py_func.__qualname__} was compiled before this module")
    first_records[dispatcher] = now


class Payload(CompileResultCacheImpl):
    """Numba's conversion between a compile result and its stored form."""

    def __init__(self) -> None:
        # the parent searches for a source file and a __pycache__ to write to; neither is used
        pass

    def check_cachable(self, result: Any) -> bool:
        """Return whether the machine code is free of addresses of this process."""
        if result.lifted or result.library.has_dynamic_globals:
            return False
        # mutual recursion calls through a pointer that Numba fills in only while compiling
        variables = result.library._final_module.global_variables
        return not any(variable.name.startswith(RuntimeLinker.PREFIX) for variable in variables)

    def reduce(self, result: Any) -> Any:
        """Return the names that the code calls and defines, and the code, without its bitcode.

        Bitcode serves functions that are compiled into others, and is the slowest part to read;
        callers find an entry by name.
        """
        (name, kind, (code, bitcode)), *rest = super().reduce(result)
        own = _names(parse_bitcode(bitcode), declared=False)
        # LLVM's intrinsics have no address
        called = _names(result.library._final_module, declared=True)
        needed = [symbol for symbol in called if not symbol.startswith("llvm.")]
        return needed, own, ((name, kind, (code, NO_BITCODE)), *rest)

    def rebuild(self, target_context: Any, payload: Any) -> Any:
        """Load the compile result, and everything that its machine code calls."""
        needed, own, parts = payload
        _load_symbols(needed, target_context)
        target_context.codegen()._engine._defined_symbols.update(own)
        return super().rebuild(target_context, parts)


class SourceCache(FunctionCache):
    """Numba's function cache with another key and another store."""

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
        return str(cache_folder())

    def flush(self) -> None:
        """Remove the machine code of this function."""
        for key in self._keys.values():
            loaded.pop(key, None)
            with contextlib.suppress(OSError):
                file_of(key).unlink(missing_ok=True)
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
            # Numba identifies functions by their entry points, so each dispatcher has its own;
            # its metadata may be set only once
            parts = (result.library, result.fndesc, result.environment)
            point = target_context.get_executable(*parts)
            return result._replace(entry_point=point, metadata=None)
        payload = read(key)
        if payload is None:
            return None
        result = self._impl.rebuild(target_context, unpickle(payload))
        if tuple(result.signature.args) != tuple(sigutils.normalize_signature(sig)[0]):
            raise Uncacheable("the stored signature differs")
        loaded[key] = result
        return result

    def _save_overload(self, sig: Any, data: Any) -> None:
        if not self._enabled or sig not in self._keys:
            return
        key = self._keys[sig]
        if key != self._index_key(sig, data.codegen):
            raise Uncacheable("the source has changed while it was compiled")
        NumbaRecord().type(data.signature.return_type)
        if not self._impl.check_cachable(data):
            raise Uncacheable("the machine code holds addresses of this process")
        payload = serialize.dumps(self._impl.reduce(data))
        loaded[key] = data
        write(key, payload)

    def _index_key(self, sig: Any, codegen: Any) -> str:
        arguments, result = sigutils.normalize_signature(sig)
        record = NumbaRecord()
        for kind in arguments:
            record.type(kind)
        if result is not None:
            record.type(result)
        versions = (numba.__version__, llvmlite.__version__, np.__version__, sys.version)
        settings = [repr(getattr(config, name, None)) for name in SETTINGS]
        facts = (FORMAT, len(arguments), codegen.magic_tuple(), versions, settings)
        record.put("facts", repr(facts))
        record.put("source", digest(self._dispatcher()))
        return hashlib.sha256(bytes(record)).hexdigest()


def unpickle(payload: bytes) -> Any:
    """Read a stored payload; one of an earlier version may name modules that have moved since."""
    # types and the environment of compiled code have no other form than a pickle; `read` has
    # checked the HMAC, the owner and the permissions
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return serialize.loads(payload)


def _names(module: Any, *, declared: bool) -> list[str]:
    """List the names that an LLVM module defines or, with `declared`, takes from elsewhere."""
    parts = (item for kind in (module.functions, module.global_variables) for item in kind)
    return [item.name for item in parts if bool(item.is_declaration) == declared]


def _load_symbols(names: list[str], target_context: Any) -> None:
    """Load the functions that machine code calls, and no more of Numba than that."""
    # Numba itself loads its whole compiler before any cached code, which takes longer
    # than the code
    for load in (rtsys.initialize, type(target_context).refresh):
        if all(address_of_symbol(name) is not None for name in names):
            return
        load(target_context)
    lost = [name for name in names if address_of_symbol(name) is None]
    if lost:
        # LLVM would end the process
        raise Uncacheable(f"{lost[0]} is not defined")


def add_cache(dispatcher: Any) -> Any:
    """Store a dispatcher's machine code on disk; a dispatcher without a cache is unchanged."""
    if isinstance(dispatcher, Dispatcher) and hasattr(dispatcher, "_cache"):
        dispatcher._cache = SourceCache(dispatcher)
    return dispatcher
