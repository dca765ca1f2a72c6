"""Records with known truth, from a hundred to tens of millions, made in batches from a seed."""

from partita.synthetic.authors import authors
from partita.synthetic.people import people
from partita.synthetic.settings import Errors, Literature, Population
from partita.synthetic.source import Source

__all__ = ["Errors", "Literature", "Population", "Source", "authors", "people"]
