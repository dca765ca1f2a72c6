"""Atomic writes: the old file or the complete new file, and no temporary file left behind."""

import signal
import stat
import subprocess
import sys

import pytest

from partita.errors import InputError
from partita.io import atomic_write, remove_temporary, write_file, write_text


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


def test_a_killed_writer_leaves_the_old_file(tmp_path):
    path = tmp_path / "out.json"
    path.write_text("older")
    program = (
        "import os, signal, sys\n"
        "from partita.io import atomic_write\n"
        "with atomic_write(sys.argv[1]) as (temporary,):\n"
        "    temporary.write_text('half')\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    ended = subprocess.run([sys.executable, "-c", program, path], check=False, timeout=60)
    assert ended.returncode == -signal.SIGKILL and path.read_text() == "older"
    assert len(list(tmp_path.iterdir())) == 2
    (tmp_path / ".other.json.12.tmp").touch()
    remove_temporary(path)
    assert {file.name for file in tmp_path.iterdir()} == {"out.json", ".other.json.12.tmp"}
