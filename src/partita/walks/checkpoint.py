"""Checkpoints: a chain on disk, written so that a kill at any moment leaves the last one whole.

A folder holds, for each chain, `chain-K.npz` (arrays and one JSON header, replaced atomically) and
`chain-K.draws` (recorded draws, appended; the header says how many bytes count). Nothing is ever
unpickled.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.errors import CheckpointError, InputError
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
    found = hashlib.blake2b(digest_size=16)
    for name, array in dump(value).items():
        found.update(f"{name} {array.dtype} {array.shape}".encode())
        found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()


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
        except OSError as error:
            raise InputError(
                f"the checkpoint folder {self.folder} cannot be made ({error.strerror}); "
                "give a folder that can be written"
            ) from error
        self.path = self.folder / f"chain-{chain}.npz"
        self.draws = self.folder / f"chain-{chain}.draws"
        self.identity = {"version": VERSION, **identity}

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
        with self.draws.open("r+b" if self.draws.exists() else "w+b") as file:
            # what a killed run appended after its last header does not count
            file.truncate(kept)
            file.seek(kept)
            file.write(np.ascontiguousarray(rows).tobytes())
            file.flush()
            os.fsync(file.fileno())
        kept += rows.nbytes
        text = json.dumps({"identity": self.identity, "kept": kept, **header})
        buffer = io.BytesIO()
        np.savez(buffer, allow_pickle=False, **{HEADER: np.array(text), **arrays})  # type: ignore[arg-type]
        fresh = self.path.with_suffix(".tmp")
        with fresh.open("wb") as file:
            file.write(buffer.getbuffer())
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(self.path)
        return kept

    def load(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]] | None:
        """The saved header and arrays, or None where nothing was saved yet."""
        if not self.path.exists():
            return None
        try:
            with np.load(self.path, allow_pickle=False) as saved:
                arrays = {name: saved[name] for name in saved.files}
            header = json.loads(str(arrays.pop(HEADER)))
            found = dict(header["identity"])
        except (
            OSError,
            ValueError,
            KeyError,
            TypeError,
            EOFError,
            zipfile.BadZipFile,
            zlib.error,
        ) as e:
            raise CheckpointError(
                f"the checkpoint {self.path} is damaged ({e}); delete {self.folder} to start anew"
            ) from e
        for name, value in self.identity.items():
            if found.get(name) != value:
                raise CheckpointError(
                    f"the checkpoint {self.path} belongs to another run: its {name} is "
                    f"{found.get(name)!r}, this one's is {value!r}; give another folder, or "
                    f"delete {self.folder} to start anew"
                )
        return header, arrays

    def rows(self, kept: int, width: int, dtype: Any) -> NDArray[Any]:
        """The draws that count, one row each."""
        data = self.draws.read_bytes() if self.draws.exists() else b""
        if len(data) < kept:
            raise CheckpointError(
                f"{self.draws} holds {len(data)} bytes where {kept} were saved; "
                f"delete {self.folder} to start anew"
            )
        return np.frombuffer(data[:kept], dtype).reshape(-1, width).copy()
