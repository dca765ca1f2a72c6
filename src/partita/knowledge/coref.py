"""`coref`: entities of given mentions in documents, with links to a knowledge base."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from partita.errors import InputError
from partita.knowledge.base_files import read_name_table
from partita.knowledge.coref_result import Coreference
from partita.knowledge.joint_coreference import build_problem, infer_entities
from partita.knowledge.link_model import LinkModel
from partita.progress import Clock
from partita.text.coreference import read as readers
from partita.text.coreference.antecedents import AntecedentModel, encode_corpus
from partita.text.coreference.read import read_documents

__all__ = ["coref"]

ENGLISH = Path(str(readers.__file__)).parent / "english.json"
"""Weights of antecedents. Origin: GUM's training documents (papers/kbalign/ship.py)."""
LINKS = Path(__file__).parent / "mention_links.json"
"""Weights of links. Origin: AIDA-CoNLL's training documents (papers/kbalign/ship.py)."""


def coref(
    data: Any,
    *,
    to: Any = None,
    to_id: str | None = None,
    name: str | None = None,
    aliases: Any = None,
    model: str | Path | AntecedentModel | None = None,
    draws: int | None = None,
    threads: int | None = None,
    seed: int = 0,
    progress: bool = False,
) -> Coreference:
    """Find the entities of given mentions, and their records in a knowledge base.

    Parameters
    ----------
    data
        Documents with mentions: paths of JSON, JSON lines, CoNLL-U or BRAT files, dictionaries
        with `text` and `mentions`, or documents of `partita.text.coreference`.
    to
        A knowledge base: a table with ids and names, any input of `partita.read`.
    to_id, name
        The columns of ids and of names of the knowledge base.
    aliases
        A table of further names: `alias_of` names the record.
    model
        An antecedent model or its file; by default the shipped model of English.
    draws, threads, seed, progress
        Draws of a chain, threads, the seed of random numbers, and progress bars.

    Examples
    --------
    >>> text = "Ann Lee spoke. Lee left."
    >>> mentions = [{"start": 0, "end": 7}, {"start": 15, "end": 18}]
    >>> result = coref({"text": text, "mentions": mentions}, draws=20)
    >>> [row["entity"] for row in result.table().to_pylist()]
    ['document 1:1', 'document 1:1']
    """
    if to is None and (aliases is not None or name is not None or to_id is not None):
        raise InputError("there is no knowledge base for these options; name it (--to, or to=)")
    if draws is not None and draws < 1:
        raise InputError(f"draws is {draws}; give a number of at least 1")
    clock = Clock(progress)
    with clock.stage("read", "reading documents"):
        documents = read_documents(data)
        table = None
        if to is not None:
            table = read_name_table(to, to_id=to_id, name=name, aliases=aliases)
    with clock.stage("score", "scoring antecedents and links"):
        antecedents = (
            model if isinstance(model, AntecedentModel) else AntecedentModel.load(_path(model))
        )
        corpus = encode_corpus(documents, antecedents.lexical)
        links = None if table is None else LinkModel.load(LINKS)
        problem = build_problem(corpus, antecedents, table, links)
    with clock.stage("sample"):
        inference = infer_entities(
            problem, draws=draws, cores=threads, seed=seed, progress=progress
        )
    return Coreference(documents, problem, inference, table, seed, clock.seconds)


def _path(model: str | Path | None) -> Path:
    return ENGLISH if model is None else Path(model)
