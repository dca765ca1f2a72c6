"""Extraction: lines of text into fields, from rules as data and few or no labels."""

from partita.text.extraction.constraints import build_constraints, reward_labels
from partita.text.extraction.rule import Rule
from partita.text.extraction.rules import Firings, Rules, compile_rules
from partita.text.extraction.schema import Schema, load_schema
from partita.text.extraction.tokens import Tokens, tokenise

__all__ = [
    "Firings",
    "Rule",
    "Rules",
    "Schema",
    "Tokens",
    "build_constraints",
    "compile_rules",
    "load_schema",
    "reward_labels",
    "tokenise",
]
