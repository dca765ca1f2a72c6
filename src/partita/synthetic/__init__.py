"""Synthetic records with known truth, from a hundred to tens of millions, generated in batches."""

from partita.synthetic.authors import authors
from partita.synthetic.people import people
from partita.synthetic.settings import Errors, Literature, Population
from partita.synthetic.source import Source

__all__ = ["Errors", "Literature", "Population", "Source", "authors", "people"]
