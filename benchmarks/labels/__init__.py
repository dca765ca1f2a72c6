"""What a number of labelled pairs is worth to this library and to tools that learn from labels."""
