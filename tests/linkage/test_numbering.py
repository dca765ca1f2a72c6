"""Row, distinct and active ids: translation, and mypy as the guard against mixing them."""

from pathlib import Path

import numpy as np
import pytest
from mypy import api

from partita.linkage.numbering import Numbering

ROOT = Path(__file__).parents[2]
SNIPPET = """
from partita.linkage.numbering import ActiveIds, DistinctIds, Numbering, RowIds

def translate(
    rows: RowIds, ids: DistinctIds,
    distinct: Numbering[RowIds, DistinctIds], active: Numbering[DistinctIds, ActiveIds],
) -> None:
    a: ActiveIds
    a = active.to(distinct.to(rows))
    a = distinct.then(active).to(rows)
    a = active.to(rows)  # wrong: rows for distinct records
    a = active.to(distinct.to(ids))  # wrong: distinct records for rows
    a = distinct.to(rows)  # wrong: distinct records for active ones
"""


def test_ids_are_translated_in_both_directions():
    distinct = Numbering.by_key(np.array([7, 3, 7, 5]), np.arange(4))
    assert len(distinct) == 3
    assert distinct.to(np.array([0, 1, 2, 3])).tolist() == [0, 1, 0, 2]
    assert distinct.back(np.array([[0, 2]])).tolist() == [[0, 3]]
    assert distinct.expand(np.array(["a", "b", "c"])).tolist() == ["a", "b", "a", "c"]
    assert distinct.select(np.array([1.0, 2.0, 3.0, 4.0])).tolist() == [1.0, 2.0, 4.0]


def test_ids_follow_an_order():
    distinct = Numbering.by_key(np.array([7, 3, 7, 5]), np.array([3, 2, 1, 0]))
    assert distinct.narrow.tolist() == [1, 2, 1, 0]
    assert distinct.wide.tolist() == [3, 2, 1]


def test_a_subset_leaves_the_others_without_an_id():
    active = Numbering.of_subset(np.array([False, True, True]))
    assert active.to(np.arange(3)).tolist() == [-1, 0, 1]
    assert active.back(np.arange(2)).tolist() == [1, 2]


def test_two_translations_in_one_step():
    distinct = Numbering.by_key(np.array([7, 3, 7, 5]), np.arange(4))
    active = Numbering.of_subset(np.array([True, False, True]))
    both = distinct.then(active)
    assert both.to(np.arange(4)).tolist() == [0, -1, 0, 1]
    assert both.back(np.arange(2)).tolist() == [0, 3]


@pytest.mark.compiled
def test_mixing_two_numberings_is_a_type_error(tmp_path):
    path = tmp_path / "snippet.py"
    path.write_text(SNIPPET)
    shown, _, status = api.run(
        [
            f"--config-file={ROOT / 'pyproject.toml'}",
            f"--cache-dir={ROOT / '.mypy_cache'}",
            str(path),
        ]
    )
    offences = [line.split(":")[1] for line in shown.splitlines() if "error:" in line]
    wrong = [str(n) for n, line in enumerate(SNIPPET.splitlines(), 1) if "# wrong" in line]
    assert (offences, status) == (wrong, 1), shown
