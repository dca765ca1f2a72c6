"""Extraction: lines of text into fields, from rules as data and few or no labels."""

__all__ = ()
