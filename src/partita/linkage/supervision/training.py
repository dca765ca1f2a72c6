"""`train`: better match weights from some labelled pairs, or from a column that tells the truth.

How far the weights may leave those that were learned without labels is chosen by cross-validation
over the labels. No change is one of the choices, and any other must beat it on held-out labels by
more than chance explains. Then records are resolved with it, and unless that puts clearly more
held-out labels right than wrong, nothing changes either.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.errors import InputError
from partita.kernel import Floats, Ints, Rng, generators
from partita.linkage.config import Config
from partita.linkage.inference.active_set import find_active_set
from partita.linkage.inference.first_partition import find_first_partition
from partita.linkage.inference.model_choice import choose_model
from partita.linkage.inference.sampling import estimate_partition, sample_posterior
from partita.linkage.numbering import RowIds
from partita.linkage.pairwise.model import PairModel
from partita.linkage.pairwise.scored_pairs import ScoredPairs
from partita.linkage.resolve import ComparedRecords, compare_records, read_settings
from partita.linkage.stages import Clock
from partita.linkage.supervision.labels import PairLabels, read_labels
from partita.linkage.supervision.refit import Anchor, Pool, pool_of
from partita.linkage.supervision.trained_model import HeldOut, TrainedModel
from partita.metrics import labels_to_codes

__all__ = ["FOLDS", "learn", "train"]

STRENGTHS = (math.inf, 100.0, 30.0, 10.0, 3.0, 1.0, 0.3)
"""How strongly weights are held at the start; infinity is no change."""
FOLDS, ROUNDS, LARGE = 5, 2, 2000
"""Parts of the labels that are held out in turn, and how often; once where labels are many."""
BEYOND = 2.0
"""Standard errors by which a change must be better on held-out labels than none."""
AHEAD = 1.0
"""Standard errors by which it must put more of them right than wrong in resolved records."""
SURE, SEARCHED, BACKGROUND, SHARE = 4.0, 20_000, 1000, 5.0
"""Pairs with larger log-odds either way are background: of so many candidates at most so many of
each kind, and together they weigh this many times the labels."""
MOST = 5000
"""Pairs that are taken from a column of the truth."""


def train(
    data: Any,
    labels: Any = None,
    *,
    truth_column: str | None = None,
    model: str | PathLike[str] | TrainedModel | None = None,
    config: Config = None,
    progress: bool = False,
    **settings: Any,
) -> TrainedModel:
    """Learn match weights from labels, starting from those that need none.

    Parameters
    ----------
    data
        Whatever `resolve` takes.
    labels
        Pairs of records with a label, as `partita label` writes them: a file or a table.
    truth_column
        Instead of labels, a column that names the entity of a record; empty where nobody knows.
    model
        A trained model to go on from.
    config, progress, settings
        As `resolve` takes them.

    Examples
    --------
    >>> from partita.synthetic import people
    >>> rows = people(300, seed=5).table().to_pylist()
    >>> trained = train(rows, truth_column="entity", seed=1)
    >>> trained.held_out.loss <= trained.held_out.loss_before
    True
    """
    if (labels is None) == (truth_column is None):
        raise InputError("give either labels or a truth_column to learn from")
    if truth_column is not None:
        settings["ignore"] = (*_listed(settings.get("ignore")), truth_column)
    asked, start = read_settings(config, settings, model)
    ready = compare_records(data, asked, None, start, Clock(progress))
    rng, folding = generators(asked.seed, 2)
    if truth_column is not None:
        found = _told_by(truth_column, ready, rng)
    else:
        found = read_labels(labels, ready.records)
    return learn(ready, found.checked(), folding)


def _listed(given: Any) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given or ())


def _told_by(column: str, ready: ComparedRecords, rng: Rng) -> PairLabels:
    """Labels of candidate pairs, from a column that names entities."""
    table = ready.records.table
    if column not in table.column_names:
        there = ", ".join(table.column_names)
        raise InputError(f"there is no column {column!r} of the truth; there are {there}")
    entity = labels_to_codes(table.column(column).to_pylist())
    if not (entity >= 0).any():
        raise InputError(f"column {column!r} of the truth is empty; give labels instead")
    pairs: Ints = ready.prepared.numbering.back(ready.scored.pairs)
    pairs = pairs[(entity[pairs] >= 0).all(1)]
    pairs = pairs[np.sort(rng.permutation(len(pairs))[:MOST])]
    return PairLabels(pairs, entity[pairs[:, 0]] == entity[pairs[:, 1]])


def learn(ready: ComparedRecords, labels: PairLabels, rng: Rng) -> TrainedModel:
    """A trained model of compared records, and how much better it is on held-out labels."""
    scored, pairs = ready.scored, ready.prepared.numbering.to(RowIds(labels.pairs))
    apart = pairs[:, 0] != pairs[:, 1]
    usable = PairLabels(pairs[apart], labels.match[apart], labels.unsure).checked()
    scores = scored.model.score(scored.comparisons, usable.pairs)
    told = pool_of(scored.model, scores, usable.match)
    _check_differ(told)
    anchor = Anchor(scored.model)
    background = _background(scored, ready.candidates.pairs, SHARE * len(usable), rng)
    tried = _held_out(anchor, told, background, rng)
    gained = lost = 0
    if tried.best:
        half = _folds(told.target, 2, rng)
        parts = [told.some(np.flatnonzero(half == k)) + background for k in (0, 1)]
        models = [anchor.trained(_taught(anchor, part, tried.best)) for part in parts]
        gained, lost = _resolved(ready, models, usable, half)
        if gained + lost > 0 and gained - lost <= AHEAD * math.sqrt(gained + lost):
            tried = tried._replace(best=0)
    theta = _taught(anchor, told + background, tried.best)
    return TrainedModel(
        anchor.trained(theta),
        ready.prepared.n,
        HeldOut(
            labels=len(usable),
            matches=int(usable.match.sum()),
            strength=STRENGTHS[tried.best],
            loss_before=float(tried.losses[0].mean()),
            loss=float(tried.losses[tried.best].mean()),
            wrong_before=tried.wrong(0, told),
            wrong=tried.wrong(tried.best, told),
            gained=gained,
            lost=lost,
        ),
    )


def _taught(anchor: Anchor, pool: Pool, best: int) -> Floats:
    """Theta by a strength, from that by all that are stronger."""
    theta = anchor.still()
    for strength in STRENGTHS[1 : best + 1]:
        theta = anchor.fit(pool, strength, theta)
    return theta


def _resolved(
    ready: ComparedRecords, models: Sequence[PairModel], labels: PairLabels, half: Ints
) -> tuple[int, int]:
    """Resolve without labels, and by what either half of them teaches; judge by the other half.

    Returns how many held-out labels agree only with the second, and how many only with the first.
    Weights that are better on pairs can be worse for entities, which other records support too.
    """
    before, *after = (_agree(ready, model, labels) for model in (None, *models))
    now = np.where(half == 1, *after)
    return int((now & ~before).sum()), int((before & ~now).sum())


def _agree(
    ready: ComparedRecords, model: PairModel | None, labels: PairLabels
) -> NDArray[np.bool_]:
    """Which labels agree with the records as they are resolved by a model."""
    scored = ready.scored
    if model is not None:
        candidates = ready.candidates.pairs if len(ready.candidates.pairs) else scored.pairs
        pairs = candidates.astype(np.int64)
        scored = ScoredPairs.of(scored.comparisons, model, pairs, None, scored.source)
    active = find_active_set(scored, ready.prepared, ready.constraints, ready.settings)
    first = find_first_partition(scored, active, ready.settings.seed)
    choice = choose_model(active, first, ready.settings)
    _, posterior = sample_posterior(active, first, choice, ready.settings, progress=False)
    state = estimate_partition(active, posterior, ready.settings.false_merge_cost)
    left, right = active.extend(state).entity[labels.pairs].T
    return np.asarray((left == right) == labels.match)


def _check_differ(told: Pool) -> None:
    if (told.levels == told.levels[0]).all() and np.ptp(told.rest) < 1e-12:
        raise InputError(
            f"all {len(told.rest)} labelled pairs compare alike in every column, so that nothing "
            "can be learned from them; label pairs that differ"
        )


def _background(scored: ScoredPairs, candidates: NDArray[np.int32], total: float, rng: Rng) -> Pool:
    """Candidates that the model is sure of: they keep what no label speaks of as it was."""
    chosen = np.sort(rng.permutation(len(candidates))[:SEARCHED])
    some = candidates[chosen].astype(np.int64).reshape(-1, 2)
    scores = scored.model.score(scored.comparisons, some)
    sides = (scores.total > SURE, scores.total < -SURE)
    rows = np.concatenate([np.flatnonzero(side)[:BACKGROUND] for side in sides])
    sure = scores.rows(rows)
    return pool_of(scored.model, sure, sure.probability, total / max(1, rows.size))


class _Tried(NamedTuple):
    """What each strength does to labels that it did not see."""

    losses: Floats
    """-log P of each strength (rows) and label."""
    scores: Floats
    best: int

    def wrong(self, which: int, told: Pool) -> int:
        """How many labels are on the wrong side."""
        return int(((self.scores[which] > 0) != (told.target > 0.5)).sum())


def _held_out(anchor: Anchor, told: Pool, background: Pool, rng: Rng) -> _Tried:
    """Every strength on every label, learned from the labels of the other folds."""
    n = len(told.target)
    rounds = 1 if n > LARGE else ROUNDS
    losses, scores = np.zeros((2, len(STRENGTHS), n))
    for _ in range(rounds):
        fold = _folds(told.target, FOLDS, rng)
        for k in range(int(fold.max()) + 1):
            kept, out = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
            theta, held = anchor.still(), told.some(out)
            for at, strength in enumerate(STRENGTHS):
                if math.isfinite(strength):
                    theta = anchor.fit(told.some(kept) + background, strength, theta)
                score = anchor.score(held, theta)
                scores[at, out] += score / rounds
                losses[at, out] += (np.logaddexp(0.0, score) - held.target * score) / rounds
    best = int(losses.mean(1).argmin())
    gain = losses[0] - losses[best]
    if gain.mean() <= BEYOND * gain.std() / math.sqrt(n):
        best = 0
    return _Tried(losses, scores, best)


def _folds(target: Floats, many: int, rng: Rng) -> Ints:
    """One of so many folds of each label, so that both answers are in all if there are enough."""
    fold = np.zeros(len(target), np.int64)
    for answer in (0.0, 1.0):
        rows = np.flatnonzero(target == answer)
        fold[rng.permutation(rows)] = np.arange(rows.size) % many
    return fold
