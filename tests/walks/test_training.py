import numpy as np

from partita.kernel import kernel
from partita.walks import LearnerState, TrainingSpec
from partita.walks.training import not_kept, not_moved


@kernel
def nothing(*_):
    return 0.0


def test_a_teaching_leaves_truth_memory_and_weights_as_they_are_by_default():
    training_spec = TrainingSpec(nothing, nothing, LearnerState((), ()))
    weights = np.ones(2)
    assert training_spec.begin("truth", "state") == "truth"
    assert training_spec.equip("memory", weights) == "memory"
    assert training_spec.finish("memory", weights) is weights
    assert not training_spec.stays
    assert training_spec.check("start") is None
    assert not_moved is not not_kept
