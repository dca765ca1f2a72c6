"""Copies of records with errors."""

from partita.synthetic.spoil import spoil_rows

ROWS = [
    {"name": f"Ann Lee Brewery {k}", "town": f"Ely {k}", "year": None if k % 5 == 0 else str(k)}
    for k in range(400)
]


def test_copies_have_errors_and_keep_their_first_column():
    copies = spoil_rows(ROWS, 3)
    assert len(copies) == len(ROWS)
    assert all(list(copy) == list(row) for copy, row in zip(copies, ROWS, strict=True))
    assert all(copy["name"] for copy in copies)
    same = sum(copy["name"] == row["name"] for copy, row in zip(copies, ROWS, strict=True))
    assert 0.4 < same / len(ROWS) < 0.8
    missing = sum(copy["town"] is None for copy in copies)
    assert 0.05 < missing / len(ROWS) < 0.2


def test_the_seed_decides():
    assert spoil_rows(ROWS, 1) == spoil_rows(ROWS, 1)
    assert spoil_rows(ROWS, 1) != spoil_rows(ROWS, 2)


def test_odd_values_are_copied():
    assert spoil_rows([{"name": ""}, {"name": None}], 1) == [{"name": ""}, {"name": None}]
    assert spoil_rows([], 1) == []
