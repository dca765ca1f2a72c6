"""Readings of a file: match scores by EM, by cross-fitting and by a pretrained prior."""

__all__ = ()
