"""The pairwise model: match weights of comparison levels (Fellegi and Sunter)."""

__all__ = ()
