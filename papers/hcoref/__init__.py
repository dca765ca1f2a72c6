"""HCOREF: a discriminative hierarchical model for fast coreference (Wick, Singh, McCallum 2012)."""
