"""Predicates over whole entities, from histograms kept per entity."""

__all__ = ()
