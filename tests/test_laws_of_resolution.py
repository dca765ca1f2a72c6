"""Laws of resolution in small: another presentation of the same people gives the same entities.

`python -m benchmarks.laws` measures all laws on all labelled sets.
"""

import numpy as np
import pyarrow as pa
import pytest

import partita
from benchmarks.laws.agreement import measure_agreement
from benchmarks.laws.presentations import LAWS, present
from benchmarks.laws.tables import ENTITY, ID
from tests.linkage.made import persons

pytestmark = pytest.mark.compiled

N = 300
SEED = 3


@pytest.fixture(scope="module")
def people():
    """A labelled table of people."""
    table, truth = persons(N, seed=11)
    table = table.rename_columns([ID, *table.column_names[1:]])
    return table.append_column(ENTITY, pa.array(truth.astype(str)))


def resolve(presented):
    """The cluster of each record by id."""
    files = {name: table.drop_columns([ENTITY]) for name, table in presented.files.items()}
    data = files if len(files) > 1 else next(iter(files.values()))
    result = partita.resolve(data, id=ID, **{"seed": SEED, **presented.settings})
    return dict(zip(result.records.ids.to_pylist(), result.labels.tolist(), strict=True))


@pytest.fixture(scope="module")
def plain(people):
    return resolve(present("row order", people, np.random.default_rng(0)))


def measure(law, people, plain):
    """Agreement of one presentation with the plain run; copies should join their originals."""
    presented = present(law, people, np.random.default_rng(1))
    found = resolve(presented)
    left = [plain[presented.origin.get(id, id)] for id in found]
    return measure_agreement(left, list(found.values()))


EXACT = (
    *("row order", "column order", "headers c0 to cn", "headers renamed", "headers translated"),
    *("key: serial", "key: UUID", "case", "whitespace", "exact copies of 20 %"),
)
# sources are evidence: their rates change single pairs, so that these laws have the stated floor
SOURCES = ("source found", "source given", "two files", "three files")
NEARLY = ("seed", "accents", "half of the entities", "idle 1", *SOURCES)


@pytest.mark.parametrize("law", EXACT)
def test_the_same_entities(law, people, plain):
    assert measure(law, people, plain) == 1.0


@pytest.mark.parametrize("law", NEARLY)
def test_nearly_the_same_entities(law, people, plain):
    assert measure(law, people, plain) >= LAWS[law].floor[1]
