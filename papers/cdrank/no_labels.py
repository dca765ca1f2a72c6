"""Citations without labels: the rules of the ready schema `citation` and unlabelled citations."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from papers.samplerank.data import Sentences
from partita.text.extraction import Tokens, compile_rules, load_schema
from partita.text.extraction.trainer import fit_segments

__all__ = ["SCHEMA", "learn_by_rules"]

SCHEMA = "citation"
"""The ready schema; its tagged examples are not used."""


def learn_by_rules(unlabelled: list[list[str]], test: Sentences) -> float:
    """Train on citations without labels; return the token accuracy of the test part in %.

    The rounds and iterations are those of every extraction (`TrainingSettings`): training does not
    stop by an accuracy.
    """
    schema = replace(load_schema(SCHEMA), examples=())
    model = fit_segments(compile_rules(schema, Tokens.from_words(unlabelled)))
    posterior = model.posterior(compile_rules(schema, Tokens.from_words(test.words)))
    truth = [schema.labels.index(label) for row in test.labels for label in row]
    return 100 * float(np.mean(posterior.label == truth))
