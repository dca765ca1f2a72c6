import numpy as np

from partita.synthetic.addresses import CITIES, DOMAINS, POSTCODES, cities, domains, streets
from partita.synthetic.cells import to_strings


def test_cities_and_their_postcodes():
    table = cities(1.0)
    names = to_strings(table.cells)
    assert len(set(names)) == len(names) == CITIES
    counts = np.diff(table.starts)
    assert counts.min() >= 1
    assert counts[0] > 100 * counts[-1]
    assert abs(table.starts[-1] - POSTCODES) < 0.05 * POSTCODES
    assert np.isclose(table.cumulative[-1], 1.0)


def test_streets_and_domains():
    names = to_strings(streets())
    assert len(set(names)) == len(names) > 5000
    assert to_strings(domains()) == list(DOMAINS)
    assert all(name.endswith(".example") for name in DOMAINS)
