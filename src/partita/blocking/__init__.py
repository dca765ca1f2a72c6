"""Blocking: the candidate pairs to compare."""

__all__ = ()
