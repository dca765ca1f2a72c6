"""The benchmark of threads: the same partition, and one row for each run."""

import json

import pytest

from benchmarks.threads import main, measure


def test_threads_find_the_same_partition():
    rows = measure(1500, (1, 2), 1, 0)
    assert [row["threads"] for row in rows] == [1, 2]
    assert all(row["same_partition"] for row in rows)
    assert rows[0]["times_sooner"] == 1.0


def test_it_ends_in_one_line_of_json(capsys):
    main(["--mentions", "1500", "--repeats", "1", "--json"])
    told = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert told["mentions"] == 1500
    with pytest.raises(SystemExit, match="error: mentions is 3"):
        main(["--mentions", "3"])
