"""Experiments of the papers that Partita implements, run on Partita's engine."""
