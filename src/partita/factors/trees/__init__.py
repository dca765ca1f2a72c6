"""Factors of entity trees."""

__all__ = ()
