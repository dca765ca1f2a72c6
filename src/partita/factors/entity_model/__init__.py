"""The hit-miss entity model of record linkage."""

__all__ = ()
