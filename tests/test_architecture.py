"""The pages on the structure of the code agree with the code: arrows, paths and names."""

import re
from pathlib import Path

import pytest

from tests.test_imports import BASE, BELOW

ROOT = Path(__file__).parents[1]
SRC = ROOT / "src" / "partita"
PAGES = ("ARCHITECTURE.md", "CONTRIBUTING.md")
CODE = re.compile(r"`([^`\n]+)`")
PATH = re.compile(r"(?:[\w.]+/)+[\w.]*|\w+\.(?:py|md)")
NAME = re.compile(r"[A-Za-z_][\w.]*")
BELOW_BASE = {*BASE, "progress", "lazy", "deprecated", "__main__"}


def page(name):
    return (ROOT / name).read_text("utf-8")


def listed_arrows():
    """Package -> its imports, as the page lists them."""
    section = page("ARCHITECTURE.md").split("## Arrows")[1].split("\n## ")[0]
    arrows = {}
    for line in re.findall(r"^    \w.*$", section, re.MULTILINE):
        for entry in line.split(";"):
            names, _, allowed = entry.strip().partition(": ")
            imports = set()
            for part in allowed.split(", ") if allowed != "-" else ():
                imports |= {part.rstrip("+")}
                imports |= arrows[part[:-1]] if part.endswith("+") else set()
            arrows |= dict.fromkeys(names.split(", "), imports)
    return arrows


def code_of(name):
    """Pieces of code in the running text of a page."""
    return set(CODE.findall(re.sub(r"^    .*$", "", page(name), flags=re.MULTILINE)))


def test_the_page_lists_the_arrows_that_the_imports_obey():
    arrows = listed_arrows()
    for name, allowed in BELOW.items():
        if name in BELOW_BASE - {"io", "kernel"}:
            assert name not in arrows
        else:
            base = set() if name in BELOW_BASE else set(BASE) | {"lazy"}
            assert arrows[name] - base == allowed - base, name
    assert arrows.keys() <= BELOW.keys()


@pytest.mark.parametrize("name", PAGES)
def test_every_path_exists(name):
    folders = [ROOT, SRC, *(path for path in SRC.rglob("*") if path.is_dir())]
    for text in code_of(name):
        path = text.replace("src/partita/", "")
        if PATH.fullmatch(path) and "NAME" not in path:
            near = folders if "/" not in path else folders[:2]
            if path.startswith("test_"):
                near = list({found.parent for found in (ROOT / "tests").rglob(path)})
            assert any((folder / path).exists() for folder in near), text


@pytest.mark.parametrize("name", PAGES)
def test_every_name_occurs_in_the_code(name):
    files = [ROOT / "Makefile"]
    for folder in ("src", "tests", "tools"):
        files += (path for path in (ROOT / folder).rglob("*.py") if path != Path(__file__))
    words = set(re.findall(r"\w+", " ".join(path.read_text("utf-8") for path in files)))
    for text in code_of(name):
        found = NAME.match(text)
        if found and not PATH.fullmatch(text) and "/" not in text:
            assert set(found[0].rstrip(".").split(".")) <= words, text
