"""Software bill of materials: the pinned dependencies as CycloneDX, and known vulnerabilities.

    python -m tools.sbom [--out FILE] [--audit]

The document lists every version of constraints.txt; those of a plain installation have the scope
"required", all others "optional". Hashes and licences are those of constraints-hashes.txt, which
`--audit` compares with the pins first. `--audit` queries a database of vulnerabilities (OSV), whose
address is PARTITA_AUDIT_URL or the public one, and has exit code 1 if it lists one, 2 without an
answer.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import tomllib
import urllib.request
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

from tools.pins import Pin, normalise, read_hashes

__all__ = ["audit", "find_stale", "main", "make_document", "read_pins"]

ROOT = Path(__file__).parents[1]
DATABASE = "https://api.osv.dev/v1/querybatch"
SECONDS = 30.0
"""Limit on the answer of the database."""


def read_pins(path: Path) -> dict[str, str]:
    """Read the versions of a constraints file by normalised name."""
    pins = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        match = re.match(r"\s*([A-Za-z0-9._-]+)\s*==\s*([^\s;#]+)", line)
        if match:
            pins[normalise(match[1])] = match[2]
    return pins


def _find_required(pins: Mapping[str, str]) -> set[str]:
    """Follow the dependencies of a plain installation, where their metadata is installed."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    queue, required = list(project["dependencies"]), set()
    while queue:
        text = queue.pop()
        name = normalise(re.match(r"[A-Za-z0-9._-]+", text)[0])  # type: ignore[index]
        if name in required or name not in pins or "extra ==" in text:
            continue
        required.add(name)
        try:
            queue += metadata.requires(name) or []
        except metadata.PackageNotFoundError:
            continue
    return required


def make_document(pins: Mapping[str, str]) -> dict[str, Any]:
    """Make a CycloneDX document; the same pins give the same document."""
    required, hashes = _find_required(pins), read_hashes()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    components = [
        {
            "type": "library",
            "name": name,
            "version": version,
            "purl": f"pkg:pypi/{name}@{version}",
            "bom-ref": f"pkg:pypi/{name}@{version}",
            "scope": "required" if name in required else "optional",
            **_describe(hashes.get(name), version),
        }
        for name, version in sorted(pins.items())
    ]
    subject = {"type": "library", "name": project["name"], "bom-ref": project["name"]}
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": subject},
        "components": components,
    }


def _describe(pin: Pin | None, version: str) -> dict[str, Any]:
    """The hash and the licence of a component, where the file of hashes has its version."""
    if pin is None or pin.version != version:
        return {}
    content: dict[str, Any] = {"hashes": [{"alg": "SHA-256", "content": pin.sha256}]}
    if pin.licence:
        content["licenses"] = [{"license": {"name": pin.licence}}]
    return content


def find_stale(pins: Mapping[str, str]) -> list[str]:
    """List the pins without a hash, and the hashes of other versions."""
    hashes = {name: pin.version for name, pin in read_hashes().items()}
    return sorted(name for name in {*pins, *hashes} if pins.get(name) != hashes.get(name))


def audit(pins: Mapping[str, str], address: str) -> dict[str, list[str]]:
    """Query the database for vulnerabilities of all pins; raise OSError without an answer."""
    names = sorted(pins)
    queries = [
        {"package": {"name": name, "ecosystem": "PyPI"}, "version": pins[name]} for name in names
    ]
    request = urllib.request.Request(
        address,
        json.dumps({"queries": queries}).encode(),
        {"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=SECONDS) as answer:
        results = json.load(answer)["results"]
    return {
        f"{name} {pins[name]}": [item["id"] for item in result["vulns"]]
        for name, result in zip(names, results, strict=True)
        if result.get("vulns")
    }


def main(words: list[str] | None = None) -> int:
    """Write the document, or audit the pins."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, help="file of the document; default: standard output")
    parser.add_argument("--audit", action="store_true")
    options = parser.parse_args(words)
    pins = read_pins(ROOT / "constraints.txt")
    if not options.audit:
        text = json.dumps(make_document(pins), indent=1) + "\n"
        if options.out is None:
            print(text, end="")
        else:
            options.out.write_text(text, encoding="utf-8")
        return 0
    if stale := find_stale(pins):
        print(
            f"constraints-hashes.txt differs for {', '.join(stale)}: make hashes", file=sys.stderr
        )
        return 1
    address = os.environ.get("PARTITA_AUDIT_URL", DATABASE)
    try:
        known = audit(pins, address)
    except (OSError, ValueError, KeyError) as error:
        print(f"no database of vulnerabilities answers at {address} ({error})", file=sys.stderr)
        return 2
    for name, ids in known.items():
        print(f"{name}: {', '.join(ids)}")
    print(f"{len(pins)} dependencies, {len(known)} with known vulnerabilities")
    return int(bool(known))


if __name__ == "__main__":
    sys.exit(main())
