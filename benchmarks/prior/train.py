"""Boosted trees on labelled pairs, as the JSON that the prior reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.prior.pairs import LabelledPairs
from partita.linkage.readings.features import FALLING, FEATURES, RISING
from partita.linkage.readings.prior import VERSION
from partita.linkage.readings.trees import LEAF

__all__ = ["train_prior"]

TREES = 150
"""Boosted trees of a task. Origin: 19 labelled sets, one domain left out at a time."""
LEAVES = 12
"""Leaves of a tree."""
LEARNING_RATE = 0.06
FEATURE_SHARE = 0.4
"""Share of the features that a split chooses from."""
MIN_PAIRS = 100
"""Pairs of a leaf at least."""
DIGITS = 5
"""Significant digits of thresholds and values in the JSON."""


def train_prior(dedupe: Sequence[LabelledPairs], link: Sequence[LabelledPairs]) -> dict[str, Any]:
    """Train the trees of both tasks; domains weigh the same, and files within a domain."""
    return {
        "version": VERSION,
        "files": sorted({pairs.name.partition("@")[0] for pairs in (*dedupe, *link)}),
        "features": list(FEATURES),
        "dedupe": _train(dedupe),
        "link": _train(link),
    }


def _train(files: Sequence[LabelledPairs]) -> dict[str, Any]:
    # imported here: only training needs scikit-learn
    from sklearn.ensemble import HistGradientBoostingClassifier

    domains = Counter(pairs.domain for pairs in files)
    weight = np.concatenate([pairs.weight / domains[pairs.domain] for pairs in files])
    signs = [int(name in RISING) - int(name in FALLING) for name in FEATURES]
    model = HistGradientBoostingClassifier(
        learning_rate=LEARNING_RATE,
        max_iter=TREES,
        max_leaf_nodes=LEAVES,
        min_samples_leaf=MIN_PAIRS,
        l2_regularization=5.0,
        max_bins=63,
        monotonic_cst=signs,
        max_features=FEATURE_SHARE,
        early_stopping=False,
        random_state=0,
    )
    features = np.concatenate([pairs.features for pairs in files])
    # scikit-learn cannot bin a feature without any value
    features[:, np.isnan(features).all(0)] = 0.0
    model.fit(
        features,
        np.concatenate([pairs.match for pairs in files]).astype(int),
        sample_weight=weight * len(weight) / weight.sum(),
    )
    return _export(model)


def _export(model: Any) -> dict[str, Any]:
    """The nodes of all trees in one row of lists; `threshold` of a leaf is its value."""
    start, nodes = [], []
    for (tree,) in model._predictors:
        start.append(len(nodes))
        for node in tree.nodes:
            leaf = bool(node["is_leaf"])
            left, right = int(node["left"]) + start[-1], int(node["right"]) + start[-1]
            missing = left if node["missing_go_to_left"] else right
            value = float(node["value"] if leaf else node["num_threshold"])
            feature = LEAF if leaf else int(node["feature_idx"])
            children = (0, 0, 0) if leaf else (left, right, missing)
            nodes.append((feature, float(f"{value:.{DIGITS}g}"), *children))
    feature, threshold, left, right, missing = (list(column) for column in zip(*nodes, strict=True))
    return {
        "base": float(model._baseline_prediction.reshape(-1)[0]),
        "start": start,
        "feature": feature,
        "threshold": threshold,
        "left": left,
        "right": right,
        "missing": missing,
    }
