"""The Python Record Linkage Toolkit with labels: its logistic regression, by its guide.

Blocks and columns are those of the comparison without labels; strings keep their Jaro-Winkler
similarity instead of a threshold, since a classifier that learns can use it.
"""

from __future__ import annotations

from typing import Any

from benchmarks.peers.links import Found, components
from benchmarks.peers.with_recordlinkage import RECIPES, load

__all__ = ["load", "run"]


def run(request: dict[str, Any]) -> Found:
    """Records and their clusters."""
    import pandas as pd
    import recordlinkage

    recipe = RECIPES[request["set"]]
    table = pd.read_parquet(request["path"]).set_index(request["id"])
    indexer = recordlinkage.Index()
    for block in recipe.blocks:
        indexer.block(list(block))
    pairs = indexer.index(table)
    compare = recordlinkage.Compare()
    for name in recipe.strings:
        compare.string(name, name, method="jarowinkler", label=name)
    for name in recipe.exact:
        compare.exact(name, name, label=name)
    labelled = pd.MultiIndex.from_tuples([(left, right) for left, right, _ in request["labels"]])
    matches = labelled[[match for _, _, match in request["labels"]]]
    classifier = recordlinkage.LogisticRegressionClassifier()
    classifier.fit(compare.compute(labelled, table), matches)
    links = classifier.predict(compare.compute(pairs, table))
    notes = {"pairs": len(pairs), "links": len(links)}
    return Found(table.index.to_numpy(), components(len(table), links), notes)
