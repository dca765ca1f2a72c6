"""A generated world: families in towns, with facts that rules derive and some that are missing."""

import numpy as np

RULES = """
livesIn(y, z) :- marriedTo(x, y), livesIn(x, z)
marriedTo(y, x) :- marriedTo(x, y)
inCountry(x, z) :- livesIn(x, y), capitalOf(y, z)
not livesIn(x, z) :- livesIn(x, y), livesIn(x, z), y != z
"""


def make_families(n, seed=0, missing=0.2):
    """Return observed and missing facts of n couples; one couple in ten lives apart."""
    rng = np.random.default_rng(seed)
    rows = []
    for k in range(n):
        a, b = f"ann{k}", f"bob{k}"
        towns = rng.integers(0, 8, 2)
        if rng.random() < 0.9:
            towns[1] = towns[0]
        for person, town in ((a, towns[0]), (b, towns[1])):
            rows.append((person, "livesIn", f"town{town}"))
            rows.append((person, "inCountry", f"land{town % 4}"))
        rows += [(a, "marriedTo", b), (b, "marriedTo", a)]
    hidden = rng.random(len(rows)) < missing
    rows += [(f"town{k}", "capitalOf", f"land{k % 4}") for k in range(8)]
    hidden = np.append(hidden, np.zeros(8, bool))
    kept = [row for row, out in zip(rows, hidden, strict=True) if not out]
    return kept, [row for row, out in zip(rows, hidden, strict=True) if out]
