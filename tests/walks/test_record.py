import math

import numpy as np

from partita.walks import ChainRecord, Run


def run_of(*tallies):
    chains = [ChainRecord(tally=np.array(tally)) for tally in tallies]
    return Run(chains, "posterior", 0, ("a", "b"), "exact", True, "a + b", None, True)


def test_traces_grow_by_name():
    record = ChainRecord()
    record.note({"x": 1.0})
    record.note({"x": 2.0})
    assert record.traces == {"x": [1.0, 2.0]}
    assert ChainRecord().traces == {}


def test_acceptance_is_pooled_over_chains():
    found = run_of([[10, 5], [0, 0]], [[30, 3], [0, 0]]).acceptance()
    assert found["a"] == 8 / 40
    assert math.isnan(found["b"])
