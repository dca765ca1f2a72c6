"""Comparison: how alike two values of a column are, as levels."""

__all__ = ()
