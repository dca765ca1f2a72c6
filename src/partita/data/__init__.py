"""Reading, cleaning, profiling and writing records; text and SQL end here."""

from partita.data.clean import clean
from partita.data.profile import ColumnProfile, profile
from partita.data.read import read
from partita.data.table import Column, Records
from partita.data.write import check_output, extend_input, write

__all__ = [
    "Column",
    "ColumnProfile",
    "Records",
    "check_output",
    "clean",
    "extend_input",
    "profile",
    "read",
    "write",
]
