"""Checkpoints of a run: its candidate pairs and its chains, in a folder.

The same call continues a killed run from the folder and has the same result as an undisturbed run.
The folder contains a fingerprint of input and settings, arrays and JSON; nothing is unpickled.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa

from partita.blocking.candidates import Candidates
from partita.blocking.rules import Block
from partita.data import Records
from partita.data.table import encode
from partita.errors import CheckpointError
from partita.io import write_file, write_text
from partita.linkage.checkpoint_interval import checkpoint_seconds
from partita.linkage.config import config_text
from partita.linkage.settings import Settings
from partita.linkage.supervision.constraints import Constraints
from partita.linkage.supervision.trained_model import TrainedModel

__all__ = ["StageCheckpoint", "open_checkpoint"]

ARRAYS = ("pairs", "flags", "counts", "sampled")
"""The arrays of candidates; all other fields are part of the header."""


class StageCheckpoint:
    """The saved stages of one run; without a folder nothing is saved."""

    def __init__(self, folder: str | os.PathLike[str] | None, identity: str) -> None:
        self.folder = None if folder is None else Path(folder)
        if self.folder is None:
            return
        path = self.folder / "run.json"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            stored = json.loads(path.read_text(encoding="utf-8")) if path.exists() else None
        except (OSError, ValueError, RecursionError) as error:
            raise CheckpointError(
                f"the checkpoint {self.folder} cannot be read ({error}); delete it to start anew"
            ) from error
        if stored is None:
            write_text(path, json.dumps({"identity": identity}))
        elif not isinstance(stored, dict) or stored.get("identity") != identity:
            raise CheckpointError(
                f"the checkpoint {self.folder} belongs to another input, other settings or another "
                "version; delete it, or run without --resume, to start anew"
            )

    def candidates(self, find: Callable[[], Candidates]) -> Candidates:
        """Load the candidate pairs, or find them and save those that took long to find."""
        if self.folder is None:
            return find()
        path = self.folder / "candidates.npz"
        if path.exists():
            return _load_candidates(path)
        began = time.monotonic()
        candidates = find()
        if time.monotonic() - began >= checkpoint_seconds():
            _save_candidates(candidates, path)
        return candidates

    @property
    def chains(self) -> Path | None:
        """The folder of the chains."""
        return None if self.folder is None else self.folder / "chains"


def _save_candidates(candidates: Candidates, path: Path) -> None:
    arrays = {name: getattr(candidates, name) for name in ARRAYS}
    arrays = {name: array for name, array in arrays.items() if array is not None}
    header = {
        "names": candidates.names,
        "ngram_length": candidates.ngram_length,
        "largest": candidates.largest,
        "messages": candidates.messages,
    }

    def fill(temporary: Path) -> None:
        with temporary.open("wb") as file:
            np.savez(file, allow_pickle=False, header=np.array(json.dumps(header)), **arrays)  # type: ignore[arg-type]

    write_file(path, fill)


def _load_candidates(path: Path) -> Candidates:
    try:
        with np.load(path, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in ARRAYS if name in stored.files}
            header = json.loads(str(stored["header"]))
        return Candidates(
            **arrays,
            names=tuple(header["names"]),
            ngram_length=int(header["ngram_length"]),
            largest=tuple(tuple(Block(*block) for block in own) for own in header["largest"]),
            messages=tuple(header["messages"]),
        )
    except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as error:
        raise CheckpointError(
            f"the checkpoint {path} is damaged; delete {path.parent} to start anew"
        ) from error


def _get_bytes(values: pa.StringArray) -> bytes:
    """The lengths and the text of an array, without the padding of its buffers."""
    if not len(values):
        return b""
    _, offsets, text = values.buffers()
    ends = np.frombuffer(offsets, np.int32)[values.offset : values.offset + len(values) + 1]
    data = memoryview(text)[ends[0] : ends[-1]] if text is not None else b""
    return np.diff(ends).tobytes() + bytes(data)


def open_checkpoint(
    folder: str | os.PathLike[str] | None,
    records: Records,
    settings: Settings,
    constraints: Constraints,
    trained: TrainedModel | None,
) -> StageCheckpoint:
    """Open the checkpoint of a run; raise CheckpointError if the folder is that of another run."""
    if folder is None:
        return StageCheckpoint(None, "")
    import partita

    total = hashlib.sha256(partita.__version__.encode())
    total.update(config_text(settings).encode("utf-8", "surrogatepass"))
    for name in (*records.names, None):
        column = pa.chunked_array([records.ids]) if name is None else records.table.column(name)
        codes, values = encode(column, name or "")
        total.update(repr(name).encode())
        total.update(codes.tobytes())
        total.update(_get_bytes(values))
    for array in (records.sources, constraints.pairs, constraints.must, constraints.weight):
        total.update(b"" if array is None else np.ascontiguousarray(array).tobytes())
    if trained is not None:
        total.update(json.dumps(trained.pair_model.as_dict(), default=str).encode())
    return StageCheckpoint(folder, total.hexdigest())
