"""Laws of resolution: the same records, presented another way, give the same entities."""

__all__ = ()
