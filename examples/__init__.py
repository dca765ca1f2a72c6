"""Examples: short programs that run, and skeletons to copy."""
