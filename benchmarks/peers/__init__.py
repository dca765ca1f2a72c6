"""Quality, time and memory of this library and of its peers, on the same data in one run."""
