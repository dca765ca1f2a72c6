import hmac
import logging
import os
import pickle
import subprocess
import sys

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


class Payload:
    """Creates a file when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)


ENTRY = """
import os, sys
from partita.kernel.numba import cache, store
key = "a" * 64
payload = store.read(key)
if payload is not None:
    cache.unpickle(payload)
"""
OTHER = 65534
posix = pytest.mark.skipif(os.name == "nt", reason="no such permissions on this system")
root = pytest.mark.skipif(
    os.name == "nt" or os.geteuid() != 0, reason="only root can give a file to another user"
)


def give(folder, user):
    """Give a folder and all inside it to a user."""
    for path in (folder, *folder.rglob("*")):
        os.chown(path, user, user)


ARRANGEMENTS = {
    "own": lambda home, place, file: None,
    "folder of another user": lambda home, place, file: give(place, OTHER),
    "group-writable folder": lambda home, place, file: place.chmod(0o770),
    "world-writable folder": lambda home, place, file: place.chmod(0o777),
    "0666 file": lambda home, place, file: file.chmod(0o666),
    "another user's HOME": lambda home, place, file: give(home, OTHER),
    "own folder in another user's HOME": lambda home, place, file: os.chown(home, OTHER, OTHER),
    "0666 key": lambda home, place, file: (place / store.SECRET).chmod(0o666),
    "readable key": lambda home, place, file: (place / store.SECRET).chmod(0o644),
}
NEEDS_ROOT = {name for name in ARRANGEMENTS if "another" in name}


@posix
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[root] * (name in NEEDS_ROOT)) for name in ARRANGEMENTS]
)
def test_the_payload_of_another_user_is_not_run(tmp_path, name):
    home = tmp_path / "home"
    place = home / ".cache" / "partita" / "kernels"
    place.mkdir(parents=True)
    place.chmod(0o700)
    mark = tmp_path / "ran"
    # the forger writes the key as well
    payload, secret, key = pickle.dumps(Payload(mark)), b"k" * store.SECRET_BYTES, "a" * 64
    file = place / f"{key}.kernel"
    file.write_bytes(hmac.digest(secret, key.encode() + payload, "sha256") + payload)
    (place / store.SECRET).write_bytes(secret)
    for path in place.iterdir():
        path.chmod(0o600)
    ARRANGEMENTS[name](home, place, file)
    unset = ("PARTITA_CACHE_DIR", "XDG_CACHE_HOME")
    environment = {key: value for key, value in os.environ.items() if key not in unset}
    ended = subprocess.run(
        [sys.executable, "-c", ENTRY],
        env={**environment, "HOME": str(home)},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    # the first arrangement shows that the payload works
    assert mark.exists() == (name == "own"), ended.stderr
    assert ("PARTITA_CACHE_DIR" in ended.stderr) == (
        name != "own" and "0666" not in name and "key" not in name
    )


@posix
def test_a_forged_file_without_the_key_is_a_miss(place):
    store.write("a" * 64, b"payload")
    file = place / ("a" * 64 + ".kernel")
    file.write_bytes(hmac.digest(b"", b"a" * 64 + b"forged", "sha256") + b"forged")
    assert store.read("a" * 64) is None
    (place / store.SECRET).unlink()
    assert store.read("a" * 64) is None


def test_processes_that_create_the_key_at_the_same_time_share_it(place, monkeypatch):
    read_secret, no_keys = store._read_secret, [b""]

    def read_too_early(path):
        # each writer looks for a key before the other has created one
        return no_keys.pop() if no_keys else read_secret(path)

    monkeypatch.setattr(store, "_read_secret", read_too_early)
    store.write("a" * 64, b"first")
    no_keys.append(b"")
    store.write("b" * 64, b"second")
    assert (store.read("a" * 64), store.read("b" * 64)) == (b"first", b"second")
    assert not list(place.glob(".*"))


@pytest.mark.parametrize("links", [True, False])
def test_an_unusable_key_is_replaced(place, monkeypatch, links):
    if not links:
        # a file system without hard links
        monkeypatch.setattr(os, "link", refuse_links)
    store.write("a" * 64, b"first")
    (place / store.SECRET).write_bytes(b"short")
    assert store.read("a" * 64) is None
    store.write("b" * 64, b"second")
    assert store.read("b" * 64) == b"second"


def refuse_links(source, target):
    raise PermissionError(1, "Operation not permitted")


@posix
def test_files_are_private_whatever_the_umask(place):
    before = os.umask(0)
    try:
        store.write("a" * 64, b"payload")
        (place / ("a" * 64 + ".kernel")).chmod(0o666)
        assert store.read("a" * 64) is None
        store.write("a" * 64, b"payload")
    finally:
        os.umask(before)
    assert store.read("a" * 64) == b"payload"
    assert {path.stat().st_mode & 0o777 for path in place.iterdir()} == {0o600}
    assert place.stat().st_mode & 0o777 == 0o700


@posix
def test_a_folder_that_others_can_write_is_not_used(place, caplog):
    place.mkdir()
    place.chmod(0o777)
    with caplog.at_level(logging.WARNING):
        store.write("a" * 64, b"payload")
        store.write("b" * 64, b"payload")
    assert not list(place.iterdir())
    assert [record.message.count("0777") for record in caplog.records] == [1]


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
    assert left == {f"{k}.kernel" for k in (0, 3, 4, 5, "last")} | {"alive.tmp", store.SECRET}


def test_folder_is_the_users_own_by_default(monkeypatch):
    monkeypatch.delenv("PARTITA_CACHE_DIR", raising=False)
    assert store.cache_folder().parts[-2:] == ("partita", "kernels")
