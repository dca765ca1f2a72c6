"""CEAF: the best one-to-one alignment of found and true entities (Luo 2005).

CEAF-e: the similarity of a found entity F and a true one T is phi_4 = 2 |F and T| / (|F| + |T|).
With A the largest total over alignments, precision = A / number of F and recall = A / number of T.
CEAF-m: the similarity is phi_3 = |F and T|, and A is divided by the number of records.

Aligning entities without a common record gains nothing, so the problem decomposes into the
components of the contingency graph. An edge at least as heavy as the second best at one end plus
the second best at the other is in some best alignment: choosing it costs at most those two. Rounds
of this rule, each linear in the cells, settle every star and nearly all of a good result; the
remaining components are solved exactly, by the Hungarian method or its sparse form.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linear_sum_assignment
from scipy.sparse import coo_matrix, csr_matrix
from scipy.sparse.csgraph import connected_components, min_weight_full_bipartite_matching

from partita.kernel import Floats, Ints
from partita.metrics.codes import Labelling
from partita.metrics.scores import Score
from partita.metrics.table import Table, contingency

__all__ = ["best_alignment", "ceaf_e", "ceaf_e_of", "ceaf_m"]

MIN_SETTLED_SHARE = 1 / 32
"""Share of edges that a round must settle to be repeated: paths settle edge by edge."""
MAX_DENSE_CELLS = 1 << 22
"""Cells above which a component is solved in sparse form; 32 MB if dense."""


def ceaf_e(labels: Labelling, truth: Labelling, known: ArrayLike | None = None) -> Score:
    """Return the entity-based CEAF score, exact.

    Costs O(cells) for the edges that the first rounds settle, and up to O(k^3) for a remaining
    component of k entities. Few remain even when half of the records are misplaced. Unrelated
    partitions leave one giant component; its measured cost grows as k^2: 3 s at 30,000 entities
    each.
    """
    return ceaf_e_of(contingency(labels, truth, known))


def ceaf_e_of(table: Table) -> Score:
    """Return the CEAF-e score of a table."""
    sizes = table.predicted_sizes[table.predicted] + table.true_sizes[table.true]
    total = best_alignment(table.predicted, table.true, 2 * table.shared / sizes)
    return Score.shares(total, len(table.predicted_sizes), len(table.true_sizes))


def ceaf_m(labels: Labelling, truth: Labelling, known: ArrayLike | None = None) -> Score:
    """Return the mention-based CEAF score, exact: the share of records in aligned entities."""
    table = contingency(labels, truth, known)
    records = int(table.predicted_sizes.sum())
    # weights of at most 1, as the sparse form of the alignment needs them
    total = best_alignment(table.predicted, table.true, table.shared / max(records, 1)) * records
    return Score.shares(total, records, int(table.true_sizes.sum()))


def best_alignment(rows: Ints, columns: Ints, weight: Floats) -> float:
    """Return the largest total weight of edges (row, column) without a shared end.

    Weights are positive, and each edge is listed once.
    """
    total, settled = 0.0, len(weight)
    while len(weight) and settled >= MIN_SETTLED_SHARE * len(weight):
        certain = _select_certain(rows, columns, weight)
        total += float(weight[certain].sum())
        remaining = ~(_share_ends(rows, rows[certain]) | _share_ends(columns, columns[certain]))
        settled = len(weight) - int(remaining.sum())
        rows, columns, weight = rows[remaining], columns[remaining], weight[remaining]
    return total + sum(_solve_dense(*part) for part in _components(rows, columns, weight))


def _share_ends(ends: Ints, nodes: Ints) -> NDArray[np.bool_]:
    mask = np.zeros(int(ends.max()) + 1, bool)
    mask[nodes] = True
    return mask[ends]


def _select_certain(rows: Ints, columns: Ints, weight: Floats) -> NDArray[np.bool_]:
    """Select edges that are heaviest at both ends and outweigh the seconds of both together."""
    first_left, second_left = _first_and_second(rows, weight)
    first_right, second_right = _first_and_second(columns, weight)
    return first_left & first_right & (weight >= second_left + second_right)


def _first_and_second(ends: Ints, weight: Floats) -> tuple[NDArray[np.bool_], Floats]:
    """Return whether each edge is the heaviest at its end, and the weight of the end's second."""
    nodes, numbers = int(ends.max()) + 1, np.arange(len(ends))
    heaviest = np.zeros(nodes)
    np.maximum.at(heaviest, ends, weight)
    # among equal edges the first listed, so that no end has two
    ties = np.flatnonzero(weight == heaviest[ends])
    edge = np.full(nodes, len(ends))
    np.minimum.at(edge, ends[ties], ties)
    first = edge[ends] == numbers
    second = np.zeros(nodes)
    np.maximum.at(second, ends[~first], weight[~first])
    return first, second[ends]


Part = tuple[Ints, Ints, Floats, tuple[int, int]]


def _components(rows: Ints, columns: Ints, weight: Floats) -> list[Part]:
    """List the connected parts: local rows and columns, weights, and the number of each."""
    if not len(weight):
        return []
    rows = np.unique(rows, return_inverse=True)[1]
    columns = np.unique(columns, return_inverse=True)[1]
    n, m = int(rows.max()) + 1, int(columns.max()) + 1
    graph = coo_matrix((weight, (rows, n + columns)), shape=(n + m, n + m))
    parts, part = connected_components(graph, directed=False)
    local_rows, heights = _places(part[:n], parts)
    local_columns, widths = _places(part[n:], parts)
    order = np.argsort(part[rows], kind="stable")
    cuts = np.cumsum(np.bincount(part[rows], minlength=parts))[:-1]
    pieces = (local_rows[rows][order], local_columns[columns][order], weight[order])
    split = (np.split(piece, cuts) for piece in pieces)
    shapes = zip(heights.tolist(), widths.tolist(), strict=True)
    return [(*piece, shape) for *piece, shape in zip(*split, shapes, strict=True)]


def _places(part: Ints, parts: int) -> tuple[Ints, Ints]:
    """Return the position of each node in its part, and the size of each part."""
    sizes = np.bincount(part, minlength=parts)
    starts = np.cumsum(sizes) - sizes
    order = np.argsort(part, kind="stable")
    places = np.empty(len(part), np.int64)
    places[order] = np.arange(len(part)) - starts[part[order]]
    return places, sizes


def _solve_dense(rows: Ints, columns: Ints, weight: Floats, shape: tuple[int, int]) -> float:
    """Return the weight of the best alignment within one part."""
    if shape[0] > shape[1]:
        rows, columns, shape = columns, rows, shape[::-1]
    if shape[0] * shape[1] > MAX_DENSE_CELLS:
        return _solve_sparse(rows, columns, weight, shape)
    matrix = np.zeros(shape)
    matrix[rows, columns] = weight
    return float(matrix[linear_sum_assignment(matrix, maximize=True)].sum())


def _solve_sparse(rows: Ints, columns: Ints, weight: Floats, shape: tuple[int, int]) -> float:
    """Solve one part without zeros: each row has a further column of gain 0."""
    n, m = shape
    dummies = np.arange(n)
    # costs are 2 minus the gain because a stored zero would mean no edge
    costs = np.concatenate([2.0 - weight, np.full(n, 2.0)])
    ends = (np.concatenate([rows, dummies]), np.concatenate([columns, m + dummies]))
    graph = csr_matrix((costs, ends), shape=(n, m + n))
    matching = min_weight_full_bipartite_matching(graph)
    return float((2.0 - np.asarray(graph[matching])).sum())
