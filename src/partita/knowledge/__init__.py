"""Knowledge bases: links to a reference, facts, rules and embeddings."""

__all__ = ()
