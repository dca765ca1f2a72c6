"""The recipe for author mentions: columns, mentions, models, search."""

__all__ = ()
