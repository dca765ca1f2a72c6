"""Learning inside the walk: learners, and the objectives that rank states."""

from partita.learning.baselines import contrastive_divergence, persistent_cd, samplerank_svm, svm_1
from partita.learning.cluster_objectives import b_cubed_f1, pair_f1
from partita.learning.constraints import semi_supervised
from partita.learning.files import load_weights, save_weights
from partita.learning.learner import Learner, build_training_spec
from partita.learning.objectives import Objective, hamming, own_objective, pair_accuracy
from partita.learning.piecewise import Pieces, piecewise, sample_pieces
from partita.learning.samplerank import mira, perceptron
from partita.learning.train import Instance, Trained, train

__all__ = [
    "Instance",
    "Learner",
    "Objective",
    "Pieces",
    "Trained",
    "b_cubed_f1",
    "build_training_spec",
    "contrastive_divergence",
    "hamming",
    "load_weights",
    "mira",
    "own_objective",
    "pair_accuracy",
    "pair_f1",
    "perceptron",
    "persistent_cd",
    "piecewise",
    "sample_pieces",
    "samplerank_svm",
    "save_weights",
    "semi_supervised",
    "svm_1",
    "train",
]
