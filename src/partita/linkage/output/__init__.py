"""Results for people: explanations and golden records."""

__all__ = ()
