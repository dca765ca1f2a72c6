"""Shards on disk: what is written is read back, and what is missing is named."""

import numpy as np
import pyarrow as pa
import pytest

from partita.errors import InputError
from partita.scale import Settings, plan
from partita.scale.ray.shards import (
    manifest_of,
    read_table,
    read_vocabulary,
    shard_of,
    shard_path,
    write_shards,
)
from tests.scale.cases import authors

SHORT = Settings(chunk=200)


@pytest.fixture(scope="module")
def data():
    return authors(1000)[0]


def test_shards_are_the_chunks_of_a_search(data, tmp_path):
    manifest = write_shards(data, tmp_path, SHORT)
    words, chunks = read_vocabulary(tmp_path), plan(data, 200)
    assert len(manifest.sizes) == len(chunks)
    assert sum(manifest.sizes) + manifest.alone == manifest.mentions == data.size
    for mine, own in zip(words, data.vocabulary, strict=True):
        assert np.array_equal(mine, own)
    seen = [read_table(tmp_path / "alone.parquet")[0].column("mention").to_numpy()]
    for number, canopies in enumerate(chunks):
        shard = shard_of(read_table(shard_path(tmp_path, 0, number))[0], words)
        assert np.array_equal(np.diff(shard.rows.canopy), np.diff(data.canopy)[canopies])
        for place in (0, shard.mention.size // 2, shard.mention.size - 1):
            mention = shard.mention[place]
            cells = slice(data.start[mention], data.start[mention + 1])
            mine = slice(shard.rows.start[place], shard.rows.start[place + 1])
            assert np.array_equal(shard.rows.key[mine], data.key[cells])
            assert np.array_equal(shard.rows.count[mine], data.count[cells])
            assert (
                data.canopy[shard.canopy[place]] <= mention < data.canopy[shard.canopy[place] + 1]
            )
        seen.append(shard.mention)
    assert np.array_equal(np.sort(np.concatenate(seen)), np.arange(data.size))


def test_a_cut_canopy_is_known_by_its_shards(data, tmp_path):
    subset = data._replace(canopy=np.array([0, 400, data.size]))
    manifest = write_shards(subset, tmp_path, Settings(chunk=400, largest=400))
    assert set(manifest.cut) == {1}
    assert "600 mentions" in manifest.notes[0]
    holding = set()
    for number in range(len(manifest.sizes)):
        if (read_table(shard_path(tmp_path, 0, number))[0].column("canopy").to_numpy() == 1).any():
            holding.add(number)
    assert set(manifest.cut[1]) == holding


def test_what_is_missing_or_damaged_is_named(data, tmp_path):
    with pytest.raises(InputError, match=r"no .*shards.json; write shards"):
        manifest_of(tmp_path)
    manifest = write_shards(data, tmp_path, SHORT)
    with pytest.raises(InputError, match="already holds shards"):
        write_shards(data, tmp_path, SHORT)
    path = shard_path(tmp_path, 0, 1)
    path.write_bytes(b"no parquet")
    with pytest.raises(InputError, match=r"shard-000001.parquet cannot be read"):
        read_table(path)
    path.unlink()
    with pytest.raises(InputError, match=f"shard 1 of {len(manifest.sizes)} is missing"):
        manifest_of(tmp_path)


def test_a_full_disk_leaves_no_manifest(data, tmp_path, monkeypatch):
    def full(*given, **options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("partita.scale.ray.shards.pq.write_table", full)
    with pytest.raises(InputError, match="No space left on device"):
        write_shards(data, tmp_path, SHORT)
    assert not list(tmp_path.rglob("*.*"))


def test_an_empty_table_is_a_shard(data):
    kinds = {"mention": pa.int64(), "canopy": pa.int64(), "piece": pa.int64()}
    kinds |= {"key": pa.list_(pa.int32()), "count": pa.list_(pa.uint16())}
    assert shard_of(pa.schema(kinds).empty_table(), data.vocabulary).rows.size == 0
