"""Benchmarks of the store: batches, replay, cost of an add, kills and readers."""

__all__ = ()
