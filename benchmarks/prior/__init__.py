"""Training of the pretrained prior, and its evaluation with one domain left out at a time."""

__all__ = ()
