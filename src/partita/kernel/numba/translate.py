"""Translation of Numba's errors about a user's function into one sentence with its line."""

from __future__ import annotations

import linecache
import re
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import numba

from partita.kernel.numba.compile import interpreted, kernel

__all__ = ["compiles", "explain"]

ALLOCATES = (
    "it creates an array, a list, a dict or a string, which is not possible inside a walk; "
    "compute it beforehand and pass it in"
)
RETURNS = (
    "it returns an array that is not one of its arguments, which is not possible inside a walk; "
    "return numbers"
)
CONSTRUCTS = {
    "IMPORT_NAME": "it imports inside the function; import at the top of the file",
    "LOAD_BUILD_CLASS": "it defines a class inside the function",
}
typeof: Any = numba.typeof
NOISE = ("Failed in ", "- Resolution failure", "During:", "File ", "None")
PLACES = re.compile(r'(?:File "(.+?)", line |(?:at|from) (\S.*?) \()(\d+)')
NO_MEMORY = ("NRT required but not enabled", "Only accept returning of array passed")


def _value(name: str, kind: str) -> str:
    if kind == "function":
        return f"`{name}` is an ordinary Python function; put @kernel above its definition"
    return f"`{name}` is a {kind}, which compiled code cannot hold; use numbers, arrays or tuples"


def _readable(kinds: str) -> str:
    """Replace Numba's type names by those of NumPy and Python."""
    kinds = re.sub(r"Literal\[(\w+)\]\((.*?)\)", r"\1", kinds)
    kinds = re.sub(r"(?:readonly )?array\((\w+), \d+d, \w(?:, \w+)*\)", r"array of \1", kinds)
    return kinds.replace("unicode_type", "str").strip()


HEADS: tuple[tuple[str, Callable[[re.Match[str]], str]], ...] = (
    (
        r"Untyped (?:global|freevar) name '(.+?)'.*<class '(?:\w+\.)*(\w+)'>",
        lambda m: _value(m[1], m[2]),
    ),
    (r"NameError: name '(.+?)' is not defined", lambda m: f"`{m[1]}` is not defined"),
    (
        r"Unknown attribute '(.+?)' of type (.+)",
        lambda m: f"compiled code has no attribute `{m[1]}` of {_readable(m[2])}",
    ),
    (
        r"Use of unsupported NumPy function '(.+?)'",
        lambda m: f"`{m[1]}` is not available in compiled code, at least not for these arguments",
    ),
    (
        r"Use of unsupported opcode \((\w+)\)",
        lambda m: CONSTRUCTS.get(m[1], f"this construct of Python ({m[1]}) has no compiled form"),
    ),
    (r"The 'with .*construct is not supported", lambda m: "`with ... as ...` has no compiled form"),
    (
        r"Can't unify return type from the following types: (.+)",
        lambda m: f"it returns values of different types: {_readable(m[1])}",
    ),
    (
        r"Cannot unify (.+) and (.+) for '(\w+?)(?:\.\d+)*'",
        lambda m: f"`{m[3]}` is once {_readable(m[1])} and once {_readable(m[2])}",
    ),
    (
        r"Signature mismatch: (\d+) argument types? given, but function takes (\d+)",
        lambda m: f"it takes {m[2]} arguments and is called with {m[1]}",
    ),
    (NO_MEMORY[1], lambda m: RETURNS),
)


def explain(error: BaseException, function: Callable[..., Any]) -> str:
    """Return one sentence with file, line and reason why `function` does not compile."""
    plain = getattr(function, "py_func", function)
    text = re.sub(r"\x1b\[[\d;]*m", "", str(error))
    if not isinstance(plain, FunctionType):
        return f"{plain!r} cannot be compiled: it is not a function written in Python"
    path, line = _place(error, text, plain)
    source = linecache.getline(path, line).strip() or plain.__name__
    return f"{Path(path).name} line {line}: `{source}` cannot be compiled: {_reason(text)}"


def compiles(function: Callable[..., Any], *examples: Any) -> str | None:
    """Return None if `function` compiles for arguments like the examples, or the reason."""
    if interpreted():
        return None
    plain = getattr(function, "py_func", function)
    try:
        kinds = tuple(typeof(example) for example in examples)
    except ValueError as error:
        return f"`{getattr(plain, '__name__', plain)}` cannot be compiled: {_first(str(error))}"
    try:
        kernel(plain).compile(kinds)
    except Exception as error:
        # the compiler raises errors outside its own hierarchy too; each is a reason
        return explain(error, plain)
    return None


def _lines(code: CodeType) -> set[int]:
    """Return the line numbers of a function, including the functions inside it."""
    numbers = {line for _, _, line in code.co_lines() if line is not None}
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            numbers |= _lines(constant)
    return numbers


def _place(error: BaseException, text: str, function: FunctionType) -> tuple[str, int]:
    """Return the file and line of the function to which an error belongs."""
    path, first = function.__code__.co_filename, function.__code__.co_firstlineno
    last = max(_lines(function.__code__), default=first)
    where = getattr(error, "loc", None)
    if where is not None and where.filename == path and first <= where.line <= last:
        return path, where.line
    named = [
        int(number)
        for quoted, bare, number in PLACES.findall(text)
        # Numba writes some paths in full and others relative to the working folder
        if Path(quoted or bare).name == Path(path).name and first <= int(number) <= last
    ]
    # the order in which Numba names several lines differs between processes
    return path, max(named, default=first)


def _first(text: str) -> str:
    """Return the first informative line of a message."""
    lines = [line.strip() for line in text.splitlines()]
    informative = [line for line in lines if line and not line.startswith(NOISE)]
    return informative[0] if informative else "Numba gives no reason"


def _reason(text: str) -> str:
    """Return the cause in plain words; an unknown message is returned as it is."""
    head = _first(text)
    for pattern, translate in HEADS:
        match = re.search(pattern, head)
        if match:
            return translate(match)
    if any(mark in text for mark in NO_MEMORY):
        return ALLOCATES
    call = re.search(r">>> ([\w.]+)\((.*)\)", text)
    if head.startswith("No implementation of function") and call:
        return f"`{call[1]}` has no compiled form for ({_readable(call[2])})"
    return head
