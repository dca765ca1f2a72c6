"""Walks: the loop, its schedules, and the shell that runs, saves and resumes chains."""

from partita.walks.chain import Chain, total_score, total_statistics
from partita.walks.record import ChainRecord, Run
from partita.walks.run import Settings, run_chains
from partita.walks.schedule import cooling
from partita.walks.teaching import Lesson, Teaching
from partita.walks.walk import build_engine, compile_chain

__all__ = [
    "Chain",
    "ChainRecord",
    "Lesson",
    "Run",
    "Settings",
    "Teaching",
    "build_engine",
    "compile_chain",
    "cooling",
    "run_chains",
    "total_score",
    "total_statistics",
]
