"""The search over shards on a Ray cluster."""

__all__ = ()
