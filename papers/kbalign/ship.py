"""Train the models that `partita coref` ships: `python -m papers.kbalign.ship`.

Antecedents: GUM's training documents, without features of single words; half of the documents have
no types, because a user's mentions may have none. Links: AIDA's training documents without types
and without words of titles, because those of a user differ, once with counts and popularity and
once without, because a user's table may have neither.
"""

from __future__ import annotations

import sys
from pathlib import Path

import partita.knowledge
import partita.text.coreference
from papers.kbalign.bases import aida_base
from papers.kbalign.collapsed import ANTECEDENTS, LINKS
from papers.kbalign.data import load_aida, load_gum
from partita.knowledge.link_model import LinkExamples, LinkModel, fit_link_parts, strip_types
from partita.knowledge.name_table import NameTable
from partita.text.coreference.antecedents import fit_antecedents

__all__ = ["main"]


def fit_shipped_links() -> LinkModel:
    """Fit links to a table with counts and popularity, and to the same table without."""
    documents = strip_types(load_aida("train"))
    full = aida_base(documents)
    bare = NameTable()
    for record, id in enumerate(full.ids):
        bare.add_record(id, full.titles[record])
    for name, meanings in full.meanings.items():
        for record in meanings:
            bare.add_name(name, record)
    parts = [LinkExamples(documents, full), LinkExamples(documents, bare, held_out=False)]
    return fit_link_parts(parts, LINKS, context=False, typed=False, lexical=False).model


def main() -> int:
    """Write both models into the package."""
    documents = load_gum("train")
    documents = [*strip_types(documents[::2]), *documents[1::2]]
    text, base = (
        Path(str(module.__file__)).parent
        for module in (partita.text.coreference, partita.knowledge)
    )
    fit_antecedents(documents, ANTECEDENTS[0], lexical=False).save(text / "english.json")
    fit_shipped_links().save(base / "mention_links.json")
    return 0


if __name__ == "__main__":
    sys.exit(main())
