"""The hit-miss entity model of record linkage, in Polya-urn form."""

__all__ = ()
