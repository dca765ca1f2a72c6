"""The pair model on real labelled records, where they are at hand."""

import csv
import os
from pathlib import Path

import numpy as np
import pytest

from partita.comparison.comparisons import Comparisons
from partita.linkage import fit_pairs
from tests.linkage.generated import average_precision, blocked, column

DATA = Path(os.environ.get("PARTITA_DATA", Path(__file__).parents[3] / "shared" / "data"))


def cleaned(text):
    return " ".join("".join(one if one.isalnum() else " " for one in text.lower()).split())


def load(name, column_types):
    path = DATA / name / "records.csv"
    if not path.exists():
        pytest.skip(f"{path} is not there; set PARTITA_DATA to the folder of the labelled data")
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    columns = [column(key, [cleaned(row[key]) for row in rows]) for key in column_types]
    return columns, np.unique([row["entity"] for row in rows], return_inverse=True)[1]


@pytest.mark.parametrize(
    ("name", "column_types", "least"),
    [
        (
            "febrl1",
            {
                **{"given_name": "given name", "surname": "surname", "street_number": "code"},
                **{"address_1": "address", "suburb": "category", "postcode": "postcode"},
                **{"date_of_birth": "date", "soc_sec_id": "code"},
            },
            0.999,
        ),
        (
            "fake_1000",
            {
                **{"first_name": "given name", "surname": "surname", "dob": "date"},
                **{"city": "category", "email": "email"},
            },
            0.95,
        ),
    ],
)
def test_real_records(name, column_types, least):
    columns, entity = load(name, column_types)
    pairs = blocked(columns, range(len(columns)), cap=30)
    comparisons = Comparisons(columns, list(column_types.values()))
    model = fit_pairs(
        columns, list(column_types.values()), pairs, len(entity), comparisons=comparisons
    )
    scores = model.score(comparisons, pairs)
    truth = entity[pairs[:, 0]] == entity[pairs[:, 1]]
    assert model.converged
    assert average_precision(scores.total, truth) > least
    assert np.abs(scores.probability.sum() / truth.sum() - 1) < 0.2
