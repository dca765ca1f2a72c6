"""Print how hard each kind is: a naive baseline, and a model trained on labels of the kind.

    python -m benchmarks.kinds.check [--kinds a,b] [--naive] [--records 2000] [--json]

`naive` is the pairwise F1 of TF-IDF cosines of words at the best of all thresholds, as pairs or
as connected components, whichever is better, mean of two seeds. `trained` is the pairwise F1 of
boosted trees over the features of the prior, trained on the labels of one seed with its best
threshold and tested on the other one, mean of both directions; matches that blocking misses count
as missed. A kind counts if naive is below .75 and trained above .90. Nothing is resolved. All
kinds take about six CPU minutes; `--naive` leaves the trees out and takes one.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.kinds.generate import ENTITY, SOURCE, generate
from benchmarks.kinds.model import Kind
from benchmarks.kinds.spec import KindError, list_kinds, load_kind
from benchmarks.kinds.write import write_kind

if TYPE_CHECKING:
    from benchmarks.prior.pairs import Candidates

__all__ = ["check_kind", "main", "score_naive"]

MAX_NAIVE, MIN_TRAINED = 0.75, 0.90
"""Bounds of a kind that counts. Origin: the requirements on kinds."""
SEEDS = (0, 1)
"""Seeds of the files that both figures are measured on."""
MAX_OTHERS = 5_000
"""Non-matches of a file that the trees are trained on. A limit of CPU seconds."""
TRAINING_SEEDS = (2, 3, 4, 5)
"""Seeds of the labelled files that the trees are trained on."""
THRESHOLDS = np.arange(0.30, 0.99, 0.02)
"""Cosines that the baseline tries."""
Frame = Any
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class Labelled(NamedTuple):
    """All candidates of one file."""

    features: NDArray[np.float32]
    match: NDArray[np.bool_]
    weight: Floats
    """Pairs of records that each pair of distinct records stands for."""
    truth: int
    """Matches of the file, whether candidates or not."""
    identical: int
    """Pairs of identical records, which every model joins."""


def count_pairs(codes: Ints) -> int:
    """Pairs of records with the same code."""
    sizes = np.unique(codes, return_counts=True)[1].astype(np.int64)
    return int((sizes * (sizes - 1) // 2).sum())


def _count_truth(frame: Frame, linked: bool) -> int:
    """Matches of a file; those across sources where entities have one record in each."""
    entity = np.unique(frame[ENTITY].to_numpy(np.int64), return_inverse=True)[1]
    within = 0
    if linked:
        source = np.unique(frame[SOURCE], return_inverse=True)[1]
        within = count_pairs(entity * (source.max() + 1) + source)
    return count_pairs(entity) - within


def score_naive(frame: Frame, linked: bool) -> float:
    """Pairwise F1 of TF-IDF cosines at the best threshold, as pairs or connected components."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components
    from sklearn.feature_extraction.text import TfidfVectorizer

    visible = [name for name in frame.columns if name not in (ENTITY, SOURCE)]
    rows = frame[visible].to_numpy().tolist()
    texts = [" ".join(value.lower() for value in row if value) for row in rows]
    vectors = TfidfVectorizer(dtype=np.float32).fit_transform(texts)
    cosines = (vectors @ vectors.T).tocoo()
    kept = (cosines.row < cosines.col) & (cosines.data >= THRESHOLDS[0])
    left, right, cosine = cosines.row[kept], cosines.col[kept], cosines.data[kept]
    entity = frame[ENTITY].to_numpy(np.int64)
    source = frame[SOURCE].to_numpy() if linked else None
    if source is not None:
        across = source[left] != source[right]
        left, right, cosine = left[across], right[across], cosine[across]
    match, truth, best = entity[left] == entity[right], _count_truth(frame, linked), 0.0
    for threshold in THRESHOLDS:
        chosen = cosine >= threshold
        best = max(best, 2 * match[chosen].sum() / max(1, chosen.sum() + truth))
        if source is None:
            shape, edges = (len(frame),) * 2, (left[chosen], right[chosen])
            graph = coo_matrix((np.ones(edges[0].size), edges), shape=shape)
            cluster = connected_components(graph, directed=False)[1].astype(np.int64)
            both = count_pairs(cluster * (int(entity.max()) + 1) + entity)
            best = max(best, 2 * both / max(1, count_pairs(cluster) + truth))
    return float(best)


def read_labelled(kind: Kind, seed: int, records: int) -> Labelled:
    """Candidates of a file of a kind, by the same stages that train the prior."""
    from benchmarks.panel.sets import find_sets, prepare_task
    from benchmarks.prior.pairs import read_candidates

    frame = generate(kind, seed, "test", records)
    mode = "link" if kind.sources.is_linked else "both" if SOURCE in frame else "dedupe"
    with tempfile.TemporaryDirectory() as folder:
        name = write_kind(kind, seed, "test", records, Path(folder))
        task = prepare_task(find_sets(Path(folder))[name], Path(folder))
        # labels of a kind show which columns are evidence; the profile may drop some of them
        known = frame.attrs["columns"]
        hidden = (ENTITY, SOURCE)
        roles = {
            header: {"role": "compare" if header in known else "ignore"}
            for header in frame.columns
            if header not in hidden
        }
        changes: dict[str, object] = {"mode": mode, "columns": roles}
        if SOURCE in frame and len(task.paths) == 1:
            changes["source"] = SOURCE
        candidates = read_candidates(task, changes)
    copies = candidates.copies
    weight = (copies[candidates.pairs[:, 0]] * copies[candidates.pairs[:, 1]]).astype(float)
    features = np.hstack(
        [
            candidates.features(np.arange(candidates.match.size)),
            _place_levels(candidates, kind, frame.attrs["columns"]),
        ]
    )
    truth = _count_truth(frame, kind.sources.is_linked)
    identical = int((copies * (copies - 1) // 2).sum())
    return Labelled(features, candidates.match, weight, truth, identical)


def _place_levels(
    candidates: Candidates, kind: Kind, columns: Mapping[str, str]
) -> NDArray[np.float32]:
    """The comparison level of each column of the kind, between 0 for equal and 1; NaN if absent."""
    names = [column.name for column in kind.columns]
    out = np.full((candidates.match.size, len(names)), np.nan, np.float32)
    comparisons = candidates.comparisons
    levels = comparisons.levels(np.ascontiguousarray(candidates.pairs, np.int64))
    for place, header in enumerate(comparisons.names):
        if header in columns:
            level = levels[:, place].astype(np.float32)
            level[level < 0] = np.nan
            last = max(1, len(comparisons.level_names[place]) - 1)
            out[:, names.index(columns[header])] = level / last
    return out


def _train(files: Sequence[Labelled]) -> Any:
    """Trees on the candidates of several files, which weigh the same."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    model = HistGradientBoostingClassifier(
        learning_rate=0.08,
        max_iter=120,
        max_leaf_nodes=12,
        min_samples_leaf=10,
        l2_regularization=2.0,
        max_bins=63,
        max_features=0.4,
        early_stopping=False,
        random_state=0,
    )
    rows = [_sample(labelled.match) for labelled in files]
    features = np.concatenate(
        [labelled.features[place] for labelled, (place, _) in zip(files, rows, strict=True)]
    )
    # scikit-learn cannot bin a feature without any value
    features[:, np.isnan(features).all(0)] = 0.0
    match = [labelled.match[place] for labelled, (place, _) in zip(files, rows, strict=True)]
    weight = np.concatenate([weight for _, weight in rows])
    return model.fit(features, np.concatenate(match).astype(int), sample_weight=weight)


def _sample(match: NDArray[np.bool_]) -> tuple[Ints, Floats]:
    """Places of all matches and of some non-matches, and how many pairs each stands for."""
    others = np.flatnonzero(~match)
    random = np.random.default_rng(0)
    kept = random.choice(others, min(MAX_OTHERS, others.size), replace=False)
    place = np.concatenate([np.flatnonzero(match), kept])
    return place, np.where(match[place], 1.0, others.size / max(1, kept.size))


def _score_pairs(labelled: Labelled, chosen: NDArray[np.bool_]) -> float:
    joined = labelled.weight[chosen].sum() + labelled.identical
    hits = labelled.weight[chosen & labelled.match].sum() + labelled.identical
    return float(2 * hits / max(1.0, joined + labelled.truth))


def score_trained(train: Sequence[Labelled], test: Sequence[Labelled]) -> list[float]:
    """Pairwise F1 on each file of the pairs above one half, by trees of the other files."""
    model = _train(train)
    return [
        _score_pairs(labelled, model.predict_proba(labelled.features)[:, 1] > 0.5)
        for labelled in test
    ]


def check_kind(name: str, records: int, naive_only: bool = False) -> dict[str, Any]:
    """Both figures of a kind, and the share of its matches among the candidates."""
    kind, begin = load_kind(name), time.process_time()
    frames = [generate(kind, seed, "test", records) for seed in SEEDS]
    naive = [score_naive(frame, kind.sources.is_linked) for frame in frames]
    row: dict[str, Any] = {"group": kind.group, "naive": statistics.fmean(naive)}
    if not naive_only:
        files = [read_labelled(kind, seed, records) for seed in SEEDS]
        train = [read_labelled(kind, seed, records) for seed in TRAINING_SEEDS]
        figures = score_trained(train, files)
        recalls = [_score_recall(labelled) for labelled in files]
        row |= {"trained": statistics.fmean(figures), "each": figures}
        row |= {"completeness": statistics.fmean(recalls)}
        row["counts"] = row["naive"] < MAX_NAIVE and row["trained"] > MIN_TRAINED
    return row | {"naive_each": naive, "cpu_seconds": time.process_time() - begin}


def _score_recall(labelled: Labelled) -> float:
    """Share of the matches that are candidates or identical records."""
    kept = labelled.weight[labelled.match].sum() + labelled.identical
    return float(kept / max(1, labelled.truth))


def _list_names(chosen: str | None) -> list[str]:
    """The chosen kinds, all by default; each of them exists."""
    names = chosen.split(",") if chosen else list_kinds()
    try:
        return [load_kind(name).name for name in names]
    except KindError as error:
        raise SystemExit(f"error: {error}") from None


def main(arguments: Sequence[str] | None = None) -> None:
    """Print both figures of each kind."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.kinds.check",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--kinds", help="comma-separated; all by default")
    parser.add_argument("--records", type=int, default=2_000, help="records of a file")
    parser.add_argument("--naive", action="store_true", help="leave the trained model out")
    parser.add_argument("--json", action="store_true", help="print one JSON object as last line")
    options = parser.parse_args(arguments)
    if options.records < 1:
        parser.error(f"--records is {options.records}; give a number above 0")
    rows: dict[str, Any] = {}
    for name in _list_names(options.kinds):
        rows[name] = row = check_kind(name, options.records, options.naive)
        figures = [f"{row[key]:.3f}" for key in ("naive", "trained", "completeness") if key in row]
        each = " ".join(f"{value:.2f}" for value in (*row["naive_each"], *row.get("each", ())))
        mark = "" if row.get("counts", row["naive"] < MAX_NAIVE) else "  does not count"
        out = sys.stderr if options.json else sys.stdout
        seconds = f"{row['cpu_seconds']:.0f} s"
        print(f"{name:18} {'  '.join(figures)}  ({each})  {seconds}{mark}", file=out, flush=True)
    if options.json:
        counted = sum(bool(row.get("counts")) for row in rows.values())
        print(json.dumps({"kinds": rows, "counted": counted}))


if __name__ == "__main__":
    main()
