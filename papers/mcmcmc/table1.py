"""Table 1 of MCMCMC: factors examined until B-cubed F1 of 90% on the citations of Cora."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from papers.mcmcmc.cora import Citations, candidates, citations, compared, learned, summed
from partita import Model, Partition
from partita.estimators import Estimator, confidence, exact, scheduled, uniform
from partita.kernel import Ints
from partita.metrics import bcubed
from partita.proposals import Proposal, join_neighbour, move_to_entity
from partita.walks import Chain, compile_chain, cooling, start_chain

__all__ = [
    "BASE",
    "METHODS",
    "QUICK",
    "Fold",
    "Method",
    "Row",
    "Size",
    "folds",
    "run_folds",
    "table",
]

GOAL = 0.9
BASE = "p = 1"
FOLDS = 3
COOLING = cooling(0.3, 0.03)

PAPER_P = {0.75: 34_803_972, 0.5: 28_143_323, 0.3: 17_778_891, 0.2: 12_892_079, 0.1: 7_855_686}
PAPER_I = {
    0.001: 52_522_728,
    0.01: 51_547_000,
    0.1: 47_165_038,
    0.5: 32_828_823,
    1.0: 18_938_791,
    2.0: 11_134_267,
    5.0: 9_827_498,
    10.0: 8_675_833,
    20.0: 8_295_587,
}
PAPER_BASE = 57_292_700


@dataclass(frozen=True)
class Size:
    """How much is run."""

    citations: int | None = None
    seeds: int = 3
    steps: int = 2_000_000
    """Of a chain that does not get to the goal."""
    block: int = 10_000
    """Steps between two records of the state."""
    training_steps: int = 100_000
    """Steps of each of four epochs of SampleRank."""
    stay: int = 500_000
    """Steps of the chain that starts at the truth."""


QUICK = Size(citations=150, seeds=2, steps=40_000, block=2_000, training_steps=5_000, stay=4_000)


@dataclass(frozen=True)
class Method:
    """A way to pay for factors, with the factors that the paper's chain examined."""

    name: str
    family: str
    estimator: Estimator
    paper: int | None = None
    summed: bool = False
    near: bool = False
    """Whether citations move to entities of candidates, not to random ones."""


METHODS = (
    Method(BASE, "regular", exact(), PAPER_BASE),
    *(Method(f"p = {p:g}", "uniform", uniform(p), factors) for p, factors in PAPER_P.items()),
    *(Method(f"i = {i:g}", "interval", confidence(i), factors) for i, factors in PAPER_I.items()),
    Method("scheduled, p from .5 to 1", "ours", scheduled(0.5, 1.0, 0.25)),
    Method("aggregated, exact", "ours", exact(), summed=True),
    Method("aggregated, to candidates", "ours", exact(), summed=True, near=True),
)


SUMS = next(method for method in METHODS if method.summed)


@dataclass(frozen=True)
class Row:
    """Results of the chains of one method; medians over the chains that reached the goal."""

    method: str
    family: str
    paper: int | None
    runs: int
    reached: int
    factors: float | None
    least: float | None
    most: float | None
    """Factors of the chain that needed fewest, and of the one that needed most."""
    steps: float | None
    seconds: float | None
    """CPU seconds to the goal."""
    best: float
    """The largest F1 of any chain, up to the goal."""
    kept: float
    """F1 of a chain that starts at the truth, in the end."""


@dataclass(frozen=True)
class Fold:
    """Weights of the other folds, B-cubed of this one."""

    citations: int
    entities: int
    clusters: int
    precision: float
    recall: float
    f1: float


@dataclass(frozen=True)
class Way:
    """Result of one chain: the best F1, and the cost at the goal."""

    best: float
    cost: tuple[int, int, float] | None


class Search:
    """Chains of one method on one model."""

    def __init__(self, method: Method, model: Model, citations: Citations, size: Size) -> None:
        self.model, self.truth, self.size = model, citations.entity, size
        self.estimator, self.proposal = method.estimator, moves(method, citations)
        self.compiled = compile_chain(model, self.proposal, self.estimator)

    def chain(self, start: Ints, seed: int) -> Chain:
        """A chain that is compiled."""
        shared = {"estimator": self.estimator, "compiled": self.compiled}
        chain = start_chain(self.model, Partition.of(start), self.proposal, rng=seed, **shared)
        chain.compile()
        return chain

    def f1(self, chain: Chain) -> float:
        """B-cubed F1 of where the chain is."""
        return float(bcubed(chain.state.entity, self.truth).f1)

    def search(self, seed: int) -> Way:
        """From singletons until the goal, or until the steps are spent."""
        chain, seconds, best = self.chain(np.arange(self.truth.size), seed), 0.0, 0.0
        while chain.steps < self.size.steps:
            progress = chain.steps / self.size.steps
            chain.tune(progress)
            began = time.process_time()
            chain.run(self.size.block, COOLING(progress))
            seconds += time.process_time() - began
            best = max(best, self.f1(chain))
            if best >= GOAL:
                return Way(best, (chain.examined, chain.steps, seconds))
        return Way(best, None)

    def keep(self, seed: int) -> float:
        """From the truth at the last temperature: whether the sampler can stay there."""
        chain = self.chain(self.truth, seed)
        chain.run(self.size.stay, COOLING(1.0))
        return self.f1(chain)


def moves(method: Method, citations: Citations) -> Proposal:
    """The paper's moves, or those to the entities of candidates."""
    n = citations.entity.size
    return join_neighbour(candidates(citations), n) if method.near else move_to_entity()


def evaluate(method: Method, model: Model, citations: Citations, size: Size, seed: int) -> Row:
    """Several chains of one method."""
    search = Search(method, model, citations, size)
    ways = [search.search(seed + k) for k in range(size.seeds)]
    costs = np.array([way.cost for way in ways if way.cost], float).reshape(-1, 3)
    middle = np.median(costs, axis=0).tolist() if len(costs) else [None] * 3
    least, most = (costs[:, 0].min(), costs[:, 0].max()) if len(costs) else (None, None)
    best = max(way.best for way in ways)
    return Row(
        method.name,
        method.family,
        method.paper,
        len(ways),
        len(costs),
        middle[0],
        least,
        most,
        middle[1],
        middle[2],
        best,
        search.keep(seed),
    )


def table(size: Size, seed: int) -> list[Row]:
    """All methods, by the paper's protocol: learned on all citations, which are then resolved."""
    data = citations(size.citations)
    weights = learned(data, size.training_steps, seed).weights
    models = {False: compared(data).set_weights(weights), True: summed(data, weights)}
    return [evaluate(method, models[method.summed], data, size, seed) for method in METHODS]


def folds(citations: Citations, seed: int) -> list[Ints]:
    """Citations of each fold; entities are never split, and large ones alternate between folds."""
    sizes = np.bincount(citations.entity)
    order = np.random.default_rng(seed).permutation(sizes.size)
    order = order[np.argsort(-sizes[order], kind="stable")]
    fold = np.empty(sizes.size, np.int64)
    fold[order] = np.arange(sizes.size) % FOLDS
    return [np.flatnonzero(fold[citations.entity] == k) for k in range(FOLDS)]


def run_folds(size: Size, seed: int) -> list[Fold]:
    """Weights of two folds resolve the third, by annealed exact chains on sums."""
    data, results = citations(size.citations), []
    for rows in folds(data, seed):
        others = np.setdiff1d(np.arange(data.entity.size), rows)
        weights = learned(data.of(others), size.training_steps, seed).weights
        test = data.of(rows)
        search = Search(SUMS, summed(test, weights), test, size)
        chain = search.chain(np.arange(rows.size), seed)
        while chain.steps < size.steps:
            chain.run(size.block, COOLING(chain.steps / size.steps))
        score = bcubed(chain.state.entity, test.entity)
        entities, clusters = np.unique(test.entity).size, int(chain.state.live[0])
        results.append(Fold(rows.size, entities, clusters, score.precision, score.recall, score.f1))
    return results
