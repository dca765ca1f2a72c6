"""Facts: speed on generated graphs, and ranks of answers beside PyKEEN."""
