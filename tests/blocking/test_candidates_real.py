"""Candidates on real labelled data: a match that they do not connect is lost."""

import os
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from pyarrow import csv
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from partita.blocking.candidates import collapse, find_candidates
from partita.kernel import interpreted

DATA = Path(os.environ.get("PARTITA_DATA", Path(__file__).parents[3] / "shared" / "data"))
ASIDE = ("id", "entity", "source", "orig_id")


def load(name):
    """Columns, truth and sources of a set, cleaned in the simplest way."""
    path = DATA / name / "records.csv"
    if not path.exists():
        pytest.skip(f"{path} is not there; set PARTITA_DATA to the folder of the labelled data")
    with path.open() as lines:
        names = lines.readline().strip().split(",")
    kinds = csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()))
    breaks = csv.ParseOptions(newlines_in_values=True)
    table = csv.read_csv(path, parse_options=breaks, convert_options=kinds)
    columns = {}
    for column_name in names:
        plain = pc.utf8_lower(table[column_name].combine_chunks())
        plain = pc.utf8_trim_whitespace(pc.replace_substring_regex(plain, "[^0-9a-z]+", " "))
        plain = pc.if_else(pc.equal(plain, ""), None, plain)
        coded = plain.dictionary_encode()
        codes = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int32)
        columns[column_name] = SimpleNamespace(codes=codes, values=coded.dictionary)
    source = columns["source"].codes if "source" in columns else None
    kept = {
        column_name: column for column_name, column in columns.items() if column_name not in ASIDE
    }
    return kept, columns["entity"].codes, source


def inside(labels):
    sizes = np.unique(labels, return_counts=True)[1]
    return int((sizes * (sizes - 1) // 2).sum())


@pytest.mark.parametrize("name", ["fake_1000", "febrl3", "dblp_acm"])
def test_nearly_all_true_clusters_can_be_reached(name):
    if interpreted() and name != "fake_1000":
        pytest.skip("too slow without the compiler")
    columns, truth, source = load(name)
    first = collapse(columns) if source is None else np.arange(truth.size)
    chosen = np.unique(first)
    fewer = {
        key: SimpleNamespace(codes=column.codes[chosen], values=column.values)
        for key, column in columns.items()
    }
    candidates = find_candidates(fewer, source=None if source is None else source[chosen])
    ends = chosen[candidates.pairs]
    ends = np.concatenate([ends[truth[ends[:, 0]] == truth[ends[:, 1]]], _twins(first)])
    graph = sparse.coo_array((np.ones(len(ends)), ends.T), (truth.size, truth.size))
    reachable = connected_components(graph, directed=False)[1]
    assert inside(reachable) >= 0.99 * inside(truth)
    assert len(candidates.pairs) <= 30 * chosen.size


def _twins(first):
    """Identical records, each beside the one that stands for it."""
    others = np.flatnonzero(first != np.arange(first.size))
    return np.stack([first[others], others], 1)
