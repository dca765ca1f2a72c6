"""A folder of tiny data sets in the layout that PARTITA_DATA names."""

from pathlib import Path

import pyarrow.csv as csv

from partita.synthetic import people
from tests.papers.tiny_data import write_citations, write_documents, write_labels, write_papers

RECORDS = 160


def write_people(place: Path, name: str):
    """Generated people as a labelled set of records with ids."""
    (place / name).mkdir()
    table = people(RECORDS, seed=2).table()
    names = ["id" if column == "unique_id" else column for column in table.column_names]
    csv.write_csv(table.rename_columns(names), place / name / "records.csv")


def write_texts(place: Path):
    """A set of one column of text."""
    folder = place / "games"
    folder.mkdir()
    names = ("blue marble", "chess of the north", "river raid", "stone castle", "star trader")
    rows = ["id,text,entity"]
    for k in range(60):
        rows.append(f"{k},{names[k % 5]} {k // 15}{' deluxe' if k % 2 else ''},{k % 5}-{k // 15}")
    (folder / "records.csv").write_text("\n".join(rows) + "\n")


def write_references(place: Path):
    """Citations of three papers, as tokens with labels."""
    folder = place / "rexa1k"
    folder.mkdir()
    blocks = []
    for paper in range(3):
        for last in ("", "pp. 1-9."):
            text = (
                f"A. Lee{paper} . Sampling part {paper} . Journal of Entities . 199{paper} {last}"
            )
            tokens = text.split()
            blocks.append(f"{paper}\n" + "\t".join(tokens) + "\n" + "\t".join("O" for _ in tokens))
    (folder / "citations.txt").write_text("\n\n".join(blocks))


def write_all(place: Path):
    """Write every tiny set."""
    for write in (write_citations, write_documents, write_labels, write_papers):
        write(place)
    write_people(place, "fake_1000")
    write_texts(place)
    write_references(place)
