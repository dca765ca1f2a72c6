import os

import pytest

from partita.kernel.numba import store


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A cache folder that does not exist yet."""
    monkeypatch.setenv("PARTITA_CACHE_DIR", str(tmp_path / "store"))
    return tmp_path / "store"


def test_payloads_are_sealed(place):
    store.write("a" * 64, b"payload")
    assert store.read("a" * 64) == b"payload"
    (place / ("a" * 64 + ".kernel")).rename(place / ("b" * 64 + ".kernel"))
    assert store.read("b" * 64) is None
    assert store.read("a" * 64) is None


@pytest.mark.skipif(os.name == "nt", reason="no such permissions on this system")
def test_a_folder_that_others_can_write_is_not_used(place):
    place.mkdir()
    place.chmod(0o777)
    store.write("a" * 64, b"payload")
    assert not list(place.iterdir())


def test_the_folder_stays_bounded(place, monkeypatch):
    monkeypatch.setattr(store, "MAX_BYTES", 1000)
    for k in range(6):
        store.write(str(k), b"x" * 200)
        os.utime(place / f"{k}.kernel", (1000 + k, 1000 + k))
        if k == 3:
            assert store.read("0") is not None
    (place / "dead.tmp").write_bytes(b"")
    os.utime(place / "dead.tmp", (1, 1))
    (place / "alive.tmp").write_bytes(b"")
    store.write("last", b"x")
    left = {path.name for path in place.iterdir()}
    assert left == {f"{k}.kernel" for k in (0, 3, 4, 5, "last")} | {"alive.tmp"}


def test_folder_is_the_users_own_by_default(monkeypatch):
    monkeypatch.delenv("PARTITA_CACHE_DIR", raising=False)
    assert store.cache_folder().parts[-2:] == ("partita", "kernels")
