"""Smart-dumb and dumb-smart split-merge proposals."""

__all__ = ()
