import numpy as np

from partita.kernel import kernel
from partita.walks import Lesson, Teaching
from partita.walks.training import not_kept, not_moved


@kernel
def nothing(*_):
    return 0.0


def test_a_teaching_leaves_truth_memory_and_weights_as_they_are_by_default():
    teaching = Teaching(nothing, nothing, Lesson((), ()))
    weights = np.ones(2)
    assert teaching.begin("truth", "state") == "truth"
    assert teaching.equip("memory", weights) == "memory"
    assert teaching.finish("memory", weights) is weights
    assert not teaching.stays
    assert teaching.check("start") is None
    assert not_moved is not not_kept
