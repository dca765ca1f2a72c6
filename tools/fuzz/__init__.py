"""Fuzzing: seeded files of every format that Partita reads, and a check of each outcome."""

__all__ = ()
