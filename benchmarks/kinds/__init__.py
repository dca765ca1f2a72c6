"""Kinds of files."""

__all__ = ()
