"""Cost of resolving generated records, against a committed record."""
