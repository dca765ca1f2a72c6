"""The benchmark of the recipe for authors scores the names that nothing was learned from."""

import numpy as np
import pyarrow as pa
import pytest

from benchmarks import authors as bench
from partita.synthetic import authors

pytestmark = pytest.mark.compiled


@pytest.fixture(scope="module")
def table():
    made = authors(400, seed=8).table()
    block = [f"{row['last']} {row['first'][:1]}" for row in made.to_pylist()]
    entity = pa.array([str(one) for one in made["author"].to_pylist()])
    made = made.append_column(bench.BLOCK, pa.array(block)).append_column(bench.ENTITY, entity)
    return made.drop_columns(["author"])


def test_halves_keep_names_together(table):
    blocks = np.array(table[bench.BLOCK].to_pylist())
    taught = bench.half(blocks, 0)
    assert not set(blocks[taught]) & set(blocks[~taught])
    assert 0 < taught.sum() < taught.size


def test_every_pool_and_model_has_a_row(table):
    rows = bench.measure(table, splits=2, seed=0)
    assert [(row["pool"], row["model"], row["scored"]) for row in rows] == [
        (pool, model, scored)
        for pool in bench.POOLS
        for model, scored in (
            (bench.PLAIN, "all names"),
            (bench.PLAIN, "other half"),
            (bench.RANKED, "other half"),
            (bench.LEARNED, "other half"),
        )
    ]
    for row in rows:
        assert 0 < row["pairwise_f1"] <= 1
        assert 0 < row["bcubed_f1"] <= 1
        splits = 1 if row["scored"] == "all names" else 2
        assert len(row["pairwise_f1_by_split"]) == splits


def test_without_the_data_it_is_said_where_to_put_it(monkeypatch):
    monkeypatch.setattr(bench, "SET", bench.DataSet("not there"))
    with pytest.raises(SystemExit, match="PARTITA_DATA"):
        bench.main([])
