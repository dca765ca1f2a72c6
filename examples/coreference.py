"""Coreference with a user-defined similarity, and the probability that two mentions match."""

import numpy as np

import partita
from partita.factors import Model, entity_cost, similarity
from partita.proposals import mixture, one_canopy, pair_move, split_merge


def score_pair(points, i, j):
    """Return a score above 0 for near mentions and below 0 for far ones; compiled into the walk."""
    distance = 0.0
    for k in range(points.shape[1]):
        distance += (points[i, k] - points[j, k]) ** 2
    return 3.0 - distance


def main():
    rng = np.random.default_rng(8)
    truth = rng.integers(0, 12, 80)
    points = rng.normal(scale=3.0, size=(12, 3))[truth] + 0.4 * rng.normal(size=(80, 3))
    everyone = one_canopy(80)
    posterior = partita.sample(
        Model(similarity(score_pair, points, 80), entity_cost(1.0)),
        partita.Partition.singletons(80),
        proposal=mixture([pair_move(everyone), split_merge(everyone)], [0.8, 0.2]),
        draws=200,
        tune=200,
        random_seed=1,
    )
    number = posterior.entities()
    print(f"{number['mean']:.1f} entities ({number['low']:.0f} to {number['high']:.0f}), 12 true")
    match, other = np.flatnonzero(truth == truth[0])[1], np.flatnonzero(truth != truth[0])[0]
    print("P(same) of a match and a non-match:", posterior.p_same([[0, match], [0, other]]))
    return posterior


if __name__ == "__main__":
    main()
