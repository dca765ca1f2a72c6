"""Labels, constraints and predicates that users supply, and models trained on them."""

__all__ = ()
