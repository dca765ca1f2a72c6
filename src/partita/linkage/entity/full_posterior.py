"""The full posterior: partitions together with the rates of the entity model.

The model is that of `entity.model`. But the error rates of fields, the rate of copying and the
sizes of entities are not taken from the pairwise model: they have priors and are sampled together
with the partition, so that their uncertainty is part of the uncertainty of the entities. The
fitted pairwise model only sets the prior means of the rates and the pairs along which records move.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from partita.data import Column
from partita.errors import InputError
from partita.factors import Model, RatePrior, hit_miss_model, size_law
from partita.kernel import Floats, Ints
from partita.linkage.entity.conditional_u import fit_conditional_u
from partita.linkage.entity.household import find_households
from partita.linkage.entity.model import (
    count_entities,
    discount_counts,
    entity_fields,
    list_fuzzy_values,
    list_mergeable_values,
    value_frequencies,
)
from partita.linkage.entity.swapped_fields import build_swaps
from partita.linkage.entity.swapped_names import SwappedNames
from partita.linkage.inference.chains import ChainLength, ChainPlan
from partita.linkage.inference.search import Problem
from partita.linkage.pairwise.scored_pairs import ScoredPairs
from partita.posterior import Posterior
from partita.states import Partition

__all__ = ["full_model", "sample_full"]

PRIOR_RECORDS = 10.0
"""Records that the prior of a field's rates counts as. Origin: 0.1."""
MIN_PRIOR_COUNT = 0.5
"""Prior count of each level, at least. Origin: 0.1."""
CONCENTRATIONS = tuple(np.geomspace(0.2, 500.0, 120).tolist())
"""Grid of theta, from records that copy each other to records that err independently.
Origin: 0.1."""
MIN_FULL_DRAWS = 60
"""Draws of a chain at least. Origin: 0.1."""
MAX_FULL_DRAWS = 300
"""Draws of a chain at most. Origin: 0.1."""
FULL_STEPS = 3_000_000
"""Step budget of a chain, which decides between the two limits. Origin: 0.1."""
FULL_TUNE_SHARE = 0.5
"""Discarded draws per kept draw of a chain. Origin: 0.1."""
MIN_STEPS_PER_DRAW = 10_000
"""Steps between two draws at least; they cost less than one update of all rates. Origin: 0.1."""
MAX_VALUES = 1_000_000
"""Distinct values of a column at most. Origin: 0.1."""
FULL_SPLIT_MERGE_SHARE = 0.05
"""Share of split-merge moves. Origin: 0.1."""
MAX_GLOBAL_SHARE = 0.05
"""Share of moves that score all entities, at most. Origin: 0.1."""
ENTITIES_PER_STEP = 1.5
"""Entities that such moves may score per step of the chain. Origin: 0.1."""


def full_model(
    columns: list[Column],
    scored: ScoredPairs,
    start: Partition,
    rows: Ints,
    problem: Problem,
    swapped: Sequence[SwappedNames] = (),
    seed: int = 0,
) -> Model:
    """Build the entity model of some records, with priors on rates and sizes."""
    for column in columns:
        if len(column.values) > MAX_VALUES:
            raise InputError(
                f"column {column.name!r} has {len(column.values):,} distinct values and "
                f"posterior='full' holds {MAX_VALUES:,} at most; give the column "
                'role = "block", or leave the posterior quick'
            )
    fields = entity_fields(columns, scored.pairs, scored.scores.levels, scored.model, start, rows)
    phi = [
        value_frequencies(discount_counts(count_entities(column, start)), scored.model, q)
        for q, column in enumerate(columns)
    ]
    households = find_households(columns, phi, scored, start)
    conditional_u = fit_conditional_u(columns, scored, seed)
    for q, (name, field) in enumerate(fields.items()):
        u = np.maximum(scored.model.u[q], 1e-9)
        prior = RatePrior(_prior_counts(scored.model.m[q]), u, CONCENTRATIONS)
        own = households.own[q][rows] if households else None
        fuzzy = _list_fuzzy_values(columns[q], scored, q, start)
        fields[name] = replace(
            field,
            prior=prior,
            frequency=phi[q],
            own=own,
            pairs=fuzzy[:, :2],
            levels=fuzzy[:, 2],
            conditional_u=conditional_u.of(q, fuzzy[:, :2], fuzzy[:, 2]),
        )
    swaps = build_swaps(fields, columns, swapped, scored, start, rows)
    law = size_law(rows.size, alone=start.entity.size - rows.size)
    household_template = (households.template(rows),) if households else ()
    return Model(
        hit_miss_model(fields, swaps=swaps), law, *household_template, *problem.constraints
    )


def _list_fuzzy_values(column: Column, scored: ScoredPairs, q: int, start: Partition) -> Ints:
    """All fuzzily equal values of a column that an entity may hold, candidate pair or not."""
    codes = column.codes.astype(np.int64)
    pairs = list_mergeable_values(codes, start.entity, scored.pairs)
    levels = scored.comparisons.columns[q].levels(pairs)
    return list_fuzzy_values(codes, pairs, levels, len(scored.model.m[q]) - 1)


def _prior_counts(m: Floats) -> Floats:
    """Counts of the prior: the error rate of one record is half of that between two."""
    half = m / 2.0
    half[0] = 1.0 - (1.0 - m[0]) / 2.0
    return np.asarray(PRIOR_RECORDS * half + MIN_PRIOR_COUNT, float)


def sample_full(model: Model, plan: ChainPlan, least: float, anywhere: bool) -> Posterior:
    """Run chains in which all active records move, along pairs with log-odds above `least`.

    With `anywhere`, some moves score all entities: a record with few values may belong to any
    entity, and a record that all its candidates have left could not leave otherwise.
    """
    entities = int(plan.best.live[0])
    share = min(MAX_GLOBAL_SHARE, ENTITIES_PER_STEP / entities) if anywhere else 0.0
    proposal = plan.problem.proposal(least, None, FULL_SPLIT_MERGE_SHARE, share)
    length = ChainLength(MIN_FULL_DRAWS, MAX_FULL_DRAWS, FULL_STEPS, FULL_TUNE_SHARE)
    return plan.run(model, proposal, length, max(MIN_STEPS_PER_DRAW, plan.problem.n))
