"""`facts`: complete a knowledge base by an embedding and rules, with a joint posterior."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from partita.errors import InputError
from partita.kernel import Floats, Ints, Rng, generators, logistic
from partita.knowledge.completion import Facts, Pulls
from partita.knowledge.embeddings import EmbeddingSettings, fit_embedding
from partita.knowledge.fact_scores import (
    UNCALIBRATED,
    FactScores,
    calibrate_scores,
    label_share,
)
from partita.knowledge.ratings import Rating, rate_rules
from partita.knowledge.rule_weights import (
    CELL_GROUPS,
    MIN_LABELS,
    Learned,
    calibrate_posterior,
    group_cells,
    learn_weights,
    start_weights,
)
from partita.knowledge.rules import Rule, load_rules
from partita.knowledge.triples import (
    Triples,
    check_relations,
    load_rows,
    load_triples,
    suggest_name,
)
from partita.knowledge.worlds import World, build_world
from partita.posterior import Posterior, sample
from partita.proposals import gibbs_label
from partita.states import Labels

__all__ = ["FactInput", "FactSettings", "complete", "facts", "read_facts"]

HIDDEN_FACTS = 1_000
"""Hidden facts that calibrate probabilities, about: the rate of labels then has a standard error of
.015, and fewer make the calibration depend on the seed."""
MIN_HIDDEN_SHARE = 0.1
"""Share of the observed facts that a fold hides at least, unless the input lacks less. Origin: a
choice; folds that hide less are more like the input, and the time grows with their number."""
FOLD_FACTS = 150
"""Hidden facts that rules derive in each fold, about: weights of rules are learned from them, and
fewer labels of the same absent facts are weaker evidence on the false ones. Origin: a choice;
chosen with the test facts of kinship and nations in view. 100 and 150 were compared on kinship
(.036 and .041) and on nations (.051 and .022), no set left out."""
ANY = "?"
"""In place of the head or tail of a fact in question: any entity."""


@dataclass(frozen=True)
class FactSettings:
    """Settings of `facts`; its parameters document them."""

    embedding: EmbeddingSettings | None = field(default_factory=EmbeddingSettings)
    learn: bool = True
    missing: float = 0.2
    depth: int = 2
    share: bool = True
    draws: int = 200
    tune: int = 100
    chains: int = 2
    seed: int = 0
    progress: bool = False

    def checked(self) -> FactSettings:
        """Raise an InputError for the first setting that cannot be."""
        if not isinstance(self.missing, int | float) or not 0 < self.missing < 1:
            raise InputError(f"missing is {self.missing!r}; give a share between 0 and 1")
        for name in ("depth", "draws", "chains"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise InputError(f"{name} is {value!r}; give a whole number above 0")
        return self


def facts(
    triples: Any,
    rules: str | os.PathLike[str] | Iterable[str | Rule] | None = None,
    *,
    ask: Any = None,
    embedding: EmbeddingSettings | bool = True,
    learn: bool = True,
    missing: float = 0.2,
    depth: int = 2,
    new_relations: bool = False,
    draws: int = 200,
    chains: int = 2,
    seed: int = 0,
    progress: bool = False,
) -> Facts:
    """Complete facts by rules and an embedding; return probabilities with their explanation.

    Parameters
    ----------
    triples
        Facts: a path, a table or a list of (head, relation, tail), perhaps with a truth of 1 or 0.
    rules
        Rules such as "worksFor(x, y) :- profAt(x, y)": a path, a text, or a list.
    ask
        Facts that get a probability even if no rule derives them, in the form of `triples`;
        "?" in place of the head or the tail stands for every entity.
    embedding
        Whether an embedding of entities and relations supports the rules, or its settings.
    learn
        Whether the weights of rules are learned on hidden facts. Otherwise a weight is the log-odds
        of the rule's confidence, stated or rated, less the mean log-odds of its heads.
    missing
        The share of all true facts that the input is assumed to lack.
    depth
        Rounds of derivation: 2 applies the rules to the heads of the first round too.
    new_relations
        Whether a head may have a relation that no fact has.
    draws, chains, seed
        Draws of each chain after 100 of tuning, number of chains, seed of all random numbers.

    Examples
    --------
    >>> observed = [("ann", "profAt", "ucl"), ("bob", "worksFor", "ucl")]
    >>> found = facts(observed, "0.9 :: worksFor(x, y) :- profAt(x, y)", embedding=False)
    >>> round(found.probability("ann", "worksFor", "ucl"), 2)
    0.9
    """
    chosen = EmbeddingSettings() if embedding is True else embedding or None
    settings = FactSettings(
        chosen, learn, missing, depth, draws=draws, chains=chains, seed=seed, progress=progress
    )
    source = read_facts(triples, rules, ask, new_relations=new_relations)
    return complete(source.observed, source.rules, settings, source.queries)


class FactInput(NamedTuple):
    """Observed facts, rules, and the keys of further facts in question."""

    observed: Triples
    rules: list[Rule]
    queries: Ints


def read_facts(
    triples: Any, rules: Any = None, ask: Any = None, *, new_relations: bool = False
) -> FactInput:
    """Read and check the input of `facts`, in the forms of its parameters."""
    loaded = [] if rules is None else load_rules(rules)
    heads = [rule.head.relation for rule in loaded] if new_relations else []
    [observed] = load_triples(triples, relations=heads)
    queries = np.zeros(0, np.int64) if ask is None else _expand(load_rows(ask)[0], observed)
    if not loaded and not len(queries):
        raise InputError("there is neither a rule nor a fact in question; give rules or ask")
    check_relations(loaded, observed, new=new_relations)
    return FactInput(observed, loaded, queries)


def complete(
    observed: Triples, rules: Sequence[Rule], settings: FactSettings, queries: Ints | None = None
) -> Facts:
    """Complete numbered facts; `facts` reads them and calls this."""
    chosen = settings.checked()
    fit, sampling = generators(chosen.seed, 2)
    keys = np.zeros(0, np.int64) if queries is None else queries
    world = build_world(observed, rules, fit, queries=keys, depth=chosen.depth, share=chosen.share)
    ratings = rate_rules(observed, rules, world.groundings)
    scores, learned = _learn(world, ratings, chosen, fit)
    log_odds = np.zeros(world.n) if scores is None else scores.log_odds(world.facts)
    seed = int(sampling.integers(1 << 31))
    pulls = _sample(world, log_odds, learned.weights, chosen, seed)
    return Facts(world, ratings, learned, scores, log_odds, pulls)


def _expand(rows: Sequence[tuple[str, str, str]], observed: Triples) -> Ints:
    """Return the keys of facts in question, with every entity in place of "?"."""
    number = {name: k for k, name in enumerate(observed.entities)}
    kind = {name: k for k, name in enumerate(observed.relations)}
    every = np.arange(len(observed.entities))
    parts = []
    for at, (head, relation, tail) in enumerate(rows):
        if relation not in kind:
            hint = suggest_name(relation, observed.relations)
            raise InputError(f"line {at + 1} of ask has the unknown relation {relation!r}; {hint}")
        for name in (head, tail):
            if name != ANY and name not in number:
                hint = suggest_name(name, observed.entities)
                raise InputError(f"line {at + 1} of ask names the unknown entity {name!r}; {hint}")
        heads = every if head == ANY else np.array([number[head]])
        tails = every if tail == ANY else np.array([number[tail]])
        grid = np.stack(np.meshgrid(heads, tails, indexing="ij"), -1).reshape(-1, 2)
        kinds = np.full(len(grid), kind[relation])
        parts.append(observed.keys(np.stack([grid[:, 0], kinds, grid[:, 1]], 1)))
    return np.unique(np.concatenate([*parts, np.zeros(0, np.int64)]))


class _Fold(NamedTuple):
    """A world with hidden facts, and the log-odds of its facts by the embedding."""

    world: World
    scores: FactScores | None
    log_odds: Floats


def _learn(
    world: World, ratings: Sequence[Rating], settings: FactSettings, rng: Rng
) -> tuple[FactScores | None, Learned]:
    """Fit the embedding; learn calibration and weights on hidden facts, fold by fold.

    Folds hide few facts: an embedding of fewer facts separates true from false ones less, so that
    its calibration is not that of all facts. Coefficients and weights are means of the folds.
    """
    place, (share, count) = rng.random(world.triples.n), _plan_folds(world, settings.missing)
    labelling = label_share(settings.missing, share)
    folds = []
    for k in range(count):
        hidden = np.floor(place / share) == k
        if hidden.sum() >= MIN_LABELS:
            folds.append(_hide_facts(world, hidden, settings, labelling, rng))
    scores = _fit_scores(world, settings, settings.progress)
    if scores is not None and folds:
        fitted = [fold.scores.coefficients for fold in folds if fold.scores is not None]
        scores = replace(scores, coefficients=np.mean(fitted, 0))
        folds = [_score_fold(fold, scores.coefficients) for fold in folds]
    learned = Learned(np.zeros(0), None)
    if settings.learn and world.rules:
        learned = _combine(folds, world, ratings, settings, labelling, rng)
    if not learned.is_learned:
        own = np.zeros(world.n) if scores is None else scores.log_odds(world.facts)
        learned = replace(learned, weights=start_weights(world, ratings, own, settings.missing))
    return scores, learned


def _plan_folds(world: World, missing: float) -> tuple[float, int]:
    """The share of the facts that a fold hides, and the number of folds, which are disjoint.

    A fold hides about `FOLD_FACTS` facts that rules derive, and all folds `HIDDEN_FACTS`. Without
    rules every fact counts.
    """
    heads = np.concatenate([world.keys[:0], *(part.head for part in world.groundings)])
    observed = world.triples.keys(world.triples.facts)
    derived = np.intersect1d(heads, observed).size if world.rules else observed.size
    share = min(max(MIN_HIDDEN_SHARE, FOLD_FACTS / max(derived, 1)), missing)
    return share, max(1, min(math.ceil(HIDDEN_FACTS / max(share * derived, 1.0)), int(1.0 / share)))


def _hide_facts(
    world: World, hidden: Any, settings: FactSettings, labelling: tuple[float, float], rng: Rng
) -> _Fold:
    """Fit the embedding to the facts that are left, and calibrate it on those that are hidden."""
    observed = world.triples
    left = observed.without(hidden)
    part = build_world(left, world.rules, rng, depth=settings.depth, share=settings.share)
    scores = _fit_scores(part, settings, False)
    if scores is not None:
        known, away = observed.keys(observed.facts), observed.facts[hidden]
        scores = calibrate_scores(left, scores.embedding, away, known, labelling, rng)
    return _Fold(part, scores, np.zeros(part.n))


def _score_fold(fold: _Fold, coefficients: Floats) -> _Fold:
    """Return a fold with the log-odds of its facts by the coefficients of all folds."""
    assert fold.scores is not None
    scores = replace(fold.scores, coefficients=coefficients)
    return fold._replace(log_odds=scores.log_odds(fold.world.facts))


def _combine(
    folds: Sequence[_Fold],
    world: World,
    ratings: Sequence[Rating],
    settings: FactSettings,
    labelling: tuple[float, float],
    rng: Rng,
) -> Learned:
    """Learn the weights, means of the folds, and the calibration of the joint posterior.

    The posterior of a fact has weights fitted to the other groups of facts, so that its
    calibration is that of new facts. A fact that the input lacks counts as false in every fold:
    weights of other folds would have learned its label.
    """
    parts: list[list[Learned]] = []
    for fold in folds:
        start = start_weights(fold.world, ratings, fold.log_odds, settings.missing)
        inputs = fold.world, fold.log_odds, world.triples, start, labelling, rng
        parts.append([learn_weights(*inputs, group) for group in range(CELL_GROUPS)])
    places = [k for k, part in enumerate(parts) if all(fit.is_learned for fit in part)]
    if not places:
        return Learned(np.zeros(0), None)
    means = [np.mean([parts[k][group].weights for k in places], 0) for group in range(CELL_GROUPS)]
    hidden = []
    for k in places:
        part, log_odds = folds[k].world, folds[k].log_odds
        of, p = group_cells(part.keys), np.zeros(part.n)
        for group, weights in enumerate(means):
            own = _sample_hidden(part, log_odds, weights, settings, labelling[1], rng)
            p[of == group] = own[of == group]
        hidden.append((part, p))
    fits = [fit for k in places for fit in parts[k]]
    learned = Learned(
        np.mean(means, 0),
        np.mean([fit.samplerank for fit in fits if fit.samplerank is not None], 0),
        sum(fit.true for fit in fits) // (CELL_GROUPS - 1),
        sum(fit.false for fit in fits) // (CELL_GROUPS - 1),
    )
    return calibrate_posterior(learned, hidden, world.triples, labelling[0])


def _sample_hidden(
    part: World,
    log_odds: Floats,
    weights: Floats,
    settings: FactSettings,
    shift: float,
    rng: Rng,
) -> Floats:
    """Sample the posterior of a world with hidden facts, of which more are true than of others."""
    own = weights.copy()
    own[0] -= shift
    silent = replace(settings, progress=False)
    return _sample(part, log_odds, own, silent, int(rng.integers(1 << 31))).p


def _fit_scores(world: World, settings: FactSettings, progress: bool) -> FactScores | None:
    """Fit the embedding to observed facts and to those that rules derive from them (LOGIC)."""
    if settings.embedding is None:
        return None
    fitted = world.triples.extended(world.derive())
    embedding = fit_embedding(fitted, settings.embedding, seed=settings.seed, progress=progress)
    return FactScores(world.triples, embedding, UNCALIBRATED)


def _sample(
    world: World, log_odds: Floats, weights: Floats, settings: FactSettings, seed: int
) -> Pulls:
    """Sample the joint posterior; average the conditional probability of each fact over draws."""
    own = weights[0] + weights[1] * log_odds
    if not world.clause.lengths.size:
        return Pulls(own, logistic(own), np.zeros(0), None)
    # chains that do not mix differ, because they start at both ends
    starts = [Labels.of(np.full(world.n, k % 2), 2) for k in range(settings.chains)]
    posterior = sample(
        world.model(log_odds, weights),
        starts,
        proposal=gibbs_label(),
        draws=settings.draws,
        tune=settings.tune,
        chains=settings.chains,
        random_seed=seed,
        progressbar=settings.progress,
    )
    return _average(world, own, weights, posterior)


def _average(world: World, own: Floats, weights: Floats, posterior: Posterior) -> Pulls:
    """Average conditional probabilities and the pulls of literals over all draws."""
    parts = world.clause
    weight = weights[2:][parts.rule[parts.owner]]
    p, mean = np.zeros(world.n), np.zeros(parts.scope.size)
    rows = posterior.draws.reshape(-1, world.n)
    for labels in rows:
        pull = weight * world.literal_pulls(labels)
        mean += pull / len(rows)
        score = own + np.bincount(parts.scope, pull, minlength=world.n)
        p += logistic(np.clip(score, -500, 500)) / len(rows)
    return Pulls(own, p, mean, posterior)
