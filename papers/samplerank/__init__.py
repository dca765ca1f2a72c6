"""SampleRank: Training Factor Graphs with Atomic Gradients (Wick and others 2011)."""
