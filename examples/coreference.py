"""Coreference with a similarity of your own, and the probability that two mentions are one."""

import numpy as np

import partita
from partita.factors import Model, entity_cost, similarity
from partita.proposals import mixture, one_canopy, pair_move, split_merge


def alike(points, i, j):
    """Near mentions score above 0, far ones below; compiled into the walk."""
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
        Model(similarity(alike, points, 80), entity_cost(1.0)),
        partita.Partition.singletons(80),
        proposal=mixture([pair_move(everyone), split_merge(everyone)], [0.8, 0.2]),
        draws=200,
        tune=200,
        random_seed=1,
    )
    found = posterior.entities()
    print(f"{found['mean']:.1f} entities ({found['low']:.0f} to {found['high']:.0f}); 12 were made")
    one, other = np.flatnonzero(truth == truth[0])[1], np.flatnonzero(truth != truth[0])[0]
    print("P(same), of one entity and of two:", posterior.p_same([[0, one], [0, other]]))
    return posterior


if __name__ == "__main__":
    main()
