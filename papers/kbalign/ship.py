"""Train the models that `partita coref` ships: `python -m papers.kbalign.ship`.

Antecedents: GUM's training documents, without features of single words; half of the documents have
no types, because a user's mentions may have none. Links: AIDA's training documents without types,
once with counts and popularity and once without, because a user's table may have neither.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import partita.knowledge
import partita.text.coreference
from papers.kbalign.bases import aida_base
from papers.kbalign.collapsed import ANTECEDENTS, LINKS
from papers.kbalign.data import load_aida, load_gum
from partita.knowledge.mention_links import SIZE, LinkModel, list_options, mark_right, strip_types
from partita.knowledge.name_table import NameTable
from partita.learning.choice_model import Choices, fit_choices
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
    parts = [
        list_options(documents, table, context=False, held_out=table is full)
        for table in (full, bare)
    ]
    right = [mark_right(documents, full, options) for options in parts]
    starts = [parts[0].start, parts[1].start[1:] + parts[0].start[-1]]
    choices = Choices(
        np.concatenate([options.features for options in parts]),
        np.concatenate(starts),
        np.concatenate(right),
    )
    return LinkModel(fit_choices(choices, SIZE, LINKS), context=False, typed=False)


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
