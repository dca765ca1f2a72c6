"""CDRANK: constraint-driven SampleRank on citations."""
