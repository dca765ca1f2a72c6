"""Labelled candidate pairs with their features, from the open sets and generated files."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.panel.sets import PANEL, Task, prepare_task
from benchmarks.prior.generated import GENERATED, generate_task
from partita.comparison.comparisons import Comparisons
from partita.data import Records
from partita.kernel import Floats
from partita.linkage.compare import block_records
from partita.linkage.pairwise.random_pairs import RandomPairs
from partita.linkage.prepare import prepare
from partita.linkage.readings.features import FeatureTables
from partita.linkage.resolve import profile_columns, read_input, read_settings
from partita.linkage.settings import Settings

__all__ = ["LEFT_OUT", "Candidates", "LabelledPairs", "list_files", "read_candidates", "read_pairs"]

LEFT_OUT = ("citeseer_pd_1563", "citeseerx_penn_14names", "dblp_xml_680", "patstat_leuven")
"""Silver labels, and author mentions, where a match is another notion."""
TEXT_DOMAINS = ("citations", "organisations", "products", "media", "places")
"""Domains whose files are also read with their most informative text column alone: a match of two
titles or names is a weaker notion where no other column can contradict."""
TEXT_TYPES = ("long text", "full name", "address")
MAX_MATCHES = 6_000
"""Matches of a file that are kept, and as many non-matches; their weights restore the shares."""


@dataclass(frozen=True, eq=False)
class LabelledPairs:
    """Sampled candidate pairs of one file."""

    name: str
    domain: str
    features: Floats
    match: NDArray[np.bool_]
    weight: Floats
    """The share of all candidates that each pair represents; the sum is 1."""


def list_files(linked: bool) -> list[str]:
    """The names of all files to train on; files of two sources are linked, or read as one."""
    sets = [name for name in PANEL if name not in LEFT_OUT and PANEL[name].path.exists()]
    names = [*sets, *GENERATED]
    texts = [f"{name}@text" for name in names if domain_of(name) in TEXT_DOMAINS]
    return [
        *(name if linked or not is_linked(name) else f"{name}@both" for name in names),
        *texts,
    ]


def domain_of(name: str) -> str:
    """The domain of a file."""
    return GENERATED[name].domain if name in GENERATED else PANEL[name].domain


def is_linked(name: str) -> bool:
    """Whether a file has two sources."""
    return GENERATED[name].linked if name in GENERATED else PANEL[name].linked


def read_pairs(name: str) -> LabelledPairs:
    """Read, block and compare one file.

    "NAME@both" ignores that a file has two sources; "NAME@text" uses one text column as well.
    """
    plain = name.partition("@")[0]
    with tempfile.TemporaryDirectory() as folder:
        task = (
            generate_task(plain, Path(folder))
            if plain in GENERATED
            else prepare_task(PANEL[plain], Path(folder))
        )
        settings = {"mode": "dedupe"} if plain != name else {}
        return _label(name, task, settings)


@dataclass(frozen=True, eq=False)
class Candidates:
    """All candidate pairs of one file, whose features are read on demand."""

    pairs: NDArray[np.int64]
    """Distinct records, by number."""
    match: NDArray[np.bool_]
    copies: NDArray[np.int64]
    """Number of identical records of each distinct record."""
    comparisons: Comparisons
    tables: FeatureTables

    def features(self, place: NDArray[np.int64]) -> Floats:
        """The features of some candidates."""
        pairs = np.ascontiguousarray(self.pairs[place], np.int64)
        return self.tables.features(pairs, self.comparisons.levels(pairs)).astype(np.float32)


def read_candidates(task: Task, changes: dict[str, object], text: bool = False) -> Candidates:
    """Read, block and compare the files of a task; `text` keeps its best text column alone."""
    paths = [str(path) for path in task.paths]
    resolved, _ = read_settings(None, {"id": "id", **changes})
    records, settings, _ = read_input(paths if len(paths) > 1 else paths[0], resolved, None)
    _, settings = profile_columns(records, settings)
    if text:
        settings = _keep_text(records, settings)
    prepared = prepare(records, settings)
    pairs = block_records(prepared, settings).pairs
    comparisons = Comparisons(prepared.compared, prepared.column_types, prepared.comparisons)
    across = prepared.source if settings.mode == "link" else None
    random = RandomPairs.draw(comparisons, across, 0).levels
    sizes = [len(names) for names in comparisons.level_names]
    tables = FeatureTables(prepared.compared, prepared.column_types, sizes, random)
    truth = np.asarray(task.truth.dictionary_encode().indices)
    ids = np.array(records.ids.to_pylist(), np.int64)
    entity = truth[ids][prepared.numbering.wide]
    match = entity[pairs[:, 0]] == entity[pairs[:, 1]]
    copies = np.bincount(prepared.numbering.narrow, minlength=prepared.n)
    return Candidates(pairs, match, copies, comparisons, tables)


def _label(name: str, task: Task, changes: dict[str, object]) -> LabelledPairs:
    candidates = read_candidates(task, changes, name.endswith("@text"))
    match = candidates.match
    place, weight = _sample(match)
    return LabelledPairs(name, task.domain, candidates.features(place), match[place], weight)


def _keep_text(records: Records, settings: Settings) -> Settings:
    """The settings with the text column of highest entropy compared alone."""

    def entropy(name: str) -> float:
        codes = records.column(name).codes
        share = np.bincount(codes[codes >= 0]) / max(1, codes.size)
        return float(-(share[share > 0] * np.log(share[share > 0])).sum())

    names = [name for name, column in settings.columns.items() if column.type in TEXT_TYPES]
    kept = max(names or settings.columns, key=entropy)
    columns = {
        name: replace(column, role="compare" if name == kept else "ignore")
        for name, column in settings.columns.items()
    }
    return settings.replaced(columns=columns)


def _sample(match: NDArray[np.bool_]) -> tuple[NDArray[np.int64], Floats]:
    """Places of some matches and non-matches, and the share of candidates each represents."""
    rng = np.random.default_rng(0)
    places, weights = [], []
    for label in (True, False):
        among = np.flatnonzero(match == label)
        if not among.size:
            continue
        kept = rng.choice(among, min(MAX_MATCHES, among.size), replace=False)
        places.append(np.sort(kept))
        weights.append(np.full(kept.size, among.size / kept.size / match.size))
    return np.concatenate(places), np.concatenate(weights)
