"""`make demo`: messy person records in, entities with probabilities out, on generated data."""

import time

import numpy as np
from rich.console import Console
from rich.table import Table

import partita
from partita.factors import Model, dirichlet_multinomial, ewens
from partita.metrics import pairwise
from partita.proposals import mixture, one_canopy, pair_move, split_merge

FIRST = ["anna", "bela", "carl", "dora", "emil", "fred", "gina", "hugo", "ivan", "jana"]
FIRST += ["karl", "lena", "mona", "nils", "olga", "paul"]
LAST = ["abel", "brandt", "clark", "diaz", "ebert", "fuchs", "garcia", "huber", "ito", "jonas"]
LAST += ["klein", "lopez", "meyer", "novak"]
CITY = ["aachen", "bern", "cork", "dresden", "essen", "fulda", "genoa"]
COLUMNS = ["first", "last", "born", "city"]


def generate(people, rng):
    """Records of some people, one to six each, with typos, moves and missing values."""
    who = np.repeat(np.arange(people), rng.integers(1, 7, people))
    facts = np.stack(
        [
            rng.choice(FIRST, people),
            rng.choice(LAST, people),
            rng.integers(1940, 2000, people).astype(str),
            rng.choice(CITY, people),
        ],
        1,
    ).astype(object)
    records = facts[who]
    for column, typo in enumerate([0.06, 0.05, 0.05, 0.12]):
        wrong = rng.random(len(who)) < typo
        records[wrong, column] = [_typo(value, rng) for value in records[wrong, column]]
        records[rng.random(len(who)) < 0.05, column] = ""
    return who, records


def _typo(word, rng):
    at = int(rng.integers(0, len(word)))
    return word[:at] + str(rng.choice(list("aeiou0123456789"))) + word[at + 1 :]


def resolve(records, seed):
    """The posterior over partitions: an entity draws its values from distributions of its own."""
    columns = {name: records[:, k] for k, name in enumerate(COLUMNS)}
    n = len(records)
    everyone = one_canopy(n)
    return partita.sample(
        Model(dirichlet_multinomial(columns, concentration=0.5), ewens(n / 10)),
        partita.Partition.singletons(n),
        proposal=mixture([pair_move(everyone), split_merge(everyone)], [0.9, 0.1]),
        draws=300,
        tune=300,
        thin=10 * n,
        random_seed=seed,
    )


def show_pairs(console, records, posterior):
    """The pairs of which the posterior is least sure."""
    shares = posterior.co_clustering()
    a, b = np.triu_indices(len(records), 1)
    doubt = np.argsort(np.abs(shares[a, b] - 0.5))[:5]
    table = Table("P(same)", "one record", "the other", title="The most doubtful pairs")
    for k in doubt:
        i, j = a[k], b[k]
        table.add_row(f"{shares[i, j]:.2f}", " ".join(records[i]), " ".join(records[j]))
    console.print(table)


def main(people=120, seed=1):
    """Generate, resolve, show."""
    console, began = Console(), time.perf_counter()
    who, records = generate(people, np.random.default_rng(seed))
    posterior = resolve(records, seed)
    found, best = posterior.entities(), posterior.point()
    right = pairwise(best.entity, who)
    quality = posterior.diagnostics()["log_score"]
    console.print(
        f"{len(records)} records of {people} people: {found['mean']:.1f} entities "
        f"(95% {found['low']:.0f} to {found['high']:.0f})\n"
        f"pairs joined are right {right.precision:.3f}, right pairs are joined {right.recall:.3f}\n"
        f"R-hat {quality['r_hat']:.2f}, effective draws {quality['ess_bulk']:.0f}, "
        f"accepted {posterior.acceptance}\n"
        f"{posterior.steps:,} steps, {posterior.examined:,} factors, "
        f"{time.perf_counter() - began:.1f} s with compilation"
    )
    show_pairs(console, records, posterior)


if __name__ == "__main__":
    main()
