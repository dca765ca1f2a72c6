"""Learning inside the walk: learners, and the objectives that tell them what is better."""

from partita.learning.objectives import Objective, hamming, pair_accuracy
from partita.learning.samplerank import Learner, mira, perceptron, teach

__all__ = ["Learner", "Objective", "hamming", "mira", "pair_accuracy", "perceptron", "teach"]
