"""Experiments of LOGIC: embeddings that obey rules."""
