"""Inference over partitions of records: active set, search, sampling, marginals."""

__all__ = ()
