"""Laws of identity: seeds, the order of rows and columns, and headers."""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa

from benchmarks.laws.law import Law
from benchmarks.laws.tables import Presented, list_columns, split_files

__all__ = ["IDENTITY", "present_plain"]

GROUP = "identity"
OTHER_SEEDS = 1_000
"""Seeds that the law of seeds draws from."""
SYNONYMS = {
    **{"first": "given", "given": "first", "surname": "last_name", "last": "family"},
    **{"name": "label", "title": "heading", "text": "content", "author": "writer"},
    **{"authors": "writers", "city": "town", "suburb": "district", "street": "road"},
    **{"address": "location", "postcode": "zip", "zip": "postcode", "phone": "telephone"},
    **{"email": "mail", "dob": "birthday", "birth": "born", "date": "day", "year": "yr"},
    **{"price": "cost", "description": "details", "brand": "make", "model": "article"},
    **{"manufacturer": "maker", "venue": "outlet", "artist": "performer", "album": "record"},
    **{"website": "homepage", "country": "nation", "category": "group", "genre": "style"},
}
GERMAN = {
    **{"first": "vor", "given": "ruf", "surname": "nachname", "last": "nach", "name": "name"},
    **{"title": "titel", "text": "inhalt", "author": "autor", "authors": "autoren"},
    **{"city": "ort", "suburb": "ortsteil", "street": "strasse", "address": "anschrift"},
    **{"postcode": "plz", "zip": "plz", "phone": "telefon", "email": "epost", "dob": "geb"},
    **{"birth": "geburt", "date": "datum", "year": "jahr", "month": "monat", "price": "preis"},
    **{"description": "beschreibung", "brand": "marke", "model": "modell", "sex": "geschlecht"},
    **{"gender": "geschlecht", "manufacturer": "hersteller", "venue": "zeitschrift"},
    **{"artist": "interpret", "album": "platte", "website": "webseite", "country": "land"},
    **{"category": "kategorie", "genre": "gattung", "occupation": "beruf", "amount": "betrag"},
    **{"number": "nummer", "place": "ort", "language": "sprache", "pages": "seiten"},
    **{"publisher": "verlag", "editor": "herausgeber", "volume": "band", "type": "art"},
}
"""Words of headers; a word that is in no list stays as it is."""


def present_plain(table: pa.Table, rng: np.random.Generator) -> Presented:
    """The records as they are, one file each."""
    return Presented(split_files(table))


def _change_seed(table: pa.Table, rng: np.random.Generator) -> Presented:
    return Presented(split_files(table), {"seed": 1 + int(rng.integers(OTHER_SEEDS))})


def _shuffle_rows(table: pa.Table, rng: np.random.Generator) -> Presented:
    return Presented(split_files(table.take(pa.array(rng.permutation(table.num_rows)))))


def _shuffle_columns(table: pa.Table, rng: np.random.Generator) -> Presented:
    order = rng.permutation(table.num_columns).tolist()
    return Presented(split_files(table.select([table.column_names[k] for k in order])))


def _number_headers(table: pa.Table, rng: np.random.Generator) -> Presented:
    names = {name: f"c{number}" for number, name in enumerate(list_columns(table))}
    return _rename(table, names)


def _use_synonyms(table: pa.Table, rng: np.random.Generator) -> Presented:
    return _rename(table, {name: _translate(name, SYNONYMS) for name in list_columns(table)})


def _use_german(table: pa.Table, rng: np.random.Generator) -> Presented:
    return _rename(table, {name: _translate(name, GERMAN) for name in list_columns(table)})


def _translate(header: str, words: dict[str, str]) -> str:
    """Translate each word of a header that is in the list."""
    return re.sub(r"[A-Za-z]+", lambda word: words.get(word[0].lower(), word[0]), header)


def _rename(table: pa.Table, names: dict[str, str]) -> Presented:
    """Rename columns of values; a header that another column has gets a number."""
    present = {name.lower() for name in table.column_names if name not in names}
    headers = []
    for name in table.column_names:
        header = names.get(name, name)
        if name in names:
            choices = (header, *(f"{header}_{number}" for number in range(2, 100)))
            header = next(choice for choice in choices if choice.lower() not in present)
            present.add(header.lower())
        headers.append(header)
    return Presented(split_files(table.rename_columns(headers)))


IDENTITY = (
    Law("seed", GROUP, _change_seed, (0.99, 0.97)),
    Law("row order", GROUP, _shuffle_rows, (1.0, 1.0)),
    Law("column order", GROUP, _shuffle_columns, (1.0, 1.0)),
    Law("headers c0 to cn", GROUP, _number_headers, (0.99, 0.96)),
    Law("headers renamed", GROUP, _use_synonyms, (0.99, 0.96)),
    Law("headers translated", GROUP, _use_german, (0.99, 0.96), for_training=False),
)
