"""Generated author mentions with the statistics of bibliographies, and a sample to learn from.

The paper's data (BibTeX files, DBLP and the labels of REXA) are replaced by `encoded_authors`: few
authors write most papers, up to thousands; a last name and an initial cover up to tens of thousands
of mentions. Weights and settings are learned from another seed.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.scale import Mentions, Vocabulary, gather, vocabulary
from partita.scale.mentions import spans
from partita.synthetic import Literature
from partita.synthetic.mentions import COLUMNS, GROUPS, encoded_authors

__all__ = ["Case", "development", "load", "made", "save", "some"]

SCORED, LEARNED = 7000, 9000
"""Seeds of the two kinds of data begin here. The scored one was seen once while code was written,
at the smallest size; no setting was chosen by it."""


class Case(NamedTuple):
    """Mentions and the entity of each."""

    mentions: Mentions
    truth: NDArray[np.int32]


def made(n: int, seed: int, literature: Literature | None = None) -> Case:
    """Mentions of one seed."""
    code = encoded_authors(n, seed=seed, literature=literature)
    words = vocabulary(GROUPS, COLUMNS, code.edges, code.family, code.key, code.count, n)
    return Case(Mentions(code.start, code.key, code.count, code.canopy, words), code.truth)


def development(n: int, seed: int, size: int) -> Case:
    """About `size` mentions in whole canopies of all sizes, out of n of another seed."""
    return some(made(n, LEARNED + seed), size)


def some(whole: Case, size: int) -> Case:
    """About `size` mentions in whole canopies of all sizes."""
    sizes = np.diff(whole.mentions.canopy)
    order = np.argsort(-sizes, kind="stable")
    step = max(1, round(whole.mentions.size / size))
    chosen = np.sort(order[step // 2 :: step])
    rows = spans(whole.mentions.canopy[chosen], sizes[chosen])
    return Case(gather(whole.mentions, chosen), whole.truth[rows])


ARRAYS = ("start", "key", "count", "canopy")
KEYS = ("edges", "family", "shown", "mass")


def save(case: Case, folder: Path) -> None:
    """Write the arrays of a case, one file each."""
    folder.mkdir(parents=True, exist_ok=True)
    words = case.mentions.vocabulary
    for name in ARRAYS:
        np.save(folder / f"{name}.npy", getattr(case.mentions, name))
    for name in KEYS:
        np.save(folder / f"{name}.npy", getattr(words, name))
    np.save(folder / "truth.npy", case.truth)


def load(folder: Path) -> Case:
    """Read a case back."""
    keys = [np.load(folder / f"{name}.npy") for name in KEYS]
    arrays = [np.load(folder / f"{name}.npy") for name in ARRAYS]
    words = Vocabulary(GROUPS, COLUMNS, *keys, mentions=int(arrays[0].size - 1))
    return Case(Mentions(*arrays, words), np.load(folder / "truth.npy"))
