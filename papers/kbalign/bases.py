"""Knowledge bases of the stand-ins: names of records from tables and from training documents."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence

from papers.kbalign.data import read_articles
from papers.samplerank.data import folder
from partita.knowledge.name_table import NameTable, count_names, count_types
from partita.text.coreference.documents import Document

__all__ = ["aida_base", "gum_base"]


def _add_pershina(table: NameTable) -> None:
    """Add the candidate table of Pershina et al. 2015: surfaces of AIDA and Wikipedia articles."""
    records = {
        id: table.add_record(row["title"], row["name"], row["type"], float(row["inCount"] or 0))
        for id, row in read_articles().items()
    }
    path = folder("aida_conll", "pprforned_alias_candidates.tsv")
    for line in path.read_text(encoding="utf-8").splitlines():
        surface, id = line.split("\t")
        if id in records:
            table.add_name(surface, records[id])


def _add_countries(table: NameTable) -> None:
    """Add names of countries in many languages and of their subdivisions."""
    titles = {}
    file = folder("country_aliases", "iso3166-1.json")
    for item in json.loads(file.read_text(encoding="utf-8"))["3166-1"]:
        titles[item["alpha_2"]] = item.get("common_name", item["name"]).replace(" ", "_")
    path = folder("country_aliases", "countrynames.tsv")
    for line in path.read_text(encoding="utf-8").splitlines()[1:]:
        code, name = line.split("\t")[:2]
        if code in titles:
            record = table.add_record(titles[code], titles[code].replace("_", " "), "GPE")
            table.add_name(name, record)


def add_annotations(table: NameTable, documents: Sequence[Document]) -> None:
    """Add the annotated names of training documents with their counts, and their types."""
    for (name, id), count in count_names(documents).items():
        record = table.add_record(id, id.replace("_", " "))
        table.add_name(name, record, count, listed=False)
    for id, types in count_types(documents).items():
        table.type_counts.setdefault(id, Counter()).update(types)


def aida_base(train: Sequence[Document]) -> NameTable:
    """Pershina's candidates with in-links, and counts of names in AIDA's training documents."""
    table = NameTable()
    _add_pershina(table)
    add_annotations(table, train)
    return table


def gum_base(train: Sequence[Document], aida_train: Sequence[Document]) -> NameTable:
    """Names in GUM's training documents, AIDA's base, and names of countries."""
    table = aida_base(aida_train)
    _add_countries(table)
    add_annotations(table, train)
    return table
