"""Proposals that move, merge and collapse entity trees."""

__all__ = ()
