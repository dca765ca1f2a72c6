"""Synthetic records with known truth, from a hundred to tens of millions, generated in batches."""

from partita.synthetic.albums import albums
from partita.synthetic.authors import authors
from partita.synthetic.companies import companies
from partita.synthetic.films import films
from partita.synthetic.people import people
from partita.synthetic.places import places
from partita.synthetic.products import products
from partita.synthetic.settings import Catalogue, Errors, Literature, Population, TextErrors
from partita.synthetic.source import Source

__all__ = [
    "Catalogue",
    "Errors",
    "Literature",
    "Population",
    "Source",
    "TextErrors",
    "albums",
    "authors",
    "companies",
    "films",
    "people",
    "places",
    "products",
]
