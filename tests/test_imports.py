"""Data flows one way: who may import whom, and what a plain `import partita` does not load."""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SRC = Path(__file__).parents[1] / "src" / "partita"

# each package, and those below it that it may import
BASE = ("kernel", "io", "errors")
ENGINE = ("walks", "estimators", "proposals", "factors", "states", "progress", *BASE)
RECORDS = ("comparison", "blocking", "data")
BELOW = {
    "errors": set(),
    "lazy": set(),
    "deprecated": set(),
    "io": {"errors"},
    "progress": set(),
    "kernel": {"io", "progress", "errors"},
    "data": {*BASE},
    "blocking": {"data", *BASE},
    "comparison": {"blocking", "data", *BASE},
    "synthetic": {"data", "states", *BASE},
    "metrics": {"states", *BASE},
    "states": {*BASE},
    "factors": {"states", *BASE},
    "proposals": {"states", *BASE},
    "estimators": {"factors", "states", *BASE},
    "walks": set(ENGINE) - {"walks"},
    "learning": {*ENGINE},
    "text": {"posterior", "learning", "data", *ENGINE},
    "posterior": {"learning", *ENGINE},
    "mixtures": {"posterior", "learning", *ENGINE},
    "scale": {"posterior", "learning", "metrics", "data", *ENGINE},
    "linkage": {"text", "scale", "posterior", "learning", "metrics", *RECORDS, *ENGINE},
    "knowledge": {
        "linkage",
        "synthetic",
        "text",
        "scale",
        "posterior",
        "learning",
        "metrics",
        *RECORDS,
        *ENGINE,
    },
    "store": {"linkage", "metrics", *BASE, *RECORDS},
    "report": {"linkage", "text", "metrics", *BASE, *RECORDS},
    "cli": {
        "report",
        "store",
        "knowledge",
        "linkage",
        "text",
        "synthetic",
        "metrics",
        "progress",
        "lazy",
        *BASE,
        *RECORDS,
    },
    "__main__": {"cli"},
}
ONLY_IN = {
    "numba": {"kernel"},
    "llvmlite": {"kernel"},
    "arviz_stats": set(),
    "arviz_base": {"posterior"},
    "duckdb": {"data"},
    "adbc_driver_postgresql": {"data"},
    "adbc_driver_manager": {"data"},
    "python_calamine": {"data"},
    "sqlite3": {"data", "store"},
    "pickle": set(),
    "pandas": set(),
    "xarray": set(),
    "altair": {"report"},
    "vl_convert": {"report"},
    "typer": {"cli"},
    "ray": {"scale"},
    "rich": {"cli", "progress"},
}
HEAVY = {
    *("arviz_stats", "arviz_base", "altair", "pandas", "xarray"),
    *("matplotlib", "polars", "pyarrow", "duckdb", "python_calamine", "typer", "ray"),
    *("numba", "numpy", "rich", "scipy"),
}

UPWARD = {"linkage/result.py": {"report"}, "text/extraction/result.py": {"report"}}
"""Methods of a result that draw it import the package above when they are called."""

FILES = sorted(SRC.rglob("*.py"))


def package(path):
    """The package of a file, by the first name below partita; None for partita itself."""
    parts = path.relative_to(SRC).with_suffix("").parts
    return None if parts == ("__init__",) else parts[0]


def imported(path):
    """Names of all modules that a file imports, also inside functions and by importlib."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno} is a relative import"
            yield node.module
            yield from (f"{node.module}.{name.name}" for name in node.names)
        elif (
            isinstance(node, ast.Call)
            and ast.unparse(node.func).endswith("import_module")
            # names in partita/__init__, renamed modules, and functions that a user's file names
            and path.name not in ("lazy.py", "deprecated.py", "python_functions.py")
        ):
            assert isinstance(node.args[0], ast.Constant), f"{path}:{node.lineno}"
            yield node.args[0].value


def test_every_package_is_known():
    found = {package(path) for path in FILES} - {None}
    assert found <= set(BELOW), "say above what the new package may import"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SRC)))
def test_arrows(path):
    own = package(path)
    if own is None:
        return
    for module in imported(path):
        parts = module.split(".")
        if parts[0] == "partita" and len(parts) > 1:
            allowed = (
                BELOW[own] | {own, "lazy"} | UPWARD.get(path.relative_to(SRC).as_posix(), set())
            )
            assert parts[1] in allowed, f"{path.name} imports {module}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SRC)))
def test_libraries_stay_in_their_package(path):
    for module in imported(path):
        top = module.split(".")[0]
        assert package(path) in ONLY_IN.get(top, {package(path)}), f"{path.name} imports {module}"


def test_the_rules_can_be_broken(tmp_path):
    bad = tmp_path / "bad.py"
    bad.write_text("import numba.core\nfrom partita.walks import cooling\n")
    assert list(imported(bad)) == ["numba.core", "partita.walks", "partita.walks.cooling"]
    bad.write_text("from . import x\n")
    with pytest.raises(AssertionError, match="relative"):
        list(imported(bad))


def test_import_loads_no_heavy_library():
    program = "import json, sys, partita; print(json.dumps(sorted(sys.modules)))"
    found = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=120
    )
    loaded = {name.split(".")[0] for name in json.loads(found.stdout)}
    assert not loaded & HEAVY


def test_a_resolution_loads_neither_pandas_nor_parts_of_scipy(tmp_path):
    """Both are slow to load, and pandas comes unasked with much of PyArrow."""
    rows = [f"{i},Ann Lee,190{i},Leeds\n{i + 10},Ann Leigh,190{i},Leeds\n" for i in range(10)]
    (tmp_path / "people.csv").write_text("id,name,born,town\n" + "".join(rows))
    program = (
        "import json, sys, partita\n"
        "found = partita.resolve('people.csv', progress=False)\n"
        "found.write('out.csv')\n"
        "print(json.dumps(sorted(sys.modules)))"
    )
    found = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
        cwd=tmp_path,
        # Numba's compiler loads SciPy for itself
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
    )
    loaded = set(json.loads(found.stdout.splitlines()[-1]))
    assert "pyarrow" in loaded
    assert not loaded & {"pandas", "scipy.sparse", "scipy.special", "scipy.optimize"}


def test_every_public_name_exists():
    import partita

    for name in partita.__all__:
        assert getattr(partita, name) is not None
    # what a newcomer finds by pressing Tab
    wanted = {"Resolver", "comparison", "evaluate", "explain", "read", "resolve", "train"}
    assert wanted <= set(dir(partita))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = partita.nothing
    for inner in ("estimators", "factors", "learning", "proposals"):
        module = getattr(partita, inner)
        assert all(hasattr(module, name) for name in module.__all__)


def test_old_module_names_load_their_successors():
    program = (
        "import sys, warnings\n"
        "warnings.simplefilter('error')\n"
        "import partita\n"
        "try:\n"
        "    import partita.records\n"
        "except DeprecationWarning as warning:\n"
        "    assert 'partita.data' in str(warning)\n"
        "else:\n"
        "    raise SystemExit('no warning')\n"
        "warnings.simplefilter('ignore')\n"
        "from partita.records.table import Records\n"
        "from partita.scale.cluster import distribute\n"
        "from partita.chains import Tagger\n"
        "import partita.data.table\n"
        "assert Records is partita.data.table.Records\n"
        "assert partita.data.table.__spec__.name == 'partita.data.table'\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120)


def test_every_old_module_name_has_a_successor():
    from partita.deprecated import RENAMED

    for new in RENAMED.values():
        path = SRC / new.replace(".", "/")
        assert path.with_suffix(".py").exists() or (path / "__init__.py").exists(), new


@pytest.mark.parametrize("folder", ["papers", "benchmarks", "examples"])
def test_every_module_beside_the_library_imports(folder):
    """mypy checks the library only; a rename must not break what uses it."""
    root = Path(__file__).parents[1]
    files = sorted((root / folder).rglob("*.py"))
    names = [".".join(path.relative_to(root).with_suffix("").parts) for path in files]
    # other tools are imported when they run; skeletons are copied, not imported
    modules = [name for name in names if not name.endswith("__main__") and "skeleton" not in name]
    program = f"import importlib\nfor name in {modules!r}:\n    importlib.import_module(name)"
    subprocess.run([sys.executable, "-c", program], check=True, timeout=300, cwd=root)
