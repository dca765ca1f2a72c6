"""The effect of labelled pairs on this library and on tools that learn from labels."""
