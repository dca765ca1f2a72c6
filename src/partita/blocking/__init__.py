"""Blocking: the candidate pairs that are worth comparing."""

__all__ = ()
