"""The examples of the documentation run: every code cell of every page, page by page."""

import ast
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
CELL = re.compile(r"^```\{code-cell\}[^\n]*\n(.*?)^```$", re.DOTALL | re.MULTILINE)
PYTHON = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
OPTION = re.compile(r"\A(?::[a-z-]+:[^\n]*\n)+")
SHELL = "%%bash\n"
PAGES = sorted(path for path in DOCS.rglob("*.md") if "{code-cell}" in path.read_text("utf-8"))

pytestmark = pytest.mark.compiled


def name(path):
    return str(path.relative_to(DOCS))


def cells(path):
    """Code of the cells of a page, without their options."""
    return [OPTION.sub("", code) for code in CELL.findall(path.read_text("utf-8"))]


def script(path):
    """A page as one Python program; shell cells become calls of bash."""
    parts = ["import subprocess as _subprocess\n"]
    for code in cells(path):
        if code.startswith(SHELL):
            code = (
                f"_subprocess.run(['bash', '-e', '-c', {code.removeprefix(SHELL)!r}], check=True)\n"
            )
        parts.append(code)
    return "\n".join(parts)


def marks(path):
    """`make test` runs the first page, `make smoke` tutorials, `make experiments` all pages."""
    if path.name == "start.md":
        return ()
    is_tutorial = path.parent.name == "tutorials"
    return (pytest.mark.long, pytest.mark.smoke) if is_tutorial else pytest.mark.long


CASES = [pytest.param(path, id=name(path), marks=marks(path)) for path in PAGES]


@pytest.mark.parametrize("path", CASES)
def test_the_examples_of_a_page_run(path, tmp_path, monkeypatch):
    # `partita` in a shell cell is the one of this interpreter and of this source tree
    source = str(DOCS.parent / "src")
    places = [str(Path(sys.executable).parent), os.environ["PATH"]]
    monkeypatch.setenv("PATH", os.pathsep.join(places))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([source, os.environ.get("PYTHONPATH", "")]))
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    program = tmp_path / "page.py"
    program.write_text(script(path), "utf-8")
    runpy.run_path(str(program), run_name=f"docs_{path.stem}")


def test_a_failing_example_fails(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("```{code-cell}\n:tags: [x]\n%%bash\nfalse\n```\n", "utf-8")
    with pytest.raises(subprocess.CalledProcessError):
        exec(script(page), {})


@pytest.mark.parametrize(
    "path",
    [path for path in DOCS.rglob("*.md") if PYTHON.search(path.read_text("utf-8"))],
    ids=name,
)
def test_python_that_is_only_shown_compiles(path):
    for code in PYTHON.findall(path.read_text("utf-8")):
        ast.parse(code)


def test_every_page_is_reachable():
    """Each page is listed in the table of contents of another, or Sphinx would warn."""
    listed = set()
    for path in DOCS.rglob("*.md"):
        for block in re.findall(
            r"^:::\{toctree\}\n(.*?)^:::$", path.read_text("utf-8"), re.S | re.M
        ):
            entries = [line for line in block.splitlines() if line and not line.startswith(":")]
            listed |= {(path.parent / entry).resolve() for entry in entries}
    pages = {path.with_suffix("").resolve() for path in DOCS.rglob("*.md")}
    assert pages - listed == {(DOCS / "index").resolve()}
