"""Fuzzing: seeded files of every format that Partita reads, and a judge of what commands do."""

__all__ = ()
