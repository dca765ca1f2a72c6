"""Extraction beside other tools: addresses without labels, and the speed of one pass."""
