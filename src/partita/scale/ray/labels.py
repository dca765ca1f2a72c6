"""Labels of a distributed search: shard by shard, or all at once."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import numpy as np

from partita.errors import InputError
from partita.kernel import Ints
from partita.scale.ray.shards import (
    done_path,
    labels_path,
    manifest_of,
    read_json,
    read_labels,
    read_table,
)

__all__ = ["all_labels", "label_parts"]


def label_parts(folder: str | Path) -> Iterator[tuple[Ints, Ints]]:
    """Yield mentions and the first mention of the entity of each, shard by shard.

    Each mention comes once. Split canopies come from the last finished round, all other canopies
    from the first.
    """
    base = Path(folder)
    manifest = manifest_of(base)
    read_json(done_path(base, 0), "run `distribute` to its end first")
    last = next(turn for turn in count() if not done_path(base, turn + 1).exists())
    alone = np.array(read_table(base / "alone.parquet")[0].column("mention"))
    yield alone, alone
    cut = np.array(sorted(manifest.cut), np.int64)
    for number in range(len(manifest.sizes)):
        mention, entity, canopy = read_labels(labels_path(base, 0, number))
        uncut = ~np.isin(canopy, cut) if last else np.ones(mention.size, bool)
        yield mention[uncut], entity[uncut]
    if last:
        place = read_json(done_path(base, last), "run `distribute` again")["place"]
        for number in sorted(number for _, numbers in place for number in numbers):
            mention, entity, _ = read_labels(labels_path(base, last, number))
            yield mention, entity


def all_labels(folder: str | Path) -> Ints:
    """The labels of all mentions in one array; raises unless each mention has one label."""
    size = manifest_of(Path(folder)).mentions
    labels, seen = np.full(size, -1), np.zeros(size, np.int64)
    for mention, entity in label_parts(folder):
        labels[mention] = entity
        seen += np.bincount(mention, minlength=size)
    if (seen != 1).any():
        unlabelled = int(np.flatnonzero(seen != 1)[0])
        raise InputError(
            f"mention {unlabelled} has {seen[unlabelled]} labels in {folder} instead of one; "
            "write the shards to a new folder and run again"
        )
    return labels
