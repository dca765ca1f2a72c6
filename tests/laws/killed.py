"""A run that saves itself after every draw: started, killed and resumed by test_kills."""

import sys
from pathlib import Path

import numpy as np

import partita
from partita.factors import Model, agreement, dirichlet_multinomial, ewens
from partita.proposals import mixture, one_canopy, pair_move, split_merge

N = 120


def main(folder, out):
    rng = np.random.default_rng(3)
    columns = {"a": rng.integers(-1, 9, N), "b": rng.integers(-1, 5, N)}
    bag = rng.integers(0, 2, (N, 12))
    model = Model(
        agreement(columns, match=0.8, mismatch=-0.9, storage="sparse"),
        dirichlet_multinomial(bags={"bag": bag}, concentration=5.0, storage="dense"),
        ewens(2.0),
    )
    everyone = one_canopy(N)
    sys.stdout.write("running\n")
    sys.stdout.flush()
    posterior = partita.sample(
        model,
        partita.Partition.singletons(N),
        proposal=mixture([pair_move(everyone), split_merge(everyone)], [0.95, 0.05]),
        draws=1200,
        tune=50,
        thin=6000,
        chains=2,
        random_seed=5,
        checkpoint=folder,
        checkpoint_every=1e-6,
        progressbar=False,
    )
    facts = np.stack([posterior.traces[name] for name in sorted(posterior.traces)])
    np.savez(out, draws=posterior.draws, facts=facts, examined=posterior.examined)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
