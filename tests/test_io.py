"""Atomic writes: the old file or the complete new file, and no temporary file left behind."""

import os
import signal
import stat
import subprocess
import sys
import tempfile

import pytest

from partita.errors import InputError
from partita.io import atomic_write, resolve_path, temporary_folder, write_file, write_text


def test_a_file_is_replaced_when_the_block_ends(tmp_path):
    path = tmp_path / "out.toml"
    path.write_text("older")
    path.chmod(0o640)
    with atomic_write(path) as (temporary,):
        temporary.write_text("newer")
        assert temporary.parent == tmp_path and path.read_text() == "older"
    assert path.read_text() == "newer"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert list(tmp_path.iterdir()) == [path]


def test_several_files_are_replaced_together_or_not_at_all(tmp_path):
    paths = [tmp_path / "a.csv", tmp_path / "b.csv"]
    paths[0].write_text("older")
    with pytest.raises(FileNotFoundError), atomic_write(*paths) as (first, _):
        first.write_text("newer")
    assert paths[0].read_text() == "older" and list(tmp_path.iterdir()) == [paths[0]]
    with atomic_write(*paths) as temporary:
        for path in temporary:
            path.write_text("newer")
    assert [path.read_text() for path in paths] == ["newer", "newer"]


def test_a_symbolic_link_stays_a_link(tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    link.symlink_to(target)
    assert write_text(link, "text") == target
    assert link.is_symlink() and target.read_text() == "text"


@pytest.mark.parametrize("error", [OSError(28, "No space left"), ValueError("a bug")])
def test_an_error_leaves_the_old_file(tmp_path, error):
    path = tmp_path / "out.toml"
    path.write_text("older")

    def fail(temporary):
        temporary.write_text("half")
        raise error

    kind = InputError if isinstance(error, OSError) else ValueError
    with pytest.raises(kind, match=str(error.args[-1])):
        write_file(path, fail)
    assert path.read_text() == "older" and list(tmp_path.iterdir()) == [path]


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(InputError, match=r"gone/a.json could not be written .*another folder"):
        write_text(tmp_path / "gone" / "a.json", "{}")


KILLED = """
import os, signal, sys
from partita.io import atomic_write, temporary_folder
with atomic_write(sys.argv[1]) as (temporary,), temporary_folder() as folder:
    temporary.write_text('half')
    (folder / 'half').touch()
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_the_next_writer_removes_the_files_of_killed_writers(tmp_path, monkeypatch):
    path, place = tmp_path / "out.json", tmp_path / "tmp"
    path.write_text("older")
    place.mkdir()
    # every call searches for the folder again
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    ended = subprocess.run(
        [sys.executable, "-c", KILLED, path],
        env={**os.environ, "TMPDIR": str(place)},
        check=False,
        timeout=60,
    )
    assert ended.returncode == -signal.SIGKILL and path.read_text() == "older"
    assert len(list(tmp_path.iterdir())) == 3 and len(list(place.iterdir())) == 1
    others = [tmp_path / ".other.json.12.tmp", tmp_path / ".out.json.of-another-host.tmp"]
    for other in others:
        other.touch()
    with atomic_write(path) as (temporary,), atomic_write(path) as (second,):
        # the files of a running process stay
        temporary.write_text("newer")
        second.write_text("second")
    assert set(tmp_path.iterdir()) == {path, place, *others}
    os.utime(others[1], (1, 1))
    with temporary_folder() as folder:
        write_text(path, "last")
        with temporary_folder():
            assert folder.is_dir()
    assert set(tmp_path.iterdir()) == {path, place, others[0]}
    assert not list(place.iterdir())


def test_links_that_form_a_loop_are_refused(tmp_path):
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(InputError, match="leads to no file; give another path"):
        write_text(tmp_path / "a", "text")
    with pytest.raises(InputError, match="leads to no file"):
        resolve_path(tmp_path / "a" / "c")


def test_file_and_folder_reach_the_disk(tmp_path, monkeypatch):
    synced = []
    fsync = os.fsync
    monkeypatch.setattr(
        os, "fsync", lambda handle: synced.append(os.fstat(handle)) or fsync(handle)
    )
    write_text(tmp_path / "a", "text")
    assert [stat.S_ISDIR(status.st_mode) for status in synced] == [False, True]
    assert synced[0].st_ino == (tmp_path / "a").stat().st_ino
