import csv
import errno
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from partita.errors import InputError
from partita.synthetic import authors, people, source, writing

SUFFIXES = (".csv", ".parquet", ".jsonl")


def read(path):
    """The rows of a file as a reader other than its writer sees them; missing text is None."""
    if path.suffix == ".parquet":
        return pq.read_table(path).to_pylist()
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in path.read_text().splitlines()]
    with path.open(newline="") as file:
        return [
            {name: value or None for name, value in row.items()} for row in csv.DictReader(file)
        ]


@pytest.mark.parametrize("make", [people, authors])
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_files_hold_the_table(make, suffix, tmp_path):
    path = tmp_path / f"rows{suffix}"
    assert make(1500, 1).write(path) == [path]
    expected = make(1500, 1).table().to_pylist()
    if suffix == ".csv":
        expected = [
            {name: None if value is None else str(value) for name, value in row.items()}
            for row in expected
        ]
    assert read(path) == expected
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("make", [people, authors])
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_same_seed_same_bytes(make, suffix, tmp_path):
    places = [tmp_path / f"{name}{suffix}" for name in "abc"]
    for place, seed in zip(places, (1, 1, 2), strict=True):
        make(1000, seed).write(str(place))
    first, again, other = (place.read_bytes() for place in places)
    assert first == again != other


@pytest.mark.parametrize("suffix", [".csv", ".jsonl"])
def test_text_does_not_depend_on_the_batch(suffix, tmp_path, monkeypatch):
    people(1000, 1).write(tmp_path / f"a{suffix}")
    batches = source.Source.batches
    monkeypatch.setattr(source.Source, "batches", lambda self, size=77: batches(self, size))
    people(1000, 1).write(tmp_path / f"b{suffix}")
    assert (tmp_path / f"a{suffix}").read_bytes() == (tmp_path / f"b{suffix}").read_bytes()


def test_marks_are_escaped():
    batch = pa.RecordBatch.from_pydict({"a": ['say "\\"', None, ""], "b": [1, None, -3]})
    result = [json.loads(line) for line in writing.lines(batch).decode().splitlines()]
    assert result == batch.to_pylist()
    assert writing.lines(batch.slice(1, 2)).decode().count("\n") == 2


@pytest.mark.parametrize("name", ["people.txt", "people", "people.CSV", "people.csv.gz"])
def test_unknown_suffixes(name, tmp_path):
    with pytest.raises(InputError, match=r"give a file ending in \.csv, \.parquet, \.jsonl"):
        people(5).write(tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_places_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("x")
    (tmp_path / "folder.csv").mkdir()
    for place, words in (
        (tmp_path / "none" / "p.csv", "there is no folder .*none; create it"),
        (tmp_path / "file" / "p.csv", "there is no folder .*file; create it"),
        (tmp_path / "folder.csv", r"folder\.csv is a folder; give the name of a file"),
        (tmp_path / ("x" * 300 + ".csv"), "could not be written .*; free some room"),
    ):
        with pytest.raises(InputError, match=words):
            people(5).write(place)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_failure_leaves_what_was_there(suffix, tmp_path, monkeypatch):
    place = tmp_path / f"p{suffix}"
    people(50, 1).write(place)
    before = place.read_bytes()
    batches = source.Source.batches

    def full(self):
        yield next(batches(self, 10))
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(source.Source, "batches", full)
    with pytest.raises(InputError, match=r"could not be written \(No space left on device\)"):
        people(50, 2).write(place)
    assert place.read_bytes() == before
    assert list(tmp_path.iterdir()) == [place]


def test_nothing_is_seen_before_all_is_written(tmp_path, monkeypatch):
    place = tmp_path / "p.csv"
    seen = []
    batches = source.Source.answers

    def watched(self):
        seen.append(place.exists())
        yield from batches(self)

    monkeypatch.setattr(source.Source, "answers", watched)
    people(50, 1, truth="file").write(place)
    assert seen == [False]
    assert place.exists()


def test_an_existing_file_is_replaced(tmp_path):
    place = tmp_path / "p.csv"
    place.write_text("old")
    people(50, 1).write(place)
    assert len(read(place)) == 50
