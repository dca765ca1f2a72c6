import json

import numpy as np
import pytest

from partita.errors import CheckpointError, InputError
from partita.walks.checkpoint import Checkpoint, digest

IDENTITY = {"random_seed": 3, "draws": np.int64(10)}
ROWS = np.arange(6, dtype=np.int32).reshape(2, 3)
ROW = np.dtype((np.int32, 3))
ARRAYS = {"x": np.array([1.5, 2.5]), "y": np.arange(3)}


def saved(folder, rows=ROWS, kept=0, identity=IDENTITY):
    place = Checkpoint(folder, 0, identity)
    place.save({"done": 4}, ARRAYS, rows, kept)
    return place


def test_what_is_saved_comes_back(tmp_path):
    saved(tmp_path / "new" / "folder")
    place = Checkpoint(tmp_path / "new" / "folder", 0, IDENTITY)
    header, arrays = place.load()
    assert header["done"] == 4
    assert header["kept"] == ROWS.nbytes
    assert {name: array.tolist() for name, array in arrays.items()} == {
        "x": [1.5, 2.5],
        "y": [0, 1, 2],
    }
    assert place.rows(header["kept"], ROW).tolist() == ROWS.tolist()


def test_nothing_saved_is_no_error(tmp_path):
    assert Checkpoint(tmp_path, 0, IDENTITY).load() is None


def test_draws_are_appended(tmp_path):
    place = saved(tmp_path)
    kept = place.save({"done": 5}, ARRAYS, ROWS + 10, ROWS.nbytes)
    again = Checkpoint(tmp_path, 0, IDENTITY)
    assert again.load()[0]["kept"] == kept == 2 * ROWS.nbytes
    assert again.rows(kept, ROW)[:, 0].tolist() == [0, 3, 10, 13]


def test_draws_after_the_last_header_do_not_count(tmp_path):
    place = saved(tmp_path)
    with place.draws.open("ab") as file:
        file.write(b"half a dr")
    again = Checkpoint(tmp_path, 0, IDENTITY)
    kept = again.load()[0]["kept"]
    assert again.rows(kept, ROW).tolist() == ROWS.tolist()
    again.save({"done": 6}, ARRAYS, ROWS, kept)
    last = Checkpoint(tmp_path, 0, IDENTITY)
    assert last.rows(last.load()[0]["kept"], ROW).tolist() == [*ROWS.tolist()] * 2


def test_a_kill_while_writing_leaves_the_last_one(tmp_path, monkeypatch):
    place = saved(tmp_path)

    def killed(*arguments, **named):
        raise KeyboardInterrupt

    monkeypatch.setattr(np, "savez", killed)
    with pytest.raises(KeyboardInterrupt):
        place.save({"done": 9}, ARRAYS, ROWS, ROWS.nbytes)
    again = Checkpoint(tmp_path, 0, IDENTITY)
    header, _ = again.load()
    assert header["done"] == 4
    assert again.rows(header["kept"], ROW).tolist() == ROWS.tolist()


def spoiled(path, kind):
    whole = path.read_bytes()
    middle = len(whole) // 2
    flipped = bytes([whole[middle] ^ 0xFF])
    path.write_bytes(
        {
            "empty": b"",
            "text": b"this is no checkpoint",
            "cut": whole[:middle],
            "flipped": whole[:middle] + flipped + whole[middle + 1 :],
        }[kind]
    )


@pytest.mark.parametrize("kind", ["empty", "text", "cut", "flipped"])
def test_a_damaged_file_is_named(tmp_path, kind):
    place = saved(tmp_path)
    spoiled(place.path, kind)
    with pytest.raises(CheckpointError, match=r"chain-0.npz is damaged .*; delete .* start anew"):
        Checkpoint(tmp_path, 0, IDENTITY).load()


def test_an_archive_of_something_else_is_named(tmp_path):
    for arrays in ({"a": ARRAYS["x"]}, {"header": np.array(json.dumps([1]))}):
        np.savez(tmp_path / "chain-0.npz", **arrays)
        with pytest.raises(CheckpointError, match="is damaged"):
            Checkpoint(tmp_path, 0, IDENTITY).load()


def test_pickles_are_never_read(tmp_path):
    np.savez(tmp_path / "chain-0.npz", header=np.array([{"identity": {}}], object))
    with pytest.raises(CheckpointError, match="is damaged"):
        Checkpoint(tmp_path, 0, IDENTITY).load()


@pytest.mark.parametrize(
    ("name", "value"), [("random_seed", 4), ("draws", 11), ("version", 0), ("sweep", "x")]
)
def test_another_run_is_named(tmp_path, name, value):
    saved(tmp_path)
    with pytest.raises(CheckpointError, match=rf"belongs to another run: its {name} is .*{value}"):
        Checkpoint(tmp_path, 0, {**IDENTITY, name: value}).load()


def test_truncated_and_altered_draws_are_named(tmp_path):
    place = saved(tmp_path)
    place.draws.write_bytes(place.draws.read_bytes()[:-1])
    again = Checkpoint(tmp_path, 0, IDENTITY)
    kept = again.load()[0]["kept"]
    with pytest.raises(CheckpointError, match=r"holds 23 bytes where 24 were saved; delete"):
        again.rows(kept, ROW)
    saved(tmp_path)
    spoiled(place.draws, "flipped")
    with pytest.raises(CheckpointError, match=r"chain-0.draws is damaged.*; delete"):
        again.rows(kept, ROW)


def test_folders_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    for wrong in (tmp_path / "file", tmp_path / "file" / "inside", "/proc/nowhere"):
        with pytest.raises(InputError, match=r"the checkpoint folder .* cannot be used"):
            Checkpoint(wrong, 0, IDENTITY)


def test_a_full_disk_leaves_the_last_one(tmp_path, monkeypatch):
    place = saved(tmp_path)

    def full(*arguments, **named):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(np, "savez", full)
        with pytest.raises(CheckpointError, match=r"No space left.*the one before it is intact"):
            place.save({"done": 9}, ARRAYS, ROWS, ROWS.nbytes)
    # the same object may try again
    assert place.save({"done": 9}, ARRAYS, ROWS, ROWS.nbytes) == 2 * ROWS.nbytes
    again = Checkpoint(tmp_path, 0, IDENTITY)
    assert again.rows(again.load()[0]["kept"], ROW).shape == (4, 3)


def test_digests_tell_arrays_apart():
    one = (np.arange(3), (np.ones(2),))
    assert digest(one) == digest((np.arange(3), (np.ones(2),)))
    others = [
        (np.arange(3), (np.zeros(2),)),
        (np.arange(3, dtype=np.int32), (np.ones(2),)),
        (np.arange(3)[:, None], (np.ones(2),)),
        (np.arange(3), np.ones(2)),
    ]
    assert len({digest(one), *map(digest, others)}) == 5
