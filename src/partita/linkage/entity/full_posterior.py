"""The posterior in full: partitions together with the rates of the entity model.

The model is that of `entities`; but how often records err in a field, how much they copy each
other, and how large entities are is not taken from the pairs: it has priors and is drawn along
with the partition, so that what is not known of it is not known of the entities either. The fitted
pair model only says where the prior of the rates has its middle, and which records may meet.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from partita.data import Column
from partita.errors import InputError
from partita.factors import Model, RatePrior, hit_miss_model, size_law
from partita.kernel import Floats, Ints
from partita.linkage.entity.conditional_u import lifts_of
from partita.linkage.entity.household import kin_of
from partita.linkage.entity.model import (
    alike_values,
    discounted,
    entity_counts,
    entity_fields,
    meeting_values,
    value_frequencies,
)
from partita.linkage.entity.swapped_fields import exchanges_of
from partita.linkage.entity.swapped_names import Turned
from partita.linkage.inference.search import Problem
from partita.linkage.pairwise.scored_pairs import ScoredPairs
from partita.linkage.settings import Settings
from partita.posterior import Posterior, sample
from partita.states import Partition

__all__ = ["full_model", "sample_full"]

STRENGTH, LEAST = 10.0, 0.5
"""The prior of a field's rates counts as much as so many records, and each level at least this."""
CONCENTRATIONS = tuple(np.geomspace(0.2, 500.0, 120).tolist())
"""Values of theta, from records that copy each other to such that err each by itself."""
LEAST_DRAWS, MOST_DRAWS, STEPS = 60, 300, 3_000_000
"""Draws of a chain, at least and at most, and the steps that it takes where that lies between."""
CHEAP = 10_000
"""Steps that are next to nothing beside a draw of all rates: a draw takes at least so many."""
MOST_VALUES = 1_000_000
"""Distinct values that a column may have."""
SPLITS = 0.05
"""The share of splits and merges among the moves."""
ANYWHERE, LOOKS = 0.05, 1.5
"""The share of moves to any entity whatsoever, at most; and how many entities they may look at
for each step of the chain."""


def full_model(
    columns: list[Column],
    scored: ScoredPairs,
    start: Partition,
    rows: Ints,
    problem: Problem,
    turned: Sequence[Turned] = (),
    seed: int = 0,
) -> Model:
    """The entity model of some records, with priors on all that it does not know."""
    for column in columns:
        if len(column.values) > MOST_VALUES:
            raise InputError(
                f"column {column.name!r} has {len(column.values):,} distinct values and "
                f"posterior='full' holds {MOST_VALUES:,} at most; give the column "
                'role = "block", or leave the posterior quick'
            )
    fields = entity_fields(columns, scored.pairs, scored.scores.levels, scored.model, start, rows)
    phi = [
        value_frequencies(discounted(entity_counts(column, start)), scored.model, q)
        for q, column in enumerate(columns)
    ]
    kin = kin_of(columns, phi, scored, start)
    lifts = lifts_of(columns, scored, seed)
    for q, (name, field) in enumerate(fields.items()):
        u = np.maximum(scored.model.u[q], 1e-9)
        prior = RatePrior(_middle(scored.model.m[q]), u, CONCENTRATIONS)
        own = kin.own[q][rows] if kin else None
        alike = _alike(columns[q], scored, q, start)
        fields[name] = replace(
            field,
            prior=prior,
            frequency=phi[q],
            own=own,
            pairs=alike[:, :2],
            levels=alike[:, 2],
            lifts=lifts.of(q, alike[:, :2], alike[:, 2]),
        )
    exchanges = exchanges_of(fields, columns, turned, scored, start, rows)
    law = size_law(rows.size, alone=start.entity.size - rows.size)
    relatives = (kin.template(rows),) if kin else ()
    return Model(hit_miss_model(fields, swaps=exchanges), law, *relatives, *problem.constraints)


def _alike(column: Column, scored: ScoredPairs, q: int, start: Partition) -> Ints:
    """All values of a column that are alike and may meet, also those of no candidate pair."""
    codes = column.codes.astype(np.int64)
    pairs = meeting_values(codes, start.entity, scored.pairs)
    levels = scored.comparisons.columns[q].levels(pairs)
    return alike_values(codes, pairs, levels, len(scored.model.m[q]) - 1)


def _middle(m: Floats) -> Floats:
    """Counts of the prior: one record errs half as often as two."""
    half = m / 2.0
    half[0] = 1.0 - (1.0 - m[0]) / 2.0
    return np.asarray(STRENGTH * half + LEAST, float)


def sample_full(
    model: Model,
    least: float,
    problem: Problem,
    best: Partition,
    rows: Ints,
    feasible: Callable[[Ints], Partition],
    settings: Settings,
    progress: bool,
    anywhere: bool,
) -> Posterior:
    """Chains over all open records: from the best state, and from one with `rows` alone.

    Records meet along pairs with log-odds above `least`. If they may be `anywhere` some moves look
    at all entities: a record that shows little may belong to any, and one that all its candidates
    have left could not leave by the others. `feasible` makes a partition obey the constraints.
    """
    alone = best.entity.copy()
    alone[rows] = problem.n + np.arange(rows.size)
    starts, thin = [best, feasible(alone)], max(CHEAP, problem.n)
    draws = settings.draws or min(MOST_DRAWS, max(LEAST_DRAWS, STEPS // thin))
    share = min(ANYWHERE, LOOKS / int(best.live[0])) if anywhere else 0.0
    return sample(
        model,
        [starts[k % 2] for k in range(settings.chains)],
        proposal=problem.proposal(least, None, SPLITS, share),
        draws=draws,
        tune=draws // 2 if settings.tune is None else settings.tune,
        thin=thin,
        chains=settings.chains,
        cores=settings.threads,
        random_seed=settings.seed,
        progressbar=progress,
    )
