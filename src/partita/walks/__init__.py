"""Walks: the loop, its schedules, and the shell that runs, saves and resumes chains."""

from partita.walks.chain import Chain, total_score, total_statistics
from partita.walks.greedy import Agglomeration, Merging, greedy_merges
from partita.walks.record import ChainRecord, Run
from partita.walks.run import Settings, run_chains, start_chain
from partita.walks.schedule import cooling
from partita.walks.training import LearnerState, TrainingSpec
from partita.walks.walk import build_engine, compile_chain

__all__ = [
    "Agglomeration",
    "Chain",
    "ChainRecord",
    "LearnerState",
    "Merging",
    "Run",
    "Settings",
    "TrainingSpec",
    "build_engine",
    "compile_chain",
    "cooling",
    "greedy_merges",
    "run_chains",
    "start_chain",
    "total_score",
    "total_statistics",
]
