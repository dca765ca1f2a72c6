"""Reading, cleaning, profiling and writing records; text and SQL end here."""

from partita.records.clean import clean
from partita.records.profile import ColumnProfile, describe, profile
from partita.records.read import read
from partita.records.table import Column, Records
from partita.records.write import check_output, like_input, write

__all__ = [
    "Column",
    "ColumnProfile",
    "Records",
    "check_output",
    "clean",
    "describe",
    "like_input",
    "profile",
    "read",
    "write",
]
