"""Prose check: phrases that hide the technical noun or give code a human voice.

    python -m tools.prose [PATH ...] [--report]

The check reads Markdown files and Python files (names, comments and strings alike), and the names
that Python code outside tests/ binds. Each rule has a reason that states the plain alternative. A
line that contains `prose: ok` is exempt; `--report` prints the hits without failing.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

__all__ = ["NAMES", "RULES", "Hit", "check_file", "find_hits", "find_names", "main"]

ROOT = Path(__file__).parents[1]
FOLDERS = ("src", "docs", "examples", "benchmarks", "papers", "tests", "tools")
EXEMPT = {
    ROOT / name
    for name in (
        "tools/prose.py",
        "tests/test_prose.py",
        "tests/test_lazy.py",
        "src/partita/deprecated.py",
        "CHANGELOG.md",
    )
}
"""The rules themselves, their test, and files that list old names."""
SILENCE = "prose: ok"

VOICE = "code has no voice: name what the function returns, prints or checks"
NOUN = "a pronoun or participle stands in for the technical noun: name the noun"
FIGURE = "a figure of speech: use the field's word"

RULES: dict[str, str] = {
    r"hope(?:d|ful|less|lessly)": "pruned; not a candidate; score below the bound",
    r"strangers?": "non-matches",
    r"namesakes?": "conditional dependence; records with equal names",
    r"(?:kin|kindred)": "household class",
    r"rarity": "term-frequency adjustment",
    r"(?:comparer|grader)s?": "comparison function",
    r"crew": "worker pool",
    r"(?:pupil|lesson)s?": "learner state, training spec",
    r"rivals?": "baselines; other tools",
    r"knobs?": "parameters",
    r"vault": "cache store",
    r"parted": "split; separated",
    r"beyond measure": "above the limit",
    r"so many": NOUN,
    r"what is (?:near|far|lost|left|asked|said|told|given|drawn|open|in doubt)": NOUN,
    r"those (?:asked|given|told|said|drawn|listed|in doubt)": NOUN,
    r"of which only": NOUN,
    r"next to nothing": "almost no records",
    r"(?:is|are|was|were|be|been|being) (?:told|hoped|heard)": VOICE,
    r"(?:tell|tells|told|telling) (?:whether|apart|nothing|how|what|which|that|by|the|a|us)": VOICE,
    r"says? (?:so|nothing|how|what|which|whether|that|why)": VOICE,
    r"(?:knows?|asks?|speaks?) (?:no|nothing|nobody|of|more|for themselves|for itself)": VOICE,
    r"nobody|whoever": FIGURE,
    r"by itself alone|as it were|little by little|as nothing": FIGURE,
}
"""Pattern -> the plain alternative, or why the phrase is banned."""

NAMES = {
    *("asked", "found", "given", "got", "had", "heard", "made", "meant", "said", "told", "wanted"),
    *("nothing", "one", "so_many", "them", "thing", "things", "what", "which"),
}
"""Participles and pronouns that no variable, parameter or field may have as its name."""


class Hit(NamedTuple):
    """One banned phrase in one file."""

    path: Path
    line: int
    phrase: str
    reason: str


def compile_rule(pattern: str) -> re.Pattern[str]:
    """A rule as an expression whose blanks match line ends and comment marks."""
    flexible = pattern.replace(" ", r"(?:[ \t_]+|[ \t]*\n[ \t#]*)")
    return re.compile(rf"(?<![A-Za-z])(?:{flexible})(?![A-Za-z])", re.I)


COMPILED = [(compile_rule(pattern), reason) for pattern, reason in RULES.items()]


def find_hits(path: Path, text: str) -> Iterator[Hit]:
    """Banned phrases of one text, in the order of the rules."""
    lines = text.splitlines()
    for pattern, reason in COMPILED:
        for match in pattern.finditer(text):
            first = text.count("\n", 0, match.start())
            last = text.count("\n", 0, match.end())
            if not any(SILENCE in line for line in lines[first : last + 1]):
                yield Hit(path, first + 1, " ".join(match[0].split()), reason)


def find_names(path: Path, text: str) -> Iterator[Hit]:
    """Banned names that one Python text binds."""
    lines = text.splitlines()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.arg):
            name = node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            name = node.id
        else:
            continue
        if name.strip("_") in NAMES and SILENCE not in lines[node.lineno - 1]:
            yield Hit(path, node.lineno, name, NOUN)


def check_file(path: Path) -> list[Hit]:
    """Banned phrases and names of one file, by line."""
    text = path.read_text(encoding="utf-8")
    hits = list(find_hits(path, text))
    if path.suffix == ".py" and ROOT / "tests" not in path.parents:
        hits += find_names(path, text)
    return sorted(hits, key=lambda hit: hit.line)


def source_files() -> list[Path]:
    """Python and Markdown files of the repository that the rules apply to."""
    files = [*ROOT.glob("*.md"), *(p for name in FOLDERS for p in (ROOT / name).rglob("*"))]
    return sorted(p for p in files if p.suffix in (".py", ".md") and p not in EXEMPT)


def main() -> int:
    """Print every hit; return 1 if there is one and `--report` is absent."""
    parser = argparse.ArgumentParser(description="Check the repository's prose.")
    parser.add_argument("paths", nargs="*", type=Path, help="files; default: the whole repository")
    parser.add_argument("--report", action="store_true", help="print the hits, exit with 0")
    options = parser.parse_args()
    files = [path.resolve() for path in options.paths] or source_files()
    hits = [hit for path in files for hit in check_file(path)]
    for hit in hits:
        print(f"{hit.path.relative_to(ROOT)}:{hit.line}: {hit.phrase!r}: {hit.reason}")
    print(f"prose: {len(hits)} hits in {len(files)} files", file=sys.stderr)
    return 1 if hits and not options.report else 0


if __name__ == "__main__":
    sys.exit(main())
