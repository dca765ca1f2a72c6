"""Metrics of partitions and of probabilities, each defined once, on arrays."""

from partita.metrics.calibration import Calibration, Reliability, calibration
from partita.metrics.ceaf import ceaf_e, ceaf_m
from partita.metrics.codes import labels_to_codes
from partita.metrics.estimation import Estimate, Interval, Intervals, estimate
from partita.metrics.evaluation import Evaluation, evaluate
from partita.metrics.fields import FieldScores, score_fields, tree_credit
from partita.metrics.ranking import (
    Ranking,
    average_precision,
    mean_average_precision,
    rank_answers,
)
from partita.metrics.scores import (
    Score,
    adjusted_rand,
    bcubed,
    bcubed_by_record,
    exact_clusters,
    muc,
    pairwise,
)
from partita.metrics.table import Table, contingency

__all__ = [
    "Calibration",
    "Estimate",
    "Evaluation",
    "FieldScores",
    "Interval",
    "Intervals",
    "Ranking",
    "Reliability",
    "Score",
    "Table",
    "adjusted_rand",
    "average_precision",
    "bcubed",
    "bcubed_by_record",
    "calibration",
    "ceaf_e",
    "ceaf_m",
    "contingency",
    "estimate",
    "evaluate",
    "exact_clusters",
    "labels_to_codes",
    "mean_average_precision",
    "muc",
    "pairwise",
    "rank_answers",
    "score_fields",
    "tree_credit",
]
