"""Two naive baselines: exact equality, and TF-IDF cosine with connected components."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from benchmarks.peers.links import Found

__all__ = ["load", "run"]

COSINE = 0.7
"""Least cosine of a link, between 0 and 1: a common default, fixed before any run."""
CHUNK = 500
"""Rows of one product of sparse matrices."""


def load() -> str:
    """Import scikit-learn; returns its version."""
    import scipy.sparse.csgraph  # noqa: F401
    import sklearn
    import sklearn.feature_extraction.text

    return sklearn.__version__


def run(request: dict[str, Any]) -> Found:
    """Clusters by the baseline that the request names."""
    parts = [pq.read_table(path) for path in request["paths"]]
    table = pa.concat_tables(parts, promote_options="default")
    texts = _texts(table)
    labels = _equal(texts) if request["baseline"] == "exact" else _components(texts)
    return Found(table.column("id"), labels, {})


def _texts(table: pa.Table) -> list[str]:
    """All values of each record but its source, in one lower-case text."""
    names = [name for name in table.column_names if name not in ("id", "source")]
    columns = [table.column(name).to_pylist() for name in names]
    return [" ".join(str(v).lower() for v in row if v) for row in zip(*columns, strict=True)]


def _equal(texts: list[str]) -> NDArray[np.int64]:
    return np.unique(texts, return_inverse=True)[1].reshape(-1)


def _components(texts: list[str]) -> NDArray[np.int64]:
    """Connected components of records whose word TF-IDF cosine reaches the threshold."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectors = TfidfVectorizer(dtype=np.float32).fit_transform(texts)
    transposed = vectors.T.tocsr()
    left, right = [], []
    for start in range(0, len(texts), CHUNK):
        cosines = (vectors[start : start + CHUNK] @ transposed).tocoo()
        linked = cosines.data >= COSINE
        left.append(cosines.row[linked] + start)
        right.append(cosines.col[linked])
    rows, columns = np.concatenate(left), np.concatenate(right)
    shape = (len(texts), len(texts))
    graph = coo_matrix((np.ones(rows.size), (rows, columns)), shape=shape)
    return connected_components(graph, directed=False)[1].astype(np.int64)
