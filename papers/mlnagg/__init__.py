"""MLNAGG: predicates over whole entities against predicates over pairs."""
