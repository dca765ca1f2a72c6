import numpy as np
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest

from partita.errors import InputError
from partita.synthetic import authors, people, places

MAKERS = {people: ("unique_id", "entity"), authors: ("mention_id", "author")}


@pytest.mark.parametrize("make", MAKERS)
def test_truth_is_where_it_is_wanted(make):
    number, truth = MAKERS[make]
    column = make(200, 1).table()
    for place in ("file", None):
        source = make(200, 1, truth=place)
        assert source.table().column_names == column.column_names[:-1]
        assert source.truths().column_names == [number, truth]
        assert source.truths()[truth].equals(column[truth])
        assert source.table().equals(column.drop_columns(truth))


@pytest.mark.parametrize("make", MAKERS)
def test_truth_in_a_file_of_its_own(make, tmp_path):
    source = make(200, 1, truth="file")
    places = source.write(tmp_path / "rows.csv")
    assert places == [tmp_path / "rows.csv", tmp_path / "rows.truth.csv"]
    assert sorted(tmp_path.iterdir()) == sorted(places)
    assert pa_csv.read_csv(places[1]).equals(source.truths())
    assert pa_csv.read_csv(places[0]).column_names == source.table().column_names
    make(200, 1, truth=None).write(tmp_path / "none.csv")
    assert not (tmp_path / "none.truth.csv").exists()


def test_answers_come_in_batches():
    source = people(1000, 1)
    parts = list(source.answers(300))
    assert [part.num_rows for part in parts] == [300, 300, 300, 100]
    answers = np.concatenate([part["entity"].to_numpy() for part in parts])
    assert np.array_equal(answers, source.table()["entity"].to_numpy())


def test_a_source_can_be_read_twice(tmp_path):
    source = people(500, 2)
    source.write(tmp_path / "a.parquet")
    source.write(tmp_path / "b.parquet")
    assert pq.read_table(tmp_path / "a.parquet").equals(pq.read_table(tmp_path / "b.parquet"))


@pytest.mark.parametrize("size", [0, -1, 2.5])
def test_bad_batch_sizes(size):
    for read in (people(5).batches, people(5).answers):
        with pytest.raises(InputError, match=f"the batch size is {size}; give a whole number"):
            next(read(size))


def test_several_sources_go_to_several_files(tmp_path):
    source = places(300, 1, sources=3, truth="file")
    files = source.write(tmp_path / "rows.csv")
    names = ["rows.a.csv", "rows.b.csv", "rows.c.csv", "rows.truth.csv"]
    assert [file.name for file in files] == names
    tables = [pa_csv.read_csv(file) for file in files]
    assert sum(table.num_rows for table in tables[:3]) == 300
    assert tables[3].equals(source.truths())
    ids = [number for table in tables[:3] for number in table["unique_id"].to_pylist()]
    assert sorted(ids) == list(range(300))
