"""Skip-chain: factors between distant equal words make their labels agree."""

import numpy as np

import partita
from partita.factors import Model, pairwise, unary
from partita.proposals import gibbs_label

LABELS = ["other", "name"]


def main():
    rng = np.random.default_rng(3)
    is_name = rng.random(40) < 0.3
    words = rng.integers(0, 40, 300)
    truth = is_name[words].astype(int)
    clue = np.where(truth == 1, 0.7, -0.7) + 1.2 * rng.normal(size=truth.size)

    order = np.argsort(words, kind="stable")
    skips = np.stack([order[:-1], order[1:]], 1)[words[order[:-1]] == words[order[1:]]]
    steps = np.stack([np.arange(299), np.arange(1, 300)], 1)
    agree = np.eye(2)
    model = Model(
        unary(clue[:, None], LABELS, weights=[[-0.5], [0.5]]),
        pairwise(steps, LABELS, weights=0.1 * agree, name="step"),
        pairwise(skips, LABELS, weights=1.5 * agree, name="skip"),
    )
    start = partita.Labels.of((clue > 0).astype(int), len(LABELS))
    posterior = partita.sample(
        model, start, proposal=gibbs_label(), draws=300, tune=100, chains=2, random_seed=1
    )
    right = np.mean(posterior.point().label == truth)
    print(f"right by the clue alone {np.mean((clue > 0) == truth):.3f}, with skips {right:.3f}")
    return right


if __name__ == "__main__":
    main()
