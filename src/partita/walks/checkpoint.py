"""Checkpoints: a chain on disk. A kill at any moment leaves the last complete checkpoint intact.

A folder holds, for each chain, `chain-K.npz` (arrays and one JSON header, replaced atomically) and
`chain-K.draws` (recorded draws, appended; the header counts the valid bytes). Nothing is ever
unpickled.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import tempfile
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.errors import CheckpointError, InputError
from partita.io import atomic_write, remove_temporary
from partita.kernel import dump

__all__ = ["Checkpoint", "digest"]

VERSION = 1
HEADER = "header"
UNREADABLE = (
    OSError,
    ValueError,
    KeyError,
    TypeError,
    EOFError,
    zipfile.BadZipFile,
    zlib.error,
)


def digest(value: Any) -> str:
    """A short hash of all arrays of a nested tuple."""
    hasher = hashlib.blake2b(digest_size=16)
    for name, array in dump(value).items():
        hasher.update(f"{name} {array.dtype} {array.shape}".encode())
        hasher.update(np.ascontiguousarray(array).tobytes())
    return hasher.hexdigest()


class Checkpoint:
    """The saved progress of one chain of a run.

    `identity` names everything that must be the same for a resumed run to be the same run.
    """

    def __init__(
        self, folder: str | os.PathLike[str], chain: int, identity: dict[str, Any]
    ) -> None:
        self.folder = Path(folder)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            # fail before the run, not after it, if the folder is not writable
            tempfile.TemporaryFile(dir=self.folder).close()
        except OSError as error:
            raise InputError(
                f"the checkpoint folder {self.folder} cannot be used ({error.strerror}); "
                "give a folder that can be written"
            ) from error
        self.path = self.folder / f"chain-{chain}.npz"
        self.draws = self.folder / f"chain-{chain}.draws"
        remove_temporary(self.path)
        # as it comes back from the file
        self.identity = json.loads(json.dumps({"version": VERSION, **identity}, default=int))
        self.seal = 0
        """Checksum of all draws that count."""

    def save(
        self, header: dict[str, Any], arrays: dict[str, NDArray[Any]], rows: NDArray[Any], kept: int
    ) -> int:
        """Append new draws, then replace the header and arrays; returns the bytes of draws kept."""
        try:
            return self._save(header, arrays, rows, kept)
        except OSError as error:
            raise CheckpointError(
                f"the checkpoint {self.path} could not be written ({error.strerror}); the one "
                "before it is intact: make room and run again to resume"
            ) from error

    def _save(
        self, header: dict[str, Any], arrays: dict[str, NDArray[Any]], rows: NDArray[Any], kept: int
    ) -> int:
        fresh_rows = np.ascontiguousarray(rows).tobytes()
        seal = zlib.crc32(fresh_rows, self.seal)
        with self.draws.open("r+b" if self.draws.exists() else "w+b") as file:
            # discard draws that a killed run appended after its last header
            file.truncate(kept)
            file.seek(kept)
            file.write(fresh_rows)
            file.flush()
            os.fsync(file.fileno())
        kept += rows.nbytes
        text = json.dumps({"identity": self.identity, "kept": kept, "seal": seal, **header})
        buffer = io.BytesIO()
        np.savez(buffer, allow_pickle=False, **{HEADER: np.array(text), **arrays})  # type: ignore[arg-type]
        with atomic_write(self.path) as (temporary,):
            temporary.write_bytes(buffer.getbuffer())
        self.seal = seal
        return kept

    def load(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]] | None:
        """The saved header and arrays, or None where nothing was saved yet."""
        if not self.path.exists():
            return None
        try:
            with self.path.open("rb") as file, np.load(file, allow_pickle=False) as saved:
                arrays = {name: saved[name] for name in saved.files}
            header = json.loads(str(arrays.pop(HEADER)))
            stored = dict(header["identity"])
            self.seal = int(header["seal"])
        except UNREADABLE as error:
            raise CheckpointError(
                f"the checkpoint {self.path} is damaged ({_short(error)}); "
                f"delete {self.folder} to start anew"
            ) from error
        for name, value in self.identity.items():
            comparable = name != "code" or (value is not None and stored.get(name) is not None)
            if comparable and stored.get(name) != value:
                raise CheckpointError(
                    f"the checkpoint {self.path} belongs to another run: its {name} is "
                    f"{stored.get(name)!r}, this one's is {value!r}; give another folder, or "
                    f"delete {self.folder} to start anew"
                )
        return header, arrays

    def rows(self, kept: int, row_type: np.dtype[Any]) -> NDArray[Any]:
        """Read the valid draws, one row each."""
        data = self.draws.read_bytes() if self.draws.exists() else b""
        if len(data) < kept:
            raise CheckpointError(
                f"{self.draws} holds {len(data)} bytes where {kept} were saved; "
                f"delete {self.folder} to start anew"
            )
        if zlib.crc32(data[:kept]) != self.seal:
            raise CheckpointError(
                f"{self.draws} is damaged: its draws are not those that were saved; "
                f"delete {self.folder} to start anew"
            )
        return np.frombuffer(data[:kept], row_type).copy()


def _short(error: BaseException) -> str:
    """The first sentence of an error message."""
    return str(error).partition(chr(10))[0].partition(". ")[0].rstrip(".") or type(error).__name__
