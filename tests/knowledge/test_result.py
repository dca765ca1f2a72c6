"""The table of links, its files and its summary."""

import csv

import pytest

import partita

NAMES = ["Germany", "France", "Italy", "Spain", "Poland", "Norway", "Greece", "Hungary"]
MASTER = [{"id": f"R{k}", "name": name} for k, name in enumerate(NAMES)]
ROWS = [{"name": name} for name in [*NAMES, "Atlantis"]]


@pytest.fixture(scope="module")
def result():
    return partita.link(ROWS, to=MASTER)


def test_rows_keep_their_order_and_nil_has_no_link(result):
    table = result.table()
    assert [row["name"] for row in table] == [*NAMES, "Atlantis"]
    assert [row["link"] for row in table] == [*(f"R{k}" for k in range(len(NAMES))), None]
    assert table[-1]["p_link"] is None
    assert table[-1]["p_nil"] > 0.5


def test_files_hold_every_row_and_every_candidate(result, tmp_path):
    result.write(tmp_path / "links.csv")
    with (tmp_path / "links.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["link"] for row in rows] == [row["link"] or "" for row in result.table()]
    result.write_candidates(tmp_path / "candidates.csv")
    assert (tmp_path / "candidates.csv").read_text().startswith("unique_id,link,p_link")
    assert len(result.all_candidates()) >= len(NAMES)


def test_the_summary_counts_links(result):
    summary = result.summary()
    assert summary["linked"] == summary["records_linked"] == len(NAMES)
    assert summary["rows"] == 9
    assert "8 of 9 rows linked" in repr(result)
