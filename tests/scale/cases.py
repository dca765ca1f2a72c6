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
    encoded = encoded_authors(n, seed=seed)
    words = vocabulary(
        GROUPS, COLUMNS, encoded.edges, encoded.family, encoded.key, encoded.count, n
    )
    mentions = Mentions(encoded.start, encoded.key, encoded.count, encoded.canopy, words)
    return mentions, encoded.truth.astype(np.int64)
