"""Model files: named weights in JSON with a version, written atomically."""

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

FORMAT = "partita model"
VERSION = 1


def write_file(path: str | os.PathLike[str], kind: str, content: Mapping[str, Any]) -> Path:
    """Write a model of one kind; replace an older file only when the new one is complete."""
    target = Path(path)
    if not target.parent.is_dir():
        raise InputError(f"there is no folder {target.parent}; create it before saving a model")
    text = json.dumps(
        {"format": FORMAT, "version": VERSION, "kind": kind, **content}, allow_nan=False, indent=1
    )
    return write_text(target, text + "\n")


def read_file(path: str | os.PathLike[str], kind: str) -> dict[str, Any]:
    """Read a model of one kind, or raise an InputError with the reason."""
    source = Path(path)
    try:
        content = json.loads(source.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(
            f"the model {source} cannot be read ({error.strerror}); give the path of a saved model"
        ) from None
    except (ValueError, RecursionError):
        raise InputError(f"{source} is not JSON; give a model that Partita has saved") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise InputError(f"{source} is not a Partita model; give a model that Partita has saved")
    if content.get("version") != VERSION:
        raise InputError(
            f"{source} has version {content.get('version')!r} but this Partita reads {VERSION}; "
            "train the model again, or use the Partita that wrote it"
        )
    if content.get("kind") != kind:
        raise InputError(
            f"{source} is a model of {content.get('kind')!r}, not of {kind!r}; give one of {kind}"
        )
    return content


def save_weights(
    model: Model, path: str | os.PathLike[str], about: Mapping[str, Any] | None = None
) -> Path:
    """Save a model's weights by name, with the facts `about` them."""
    content = {"about": dict(about or {}), "weights": model.named()}
    return write_file(path, model.state.__name__, content)


def load_weights(model: Model, path: str | os.PathLike[str]) -> Model:
    """Set a model's weights from a file; the features must be those of the file."""
    weights = read_file(path, model.state.__name__).get("weights")
    if not isinstance(weights, dict):
        raise InputError(f"{path} holds no weights; give a model that Partita has saved")
    known = set(model.features)
    for name in weights:
        if name not in known:
            raise InputError(
                f"{path} was trained for other columns: it has a weight of {name!r}, which the "
                "model does not have; train it again on these columns"
            )
    missing = [name for name in model.features if name not in weights]
    if missing:
        raise InputError(
            f"{path} was trained for other columns: it has no weight of {missing[0]!r}; "
            "train it again on these columns"
        )
    return model.set_weights(weights)
