"""The pretrained prior: features of one entity, learned on labelled files of other domains.

The prior is one ensemble of boosted trees for files with duplicates, and one for two files that
are linked. `python -m benchmarks.prior` trains both.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib import resources
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from partita.errors import InputError
from partita.linkage.readings.features import FEATURES
from partita.linkage.readings.trees import Trees, trees_from_dict

__all__ = ["VERSION", "Prior", "load_prior"]

VERSION = 1
"""Version of the file format and of the features."""
SHIPPED = "prior.json"


class Prior(NamedTuple):
    """Boosted trees for files with duplicates, and for files to be linked."""

    dedupe: Trees
    link: Trees


def load_prior(path: str | PathLike[str] | None = None) -> Prior:
    """Load a prior from its file; by default the one that is shipped."""
    if path is None:
        return _load_shipped()
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise InputError(
            f"cannot read the prior {str(path)!r}: {error.strerror}; give the file of a prior"
        ) from error
    return _parse(content, str(path))


@cache
def _load_shipped() -> Prior:
    return _parse(resources.files(__package__).joinpath(SHIPPED).read_bytes(), SHIPPED)


def _parse(content: bytes, name: str) -> Prior:
    try:
        stored: Mapping[str, Any] = json.loads(content)
        version, features = stored["version"], tuple(stored["features"])
        trees = [trees_from_dict(stored[task]) for task in ("dedupe", "link")]
        if any(tree.feature.max(initial=0) >= len(FEATURES) for tree in trees):
            raise ValueError("a tree has an unknown feature")
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise InputError(
            f"{name!r} is not a prior ({error}); write one with python -m benchmarks.prior"
        ) from error
    if version != VERSION or features != FEATURES:
        raise InputError(
            f"{name!r} is a prior of version {version!r} with {len(features)} features; this "
            f"version reads version {VERSION} with {len(FEATURES)}: train it again"
        )
    return Prior(*trees)
