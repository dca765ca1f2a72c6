"""Small generated data for the tests of scale."""

import numpy as np

from partita.scale import Mentions, vocabulary
from partita.synthetic.mentions import COLUMNS, GROUPS, encoded_authors

WEIGHTS = {
    **{"first:match": 1.0, "first:mismatch": -4.0, "first:missing": -0.7},
    **{
        "middle_initial:match": 1.8,
        "middle_initial:mismatch": -5.0,
        "middle_initial:missing": -0.6,
    },
    **{"middle:match": 2.6, "middle:mismatch": -6.6, "middle:missing": 0.2},
    **{"title:dot": 49.0, "topic:dot": 4.9, "coauthors:dot": 8.5},
}
CONCENTRATION = {
    **{"first": 0.1, "middle_initial": 0.001, "middle": 0.001},
    **{"title": 10000.0, "topic": 2.5, "coauthors": 6.0},
}


def authors(n, seed=1):
    """Mentions and truth."""
    made = encoded_authors(n, seed=seed)
    words = vocabulary(GROUPS, COLUMNS, made.edges, made.family, made.key, made.count, n)
    mentions = Mentions(made.start, made.key, made.count, made.canopy, words)
    return mentions, made.truth.astype(np.int64)
