"""The hashes and licences of the pinned versions: `python -m tools.pins` writes them.

    python -m tools.pins [--report FILE]

pip reports the file that it would install for each version of constraints.txt on this machine; its
SHA-256 and the licence in its metadata go to constraints-hashes.txt, in the form that
`pip install --require-hashes` reads. The file names no address. A machine of another kind needs
hashes of its own.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from importlib.metadata import PackageNotFoundError
from importlib.metadata import metadata as installed
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["HASHES", "Pin", "main", "normalise", "read_hashes", "write_hashes"]

ROOT = Path(__file__).parents[1]
HASHES = ROOT / "constraints-hashes.txt"
LINE = re.compile(r"(\S+)==(\S+) --hash=sha256:([0-9a-f]{64})(?:  # (.+))?")
CLASSIFIER = "License :: OSI Approved :: "
HEAD = "# Written by `make hashes`: CPython {} on {}. The comment is the licence.\n"


class Pin(NamedTuple):
    """A pinned version, the hash of its file and its licence."""

    version: str
    sha256: str
    licence: str | None


def normalise(name: str) -> str:
    """Write the name of a package as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def read_hashes(path: Path = HASHES) -> dict[str, Pin]:
    """Read the pins of a file of hashes by normalised name."""
    matches = map(LINE.fullmatch, path.read_text(encoding="utf-8").splitlines())
    return {match[1]: Pin(match[2], match[3], match[4]) for match in matches if match}


def write_hashes(report: dict[str, Any], path: Path) -> None:
    """Write hashes and licences of the files in a report of pip."""
    lines = []
    for item in report["install"]:
        metadata = item["metadata"]
        sha256 = item["download_info"]["archive_info"]["hashes"]["sha256"]
        licence = _find_licence(metadata)
        comment = f"  # {licence}" if licence else ""
        pin = f"{normalise(metadata['name'])}=={metadata['version']}"
        lines.append(f"{pin} --hash=sha256:{sha256}{comment}\n")
    head = HEAD.format(f"{sys.version_info.major}.{sys.version_info.minor}", sys.platform)
    path.write_text(head + "".join(sorted(lines)), encoding="utf-8")


def _find_licence(metadata: dict[str, Any]) -> str | None:
    """The licence of a package: its expression, a short text, or its classifier."""
    text = metadata.get("license_expression") or metadata.get("license") or ""
    if not text:
        # older versions of pip leave the expression out of the report
        try:
            text = installed(metadata["name"]).get("License-Expression", "")
        except PackageNotFoundError:
            text = ""
    if text and "\n" not in text and len(text) <= 80:
        return str(text)
    names = [name.removeprefix(CLASSIFIER) for name in metadata.get("classifier", ())]
    known = [name for name in names if "::" not in name and "License" in name]
    return " AND ".join(known) or None


def main(words: list[str] | None = None) -> int:
    """Ask pip for the files of all pins, or read its report, and write the hashes."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--report", type=Path, help="a report of `pip install --report`")
    options = parser.parse_args(words)
    if options.report is not None:
        write_hashes(json.loads(options.report.read_text(encoding="utf-8")), HASHES)
        return 0
    from tools.sbom import read_pins

    pins = read_pins(ROOT / "constraints.txt")
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [sys.executable, "-m", "pip", "install", "--dry-run", "--no-deps", "--quiet"]
        command += ["--ignore-installed", "--report", str(report)]
        named = [f"{name}=={version}" for name, version in pins.items()]
        subprocess.run([*command, *named], check=True)
        write_hashes(json.loads(report.read_text(encoding="utf-8")), HASHES)
    return 0


if __name__ == "__main__":
    sys.exit(main())
