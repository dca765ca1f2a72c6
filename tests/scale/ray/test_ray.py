"""Two worker processes find the labels of one machine after every failure."""

import socket
import sys
from functools import partial

import numpy as np
import pytest

from partita.errors import InputError
from partita.scale import Settings, search
from partita.scale.ray import connect
from partita.scale.ray.distribute import distribute
from partita.scale.ray.labels import all_labels
from partita.scale.ray.shards import labels_path, write_shards
from tests.scale.cases import authors
from tests.scale.ray.cases import dying, full, plain

pytestmark = pytest.mark.compiled

SHORT = Settings(temperatures=(0.3, 0.3), chunk=500)
CUT = Settings(temperatures=(0.3, 0.3), chunk=600, largest=600)


@pytest.fixture(scope="module")
def cluster():
    pytest.importorskip("ray", reason="Ray is not installed: pip install partita[ray]")
    with connect.connect(None, 2) as ray:
        yield ray


@pytest.fixture(scope="module")
def data():
    return authors(3000)[0]


@pytest.fixture(scope="module")
def expected(data):
    return search(data, plain(data.vocabulary), SHORT).labels


def test_killed_once_in_every_phase(cluster, data, tmp_path):
    subset = data._replace(canopy=np.array([0, data.size]))
    flags = tmp_path / "flags"
    flags.mkdir()
    steady, hunted = tmp_path / "steady", tmp_path / "hunted"
    for folder in (steady, hunted):
        write_shards(subset, folder, CUT)
    distribute(steady, plain, CUT, rounds=2)
    ended = distribute(hunted, partial(dying, folder=str(flags)), CUT, rounds=2, retries=9)
    assert {path.name for path in flags.iterdir()} == {
        *("start", "search", "summarise_canopy", "split_by_piece", "merge_parts", "write_labels"),
    }
    assert ended.lost == 5, "all but the one that had no shard yet"
    labels = all_labels(hunted)
    assert np.array_equal(labels, all_labels(steady))
    assert ended.entities == np.unique(labels).size
    apart = search(subset, plain(data.vocabulary), CUT).labels
    assert np.unique(labels).size < np.unique(apart).size


def test_a_full_disk_ends_in_a_sentence_and_the_rest_is_done_later(
    cluster, data, expected, tmp_path
):
    folder = tmp_path / "shards"
    write_shards(data, folder, SHORT)
    method = partial(full, flag=str(tmp_path / "flag"))
    with pytest.raises(InputError, match="No space left on device"):
        distribute(folder, method, SHORT)
    assert not list(folder.rglob("*.tmp"))
    with pytest.raises(InputError, match="to its end first"):
        all_labels(folder)
    ended = distribute(folder, method, SHORT)
    assert 0 < ended.resumed < ended.shards
    assert np.array_equal(all_labels(folder), expected)
    labels_path(folder, 0, 0).unlink()
    with pytest.raises(InputError, match="labels-000000"):
        all_labels(folder)


def test_a_shard_that_always_loses_its_worker(cluster, data, tmp_path):
    write_shards(data, tmp_path, Settings(chunk=10_000))
    with pytest.raises(InputError, match="shard 0 of round 0 has lost its worker 1 times"):
        distribute(
            *(tmp_path, partial(dying, folder=str(tmp_path)), Settings(chunk=10_000)),
            retries=0,
            workers=1,
        )


def test_an_address_that_does_not_answer(monkeypatch):
    with pytest.raises(InputError, match=r"no Ray cluster answers at 127\.0\.0\.1:9 "):
        connect.check_address("127.0.0.1:9")
    with pytest.raises(InputError, match="HOST:PORT"):
        connect.check_address("ray://somewhere:10001")
    monkeypatch.setattr(connect, "ANSWER_SECONDS", 0.5)
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        with pytest.raises(InputError, match="no Ray cluster, or does not answer"):
            connect.check_address(f"127.0.0.1:{other.getsockname()[1]}")


def test_without_ray(monkeypatch, data, tmp_path):
    write_shards(data, tmp_path, SHORT)
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(InputError, match=r"pip install partita\[ray\]"):
        distribute(tmp_path, plain, SHORT)
    assert not (tmp_path / "job.json").exists()


def test_bad_settings(data, tmp_path):
    write_shards(data, tmp_path, SHORT)
    with pytest.raises(InputError, match="chunk is 32768 but the shards were written with 500"):
        distribute(tmp_path, plain)
    with pytest.raises(InputError, match="workers"):
        distribute(tmp_path, plain, SHORT, workers=0)
    with pytest.raises(InputError, match="by is 'size'"):
        distribute(tmp_path, plain, SHORT, by="size")
