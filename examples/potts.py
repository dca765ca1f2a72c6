"""Potts grid: denoise a picture, with the posterior of every pixel."""

import numpy as np

import partita
from partita.factors import Model, pairwise, unary
from partita.proposals import gibbs_label

SIDE, COLOURS = 24, 3


def main():
    rng = np.random.default_rng(4)
    rows, columns = np.mgrid[:SIDE, :SIDE]
    truth = ((rows // 8 + columns // 8) % COLOURS).reshape(-1)
    noisy = np.where(rng.random(truth.size) < 0.35, rng.integers(0, COLOURS, truth.size), truth)

    pixel = np.arange(SIDE * SIDE).reshape(SIDE, SIDE)
    down = np.stack([pixel[:-1].ravel(), pixel[1:].ravel()], 1)
    right = np.stack([pixel[:, :-1].ravel(), pixel[:, 1:].ravel()], 1)
    model = Model(
        unary(np.eye(COLOURS)[noisy], COLOURS, weights=1.5 * np.eye(COLOURS)),
        pairwise(np.concatenate([down, right]), COLOURS, weights=0.9 * np.eye(COLOURS)),
    )
    start = partita.Labels.of(noisy, COLOURS)
    posterior = partita.sample(
        model, start, proposal=gibbs_label(), draws=200, tune=100, chains=2, random_seed=1
    )
    cleaned = posterior.point().label
    confidence = posterior.marginals().max(1)
    print(f"right before {np.mean(noisy == truth):.3f}, after {np.mean(cleaned == truth):.3f}")
    print(f"mean confidence {confidence.mean():.3f}, lowest {confidence.min():.2f}")
    return np.mean(cleaned == truth)


if __name__ == "__main__":
    main()
