"""Knowledge bases: facts, rules and embeddings."""

__all__ = ()
