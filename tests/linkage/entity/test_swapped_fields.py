"""Names that may stand in each other's place, drawn along with the partition."""

import numpy as np
import pytest

from partita.linkage.entity.model import entity_fields
from partita.linkage.entity.swapped_fields import MIN_MIRRORED_PAIRS, build_swaps
from partita.linkage.resolve import compare_records, read_settings, resolve
from partita.metrics import pairwise
from partita.progress import Clock
from partita.states import Partition

pytestmark = pytest.mark.compiled


USED = {"given_name": "given name", "surname": "surname", "born": "date", "phone": "phone"}
CONFIG = {
    "columns": {name: {"type": kind, "role": "compare"} for name, kind in USED.items()},
    # the two records of a person differ in this column, so that they are not identical
    "compare": ["town"],
}


def records(turned):
    """People whose names are their own, each twice; some of the second records are turned."""
    rows = []
    for k in range(40):
        one = {
            "given_name": f"Given{k:02}a",
            "surname": f"Family{k:02}o",
            "born": f"19{k + 10}-0{1 + k % 9}-1{k % 9}",
            "phone": f"0{7919 * (k + 13) % 99991:05}{k:02}",
        }
        two = one | {"town": "Bath"}
        if k < turned:
            other = {"given_name": one["surname"], "surname": one["given_name"]}
            two = one | other | {"town": "Ely"}
        rows += [one | {"town": "Ely"}, two]
    return rows


def found_in(rows):
    asked, _ = read_settings(CONFIG, {"seed": 1})
    ready = compare_records(rows, asked, None, None, Clock(False))
    columns, scored = ready.prepared.compared, ready.scored
    start, all_rows = Partition.singletons(scored.n), np.arange(scored.n)
    fields = entity_fields(
        columns, scored.pairs, scored.scores.levels, scored.model, start, all_rows
    )
    swaps = build_swaps(fields, columns, ready.prepared.swapped, scored, start, all_rows)
    return fields, swaps, ready.prepared.numbering


def test_mirrored_pairs_show_that_names_are_exchanged():
    fields, (found,), numbering = found_in(records(6))
    assert {found.left, found.right} == {"given_name", "surname"}
    assert set(numbering.wide[np.asarray(found.eligible)].tolist()) == set(range(12))
    left, right = fields["given_name"], fields["surname"]
    assert np.size(left.frequency) == np.size(right.frequency) == 80
    # the same value has the same number in both
    first, second = numbering.narrow[:2]
    assert left.codes[first] == right.codes[second]


def test_few_mirrored_pairs_may_be_chance():
    assert found_in(records(MIN_MIRRORED_PAIRS - 1))[1] == []


@pytest.mark.long
def test_turned_records_find_their_entity():
    rows = records(6)
    truth = np.repeat(np.arange(40), 2)
    found = resolve(rows, config=CONFIG, posterior="full", draws=40, seed=1)
    assert pairwise(found.labels, truth).f1 > 0.95
    assert 0.02 < found.trace["given_name.surname.swapped"].mean() < 0.25
