"""`train`: refit the match weights to labelled pairs, or to a column of true entities.

Cross-validation over the labels chooses the penalty on changes of the weights. An infinite penalty
(no change) is one of the choices; any other must have a lower loss on held-out labels by more than
sampling error. Then the records are resolved with the new weights, and the change is rejected
unless it corrects clearly more held-out labels than it breaks.
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
from partita.linkage.supervision.labels import PairLabels, read_labels
from partita.linkage.supervision.refit import PenalisedRefit, TrainingPairs, training_pairs
from partita.linkage.supervision.trained_model import HeldOut, RejectedChange, TrainedModel
from partita.metrics import labels_to_codes
from partita.progress import Clock

__all__ = ["FOLDS", "learn", "train"]

PENALTIES = (math.inf, 100.0, 30.0, 10.0, 3.0, 1.0, 0.3)
"""Penalties on theta that cross-validation compares; infinity is no change."""
FOLDS = 5
"""Folds of the cross-validation. Origin: 0.1."""
REPEATS = 2
"""Repeats of the cross-validation, each with other folds. Origin: 0.1."""
MANY_LABELS = 2000
"""Number of labels above which one cross-validation is enough. Origin: 0.1."""
MIN_LOSS_GAIN = 2.0
"""Standard errors by which the loss on held-out labels must fall. Origin: 0.1."""
MIN_RESOLVED_GAIN = 1.0
"""Standard errors by which corrected labels must exceed broken labels in the resolved records.
Origin: 0.1."""
CERTAIN_SCORE = 4.0
"""Nats; candidates with a larger score, or a smaller negative one, are background pairs.
Origin: 0.1."""
MAX_CANDIDATES = 20_000
"""Candidates that are drawn to find background pairs. Origin: 0.1."""
MAX_BACKGROUND = 1000
"""Background pairs of either sign. Origin: 0.1."""
BACKGROUND_WEIGHT = 5.0
"""Total weight of the background pairs, in multiples of the number of labels. Origin: 0.1."""
MAX_TRUTH_PAIRS = 5000
"""Labels that are drawn from a column of true entities. Origin: 0.1."""


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
    """Refit the match weights to labels, starting from the weights of EM.

    Parameters
    ----------
    data
        Anything that `resolve` takes.
    labels
        A file or a table of labelled pairs, as `partita label` writes it (`pair_files` describes
        the format).
    truth_column
        Instead of labels, a column with the true entity of each record; empty where unknown.
    model
        A trained model whose weights are the starting point.
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
        settings["ignore"] = (*_as_tuple(settings.get("ignore")), truth_column)
    base, start = read_settings(config, settings, model)
    ready = compare_records(data, base, None, start, Clock(progress))
    rng, folding = generators(base.seed, 2)
    if truth_column is not None:
        pair_labels = _labels_from_truth(truth_column, ready, rng)
    else:
        pair_labels = read_labels(labels, ready.records)
    return learn(ready, pair_labels.checked(), folding)


def _as_tuple(names: Any) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names or ())


def _labels_from_truth(column: str, ready: ComparedRecords, rng: Rng) -> PairLabels:
    """Labels of candidate pairs, from a column of true entities."""
    table = ready.records.table
    if column not in table.column_names:
        names = ", ".join(table.column_names)
        raise InputError(f"there is no column {column!r} of true entities; there are {names}")
    entity = labels_to_codes(table.column(column).to_pylist())
    if not (entity >= 0).any():
        raise InputError(f"the column {column!r} of true entities is empty; give labels instead")
    pairs: Ints = ready.prepared.numbering.back(ready.scored.pairs)
    pairs = pairs[(entity[pairs] >= 0).all(1)]
    pairs = pairs[np.sort(rng.permutation(len(pairs))[:MAX_TRUTH_PAIRS])]
    return PairLabels(pairs, entity[pairs[:, 0]] == entity[pairs[:, 1]])


def learn(ready: ComparedRecords, labels: PairLabels, rng: Rng) -> TrainedModel:
    """Refit the weights of compared records, and keep the change only if it resolves better."""
    scored, pairs = ready.scored, ready.prepared.numbering.to(RowIds(labels.pairs))
    differs = pairs[:, 0] != pairs[:, 1]
    usable = PairLabels(pairs[differs], labels.match[differs], labels.unsure).checked()
    scores = scored.model.score(scored.comparisons, usable.pairs)
    labelled = training_pairs(scored.model, scores, usable.match)
    _check_differ(labelled)
    refit = PenalisedRefit(scored.model)
    background = _background(scored, ready.candidates.pairs, BACKGROUND_WEIGHT * len(usable), rng)
    validation = _cross_validate(refit, labelled, background, rng)
    best, gained, lost, rejected = validation.best, 0, 0, None
    if best:
        half = _folds(labelled.target, 2, rng)
        parts = [labelled.subset(np.flatnonzero(half == k)) + background for k in (0, 1)]
        models = [refit.apply(_fit_path(refit, part, best)) for part in parts]
        gained, lost = _count_corrections(ready, models, usable, half)
        if gained + lost > 0 and gained - lost <= MIN_RESOLVED_GAIN * math.sqrt(gained + lost):
            loss, wrong = validation.loss(best), validation.wrong(best, labelled)
            rejected = RejectedChange(PENALTIES[best], loss, wrong, gained, lost)
            best, gained, lost = 0, 0, 0
    theta = _fit_path(refit, labelled + background, best)
    return TrainedModel(
        refit.apply(theta),
        ready.prepared.n,
        HeldOut(
            labels=len(usable),
            matches=int(usable.match.sum()),
            strength=PENALTIES[best],
            loss_before=validation.loss(0),
            loss=validation.loss(best),
            wrong_before=validation.wrong(0, labelled),
            wrong=validation.wrong(best, labelled),
            gained=gained,
            lost=lost,
            rejected=rejected,
        ),
    )


def _fit_path(refit: PenalisedRefit, pairs: TrainingPairs, best: int) -> Floats:
    """Theta at a penalty, fitted from the theta of each larger penalty."""
    theta = refit.no_change()
    for penalty in PENALTIES[1 : best + 1]:
        theta = refit.fit(pairs, penalty, theta)
    return theta


def _count_corrections(
    ready: ComparedRecords, models: Sequence[PairModel], labels: PairLabels, half: Ints
) -> tuple[int, int]:
    """Count held-out labels that a change corrects, and those that it breaks.

    The records are resolved without labels, and with the weights of either half of the labels; the
    other half is held out. Weights that are better for pairs can be worse for entities, because
    other records support an entity too.
    """
    before, *after = (_agree(ready, model, labels) for model in (None, *models))
    corrected = np.where(half == 1, *after)
    return int((corrected & ~before).sum()), int((before & ~corrected).sum())


def _agree(
    ready: ComparedRecords, model: PairModel | None, labels: PairLabels
) -> NDArray[np.bool_]:
    """Mask of the labels that agree with the records resolved by a model."""
    scored = ready.scored
    if model is not None:
        candidates = ready.candidates.pairs if len(ready.candidates.pairs) else scored.pairs
        pairs = candidates.astype(np.int64)
        scored = ScoredPairs.of(scored.comparisons, model, pairs, None, scored.source)
    active = find_active_set(scored, ready.prepared, ready.constraints, ready.settings)
    first = find_first_partition(scored, active, ready.settings.seed)
    choice = choose_model(active, first, ready.settings)
    _, posterior = sample_posterior(active, first, choice, ready.settings, progress=False)
    state = estimate_partition(active, choice, posterior, ready.settings)
    left, right = active.extend(state).entity[labels.pairs].T
    return np.asarray((left == right) == labels.match)


def _check_differ(labelled: TrainingPairs) -> None:
    if (labelled.levels == labelled.levels[0]).all() and np.ptp(labelled.rest) < 1e-12:
        raise InputError(
            f"all {len(labelled.rest)} labelled pairs have the same comparison levels in every "
            "column, so the weights cannot be refitted; label pairs with other levels"
        )


def _background(
    scored: ScoredPairs, candidates: NDArray[np.int32], total: float, rng: Rng
) -> TrainingPairs:
    """Candidates that the model is certain of; they keep weights that no label constrains."""
    places = np.sort(rng.permutation(len(candidates))[:MAX_CANDIDATES])
    sample = candidates[places].astype(np.int64).reshape(-1, 2)
    scores = scored.model.score(scored.comparisons, sample)
    sides = (scores.total > CERTAIN_SCORE, scores.total < -CERTAIN_SCORE)
    rows = np.concatenate([np.flatnonzero(side)[:MAX_BACKGROUND] for side in sides])
    certain = scores.rows(rows)
    weight = total / max(1, rows.size)
    return training_pairs(scored.model, certain, certain.probability, weight)


class _Validation(NamedTuple):
    """Losses and scores of held-out labels at each penalty (rows)."""

    losses: Floats
    scores: Floats
    best: int
    """The number of the chosen penalty."""

    def loss(self, penalty: int) -> float:
        """The mean loss at one penalty."""
        return float(self.losses[penalty].mean())

    def wrong(self, penalty: int, labelled: TrainingPairs) -> int:
        """The number of labels on the wrong side of even odds."""
        return int(((self.scores[penalty] > 0) != (labelled.target > 0.5)).sum())


def _cross_validate(
    refit: PenalisedRefit, labelled: TrainingPairs, background: TrainingPairs, rng: Rng
) -> _Validation:
    """Score every label at every penalty, with weights fitted to the labels of other folds."""
    n = len(labelled.target)
    repeats = 1 if n > MANY_LABELS else REPEATS
    losses, scores = np.zeros((2, len(PENALTIES), n))
    for _ in range(repeats):
        fold = _folds(labelled.target, FOLDS, rng)
        for k in range(int(fold.max()) + 1):
            training, out = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
            theta, test = refit.no_change(), labelled.subset(out)
            for at, penalty in enumerate(PENALTIES):
                if math.isfinite(penalty):
                    theta = refit.fit(labelled.subset(training) + background, penalty, theta)
                score = refit.score(test, theta)
                scores[at, out] += score / repeats
                losses[at, out] += (np.logaddexp(0.0, score) - test.target * score) / repeats
    best = int(losses.mean(1).argmin())
    gain = losses[0] - losses[best]
    if gain.mean() <= MIN_LOSS_GAIN * gain.std() / math.sqrt(n):
        best = 0
    return _Validation(losses, scores, best)


def _folds(target: Floats, folds: int, rng: Rng) -> Ints:
    """The fold of each label; every fold has matches and non-matches if there are enough."""
    fold = np.zeros(len(target), np.int64)
    for answer in (0.0, 1.0):
        rows = np.flatnonzero(target == answer)
        fold[rng.permutation(rows)] = np.arange(rows.size) % folds
    return fold
