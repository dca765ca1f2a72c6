"""Model files: named weights in JSON, with a version, written whole or not at all."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from partita.errors import InputError
from partita.factors import Model
from partita.io import write_text

__all__ = ["VERSION", "load_weights", "read_file", "save_weights", "write_file"]

FORMAT, VERSION = "partita model", 1


def write_file(path: str | os.PathLike[str], kind: str, content: Mapping[str, Any]) -> Path:
    """Write one kind of model; an older file is replaced only when the new one is complete."""
    target = Path(path)
    if not target.parent.is_dir():
        raise InputError(f"there is no folder {target.parent}; create it before saving a model")
    text = json.dumps(
        {"format": FORMAT, "version": VERSION, "kind": kind, **content}, allow_nan=False, indent=1
    )
    return write_text(target, text + "\n")


def read_file(path: str | os.PathLike[str], kind: str) -> dict[str, Any]:
    """Read a model of one kind, or say in one sentence why it is none."""
    source = Path(path)
    try:
        found = json.loads(source.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(
            f"the model {source} cannot be read ({error.strerror}); give the path of a saved model"
        ) from None
    except ValueError:
        raise InputError(f"{source} is not JSON; give a model that Partita has saved") from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise InputError(f"{source} is no model of Partita; give one that it has saved")
    if found.get("version") != VERSION:
        raise InputError(
            f"{source} has version {found.get('version')!r} but this Partita reads {VERSION}; "
            "train the model again, or use the Partita that wrote it"
        )
    if found.get("kind") != kind:
        raise InputError(
            f"{source} holds a model of {found.get('kind')!r}, not of {kind!r}; give one of {kind}"
        )
    return found


def save_weights(
    model: Model, path: str | os.PathLike[str], about: Mapping[str, Any] | None = None
) -> Path:
    """Save a model's weights by name, with what is to be known `about` them."""
    content = {"about": dict(about or {}), "weights": model.named()}
    return write_file(path, model.state.__name__, content)


def load_weights(model: Model, path: str | os.PathLike[str]) -> Model:
    """Give a model the saved weights; its features must be those that were saved."""
    found = read_file(path, model.state.__name__).get("weights")
    if not isinstance(found, dict):
        raise InputError(f"{path} holds no weights; give a model that Partita has saved")
    known = set(model.features)
    for name in found:
        if name not in known:
            raise InputError(
                f"{path} was trained for other columns: it has a weight of {name!r}, which the "
                "model does not know; train it again on these columns"
            )
    missing = [name for name in model.features if name not in found]
    if missing:
        raise InputError(
            f"{path} was trained for other columns: it has no weight of {missing[0]!r}; "
            "train it again on these columns"
        )
    return model.set_weights(found)
