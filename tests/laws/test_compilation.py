"""A walk compiles once, and a second process loads it from disk."""

import json
import os
import subprocess
import sys

import pytest

from tests.laws.registry import all_cases

pytestmark = pytest.mark.compiled

PROGRAM = """
import json
from tests.laws.registry import all_cases, compiled_once
from partita.estimators import exact
found = {}
for case in all_cases():
    if case.name in NAMES:
        case.chain().run(10)
        walk = compiled_once(case.subject.model, case.proposal, exact()).walk
        found[case.name] = sum(walk.stats.cache_hits.values())
print(json.dumps(found))
"""

NAMES = ["labels/flip", "table/pair_move"]


def test_a_walk_has_one_specialisation_however_often_it_is_called():
    case = next(case for case in all_cases() if case.name == "table/pair_move")
    chain = case.chain()
    for steps in (1, 5, 100):
        chain.run(steps, temperature=1.0 / steps)
    other = case.chain(seed=4)
    other.run(3)
    assert len(chain.compiled.walk.signatures) == 1


def test_a_second_process_loads_the_walk_from_disk(tmp_path):
    def run():
        environment = {**os.environ, "PARTITA_CACHE_DIR": str(tmp_path)}
        program = PROGRAM.replace("NAMES", repr(NAMES))
        done = subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            env=environment,
            check=True,
        )
        return json.loads(done.stdout)

    assert run() == dict.fromkeys(NAMES, 0)
    assert run() == dict.fromkeys(NAMES, 1)
