"""Entities over time: a database of records, entities, corrections and a change log."""

from partita.store.store import Store

__all__ = ["Store"]
