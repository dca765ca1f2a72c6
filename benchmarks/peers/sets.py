"""The labelled data sets of the comparison, and the columns that a tool gets."""

from __future__ import annotations

import csv
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from partita.synthetic import people

__all__ = [
    "DATA",
    "PEOPLE",
    "SETS",
    "SHUFFLE",
    "TRUTH",
    "DataSet",
    "Prepared",
    "prepare",
    "prepare_people",
    "read_texts",
]

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("PARTITA_DATA", ROOT.parent / "shared" / "data"))
TRUTH = "entity"
SHUFFLE = 20_240_601
PEOPLE = "people"
"""The name of generated data: sets of this name need no file."""


@dataclass(frozen=True)
class DataSet:
    """A file of records with known truth."""

    name: str
    drop: tuple[str, ...] = ()
    """Columns that reveal the truth, or part of it; no tool gets them."""
    source: str | None = None
    """The column of the record's source, where records of two clean sources are linked."""

    @property
    def path(self) -> Path:
        """Where the records are."""
        return DATA / self.name / "records.csv"


SETS = {
    data_set.name: data_set
    for data_set in (
        DataSet("historical_50k"),
        DataSet("febrl3"),
        DataSet("RLdata10000"),
        # the key of the reference, and the whole reference once more
        DataSet("cora_hpi_1879", drop=("label_raw", "text")),
        # entities never cross splits
        DataSet("musicbrainz_entity_embed", drop=("split",)),
        DataSet("dblp_acm", drop=("orig_id",), source="source"),
        DataSet("fake_1000"),
    )
}


@dataclass(frozen=True)
class Prepared:
    """A file that tools read, and the truth of its records, which they do not."""

    name: str
    path: Path
    truth: pa.Array
    source: str | None = None

    @property
    def records(self) -> int:
        """Number of records."""
        return len(self.truth)


def prepare(data: DataSet, folder: Path) -> Prepared:
    """Write the file for the tools: without truth, in random order, with numbers for ids.

    Ids and the order of rows reveal the truth of several sets (`rec-7-org` and `rec-7-dup-0` are
    one person, and a person's records are adjacent), so records are shuffled and renumbered.
    """
    table = read_texts(data.path)
    table = table.take(np.random.default_rng(SHUFFLE).permutation(table.num_rows))
    hidden = [name for name in table.column_names if name.endswith(TRUTH)]
    visible = table.drop_columns(["id", *hidden, *data.drop])
    visible = visible.add_column(0, "id", pa.array(np.arange(table.num_rows)))
    path = folder / f"{data.name}.parquet"
    pq.write_table(visible, path)
    return Prepared(data.name, path, table.column(TRUTH).combine_chunks(), data.source)


def read_texts(path: Path) -> pa.Table:
    """Read a CSV file with every value as the text it is; an empty value is null."""
    with path.open(newline="", encoding="utf-8") as file:
        names = next(csv.reader(file))
    return pa_csv.read_csv(
        path,
        parse_options=pa_csv.ParseOptions(newlines_in_values=True),
        convert_options=pa_csv.ConvertOptions(
            strings_can_be_null=True,
            null_values=[""],
            column_types=dict.fromkeys(names, pa.string()),
        ),
    )


def prepare_people(n: int, seed: int, folder: Path, linked: bool = False) -> Prepared:
    """Write `n` generated records of people; they come in random order.

    With `linked` every other record is of another source.
    """
    paths = people(n, seed, truth=None)
    path = folder / f"{PEOPLE}-{n}{'-linked' if linked else ''}.parquet"
    if linked:
        sources = pa.array(["one", "two"]).take(pa.array(np.arange(n) % 2))
        pq.write_table(paths.table().append_column("source", sources), path)
    else:
        paths.write(path)
    truth = paths.truths().column(TRUTH).combine_chunks()
    return Prepared(PEOPLE, path, truth, "source" if linked else None)
