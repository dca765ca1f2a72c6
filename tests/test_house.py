"""House rules: sizes, docstrings, annotations, and words that are not left behind."""

import ast
import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ("src", "papers", "benchmarks", "examples")
FILES = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))
SOURCE = [path for path in FILES if path.is_relative_to(ROOT / "src")]
ENGINE = {
    *("kernel", "states", "factors", "proposals", "estimators", "walks", "learning", "posterior"),
}
MOST_LINES, LONGEST_FUNCTION, LONGEST_INIT = 400, 60, 30
FUSED = {ROOT / "benchmarks" / "fused.py", ROOT / "benchmarks" / "fused_aggregated.py"}
"""Twins of the walk, fused by hand into one function each: their length is their purpose."""
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
UNFINISHED = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b")


def name(path):
    return str(path.relative_to(ROOT))


def mirrored(path):
    """Whether tests mirror the file one to one: every module of the engine."""
    inside = path.relative_to(ROOT / "src" / "partita")
    return inside.parts[0] in ENGINE and inside.name != "__init__.py"


def functions(tree):
    return [node for node in ast.walk(tree) if isinstance(node, FUNCTIONS)]


def public(tree, prefix=""):
    """Public functions, classes and methods, without what is defined inside a function."""
    for node in tree.body:
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)) and not node.name.startswith("_"):
            yield f"{prefix}{node.name}", node
            if isinstance(node, ast.ClassDef):
                yield from public(node, f"{prefix}{node.name}.")


def unannotated(node):
    arguments = node.args
    given = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    given += [one for one in (arguments.vararg, arguments.kwarg) if one is not None]
    bare = [one.arg for one in given if one.annotation is None and one.arg not in ("self", "cls")]
    return bare + (["return"] if node.returns is None else [])


def documented(node):
    """Lines of a function's docstring, which do not count."""
    first = node.body[0]
    told = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return first.end_lineno - first.lineno + 1 if told else 0


def offences(path, text):
    """Everything about a file that the rules forbid, one line each."""
    tree = ast.parse(text)
    lines = text.count("\n")
    if lines > MOST_LINES:
        yield f"{lines} lines, at most {MOST_LINES}"
    for node in functions(tree):
        length = node.end_lineno - node.lineno + 1 - documented(node)
        if length > LONGEST_FUNCTION and path not in FUSED:
            yield f"{node.name} has {length} lines, at most {LONGEST_FUNCTION}"
    if not ast.get_docstring(tree):
        yield "no docstring of the module"
    for title, node in public(tree):
        if not ast.get_docstring(node):
            yield f"{title} has no docstring"
        if isinstance(node, FUNCTIONS) and unannotated(node):
            yield f"{title} does not annotate {', '.join(unannotated(node))}"
    for found in UNFINISHED.finditer(text):
        yield f"{found[0]} is left"


def prints(text):
    return [
        node.lineno
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("print", "sys.stdout.write")
    ]


@pytest.mark.parametrize("path", FILES, ids=name)
def test_house_rules(path):
    found = list(offences(path, path.read_text()))
    if path.is_relative_to(ROOT / "examples"):
        # examples are read from top to bottom; their names suffice
        found = [one for one in found if "annotate" not in one and "no docstring" not in one]
    assert not found, f"{name(path)}: " + "; ".join(found)


@pytest.mark.parametrize("path", SOURCE, ids=name)
def test_no_print_in_the_library(path):
    assert not prints(path.read_text())


@pytest.mark.parametrize("path", SOURCE, ids=name)
def test_every_module_lists_its_public_names(path):
    tree = ast.parse(path.read_text())
    targets = [ast.unparse(t) for n in tree.body if isinstance(n, ast.Assign) for t in n.targets]
    assert "__all__" in targets
    parts = path.relative_to(ROOT / "src").with_suffix("").parts
    module = importlib.import_module(".".join(part for part in parts if part != "__init__"))
    assert all(hasattr(module, one) for one in module.__all__)
    assert len(set(module.__all__)) == len(module.__all__)


@pytest.mark.parametrize("path", [path for path in SOURCE if mirrored(path)], ids=name)
def test_every_module_has_its_test(path):
    inside = path.relative_to(ROOT / "src" / "partita")
    assert (ROOT / "tests" / inside.parent / f"test_{inside.name}").exists()


def test_packages_open_with_a_short_list():
    for path in SOURCE:
        if path.name == "__init__.py":
            code = [
                node
                for node in ast.parse(path.read_text()).body
                if not isinstance(node, ast.Expr | ast.Import | ast.ImportFrom | ast.Assign)
                and ast.unparse(node).partition(":")[0] != "if TYPE_CHECKING"
            ]
            assert not code, f"{name(path)} does more than list names"


def test_the_rules_can_be_broken():
    body = "\n".join("    x = 1" for _ in range(60))
    text = f"def long(a):\n{body}\n# TO" + "DO\nclass Bare:\n    def method(self):\n        pass\n"
    found = " ".join(offences(Path("bad.py"), text))
    for part in (
        *("long has 61 lines", "no docstring of the module", "Bare has no docstring"),
        *("Bare.method has no docstring", "long does not annotate a, return", "is left"),
    ):
        assert part in found
    assert any("lines, at most" in one for one in offences(Path("bad.py"), "#\n" * 401))
    assert prints("print(1)") == [1]
