"""Trees read from a file are checked, since the kernel checks no bounds."""

import pytest

from partita.linkage.readings.trees import trees_from_dict


@pytest.mark.parametrize(
    ("name", "value"), [("left", 0), ("right", 99), ("missing", -1), ("feature", -2), ("start", 9)]
)
def test_nodes_outside_the_trees_are_refused(name, value):
    stored = {
        **{"start": [0], "feature": [0, -1, -1], "threshold": [0.5, -1.0, 1.0], "base": 0.0},
        **{"left": [1, 0, 0], "right": [2, 0, 0], "missing": [1, 0, 0]},
    }
    assert trees_from_dict(stored).start.size == 1
    with pytest.raises(ValueError, match="tree"):
        trees_from_dict({**stored, name: [value, *stored[name][1:]]})
