"""One result whose every shown record holds text that could break a page."""

from dataclasses import replace
from datetime import datetime

import numpy as np
import pyarrow as pa
import pytest

from partita.linkage.inference.marginals import Marginals
from partita.linkage.resolve import resolve
from partita.report import write_report
from partita.synthetic import people

SCRIPT = "<script>alert(1)</script>"
CLOSING = "</script><img src=x onerror=alert(2)>"
RIGHT_TO_LEFT = "שלום עולם"
LONG = "x" * 10_000
COLUMN = 'city <i>&"'
COMMAND = "partita resolve <b>people.csv</b> --report r.html"
DATE = datetime(2026, 3, 4, 15, 16)


def nasty(row, city):
    values = [f"{SCRIPT} {city}", f"{city} {CLOSING}", f"{RIGHT_TO_LEFT} {city}", f"{city} {LONG}"]
    return [*values, None, city][row % 6]


@pytest.fixture(scope="session")
def data():
    """Records and their truth; some true labels are missing."""
    table = people(300, seed=5).table()
    truth = table["entity"].to_pylist()
    cities = [nasty(row, city) for row, city in enumerate(table["city"].to_pylist())]
    ids = pa.array([f'<b>{row}</b>,"&' for row in range(300)])
    table = table.drop(["entity", "city", "unique_id"])
    table = table.append_column(COLUMN, pa.array(cities)).append_column("id", ids)
    return table, [None if row % 10 == 0 else entity for row, entity in enumerate(truth)]


class AllUncertain(Marginals):
    """Marginals under which every compared pair is uncertain, whatever the model."""

    def p_same(self, pairs):
        return 0.1 + 0.8 * (np.asarray(pairs).sum(1) * 7919 % 101) / 100


@pytest.fixture(scope="session")
def resolution(data):
    """A result in which every pair is uncertain, so that what is shown depends on no model."""
    result = resolve(data[0], seed=1, draws=20, tune=5)
    marginals = result.marginals
    uncertain = AllUncertain(marginals.active, marginals.posterior)
    return replace(
        result,
        marginals=uncertain,
        p_cluster=0.05 + 0.8 * (result.labels * 37 % 101) / 100,
        p_member=np.linspace(0.1, 0.9, result.records.n),
    )


@pytest.fixture(scope="session")
def page(resolution, data, tmp_path_factory):
    """The report with truth, as a file."""
    return write_report(
        resolution,
        tmp_path_factory.mktemp("report") / "r.html",
        truth=data[1],
        command=COMMAND,
        date=DATE,
    )
