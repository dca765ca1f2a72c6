"""Forests of entity trees: the state, its moves and its space."""

__all__ = ()
