"""Fitting of the pairwise model to candidate pairs, without labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from partita.comparison.comparisons import ColumnLike, Comparisons, checked_pairs
from partita.errors import InputError
from partita.kernel import Floats, Ints, generators
from partita.linkage.notes import Note, Severity
from partita.linkage.pairwise.competition import fit_competing
from partita.linkage.pairwise.dependence import Edge, dependence
from partita.linkage.pairwise.em import LEAST_LAM, LEAST_MATCHES, Fit, em
from partita.linkage.pairwise.household import HouseholdClass, fit_household_class
from partita.linkage.pairwise.level_rates import initial_m
from partita.linkage.pairwise.model import (
    Levels,
    PairModel,
    check_levels,
    list_term_frequencies,
    score_term_frequency,
)
from partita.linkage.pairwise.patterns import Patterns, group_patterns
from partita.linkage.pairwise.random_pairs import RandomPairs, count_all_pairs, estimate_u
from partita.linkage.pairwise.term_frequency import exact_agreement

__all__ = ["UNSEPARATED", "fit_pairs", "unfitted_model"]

UNSEPARATED = Note(
    "the model could not separate matches from non-matches; compare more columns, or add "
    "constraints",
    Severity.UNRELIABLE,
)


def _checked(
    pairs: ArrayLike, source: ArrayLike | None, n: int, one_to_one: bool
) -> tuple[Ints, Ints | None]:
    """Candidates, and the source of each record, that fit each other."""
    checked, sources = checked_pairs(pairs, n), _checked_source(source, n)
    if not len(checked):
        raise InputError("there are no candidate pairs; block more loosely")
    _check_sources(checked, sources, one_to_one)
    return checked, sources


def _checked_source(source: ArrayLike | None, n: int) -> Ints | None:
    if source is None:
        return None
    numbers = np.asarray(source)
    if numbers.shape != (n,):
        raise InputError(f"source has shape {numbers.shape} for {n} records; give one for each")
    numbers = np.unique(numbers, return_inverse=True)[1].reshape(-1)
    if numbers.max(initial=0) == 0:
        raise InputError("all records are of one source; leave source out to find duplicates in it")
    return numbers


def _check_sources(pairs: Ints, source: Ints | None, one_to_one: bool) -> None:
    if source is None:
        if one_to_one:
            raise InputError("one_to_one is for records of several sources; give source as well")
        return
    inside = np.flatnonzero(source[pairs[:, 0]] == source[pairs[:, 1]])
    if inside.size:
        i, j = pairs[inside[0]].tolist()
        raise InputError(
            f"the pair [{i}, {j}] is of one source; leave such pairs out, or leave source out"
        )


def _make_notes(comparisons: Comparisons, levels: Levels, fit: Fit, everything: float) -> list[str]:
    notes: list[str] = []
    if fit.lam * everything <= LEAST_MATCHES * 1.01:
        notes.append(UNSEPARATED)
    if not fit.converged:
        steps = "1 step" if fit.steps == 1 else f"{fit.steps} steps"
        notes.append(Note(f"EM did not converge in {steps}; the weights are rough"))
    unseen = []
    for q, names in enumerate(comparisons.level_names):
        observed = np.bincount(levels[:, q][levels[:, q] >= 0], minlength=len(names)) > 0
        missing = [repr(name) for name, there in zip(names, observed, strict=True) if not there]
        if missing:
            unseen.append(f"{comparisons.names[q]} ({', '.join(missing)})")
    if unseen:
        notes.append(
            Note(
                "no candidate pair shows some levels; their weights are those of neighbouring "
                "levels: " + "; ".join(unseen),
                Severity.VERBOSE,
            )
        )
    return notes


def unfitted_model(comparisons: Comparisons) -> PairModel:
    """The model of input without pairs: rates at which EM begins, and no match expected."""
    m = [initial_m(len(names)) for names in comparisons.level_names]
    return PairModel(
        names=comparisons.names,
        column_types=comparisons.column_types,
        comparisons=comparisons.comparisons,
        level_names=comparisons.level_names,
        m=m,
        u=[rates[::-1].copy() for rates in m],
        common=[1.0] * len(m),
        lam=LEAST_LAM,
        edges=[],
        household=None,
        converged=True,
        steps=0,
        warnings=[],
    )


def fit_pairs(
    columns: Sequence[ColumnLike],
    column_types: Sequence[str],
    pairs: ArrayLike,
    n: int,
    *,
    source: ArrayLike | None = None,
    one_to_one: bool = False,
    one_match: bool = False,
    share: float = 1.0,
    seed: int = 0,
    comparisons: Comparisons | None = None,
    levels: Levels | None = None,
    random: RandomPairs | None = None,
    column_weights: Sequence[float] | None = None,
) -> PairModel:
    """Learn the pair model from candidate pairs of n records, without labels.

    Parameters
    ----------
    source
        The source of each record; then only records of different sources can match.
    one_to_one
        Whether no source holds an entity twice: the pairs of a record then compete while m is
        learned. Right for clean sources only; scores of single pairs are not changed by it.
    one_match
        Whether each record of the first source matches one other at most, as rows do in a
        reference: the pairs of a row compete, and losing pairs are a class of their own.
    share
        The share of all candidates that `pairs` are, if they are a sample.
    comparisons, levels
        The prepared columns and the levels of the pairs, if they are there already.
    random
        Random pairs with their levels, if they are drawn already.
    column_weights
        By how much the evidence of each column is tempered, in (0, 1].
    """
    fields = comparisons or Comparisons(columns, column_types)
    if fields.n != n:
        raise InputError(f"n is {n} but the columns have {fields.n} records; give one number")
    checked, sources = _checked(pairs, source, n, one_to_one)
    levels = fields.levels(checked) if levels is None else check_levels(levels, checked, fields)
    common = [exact_agreement(column.codes, sources is not None) for column in fields.columns]
    u = estimate_u(fields, common, sources, random or RandomPairs.draw(fields, sources, seed))
    edges = dependence(fields, u, generators(seed, 2)[1], column_weights or ())
    term_frequencies = list_term_frequencies(fields, common, column_weights or ())
    offset = score_term_frequency(fields, term_frequencies, checked, levels).sum(1)
    patterns = group_patterns(levels, [len(names) for names in fields.level_names], offset)
    possible = count_all_pairs(n, sources)
    guess, everything = min(0.5 * n / possible, 0.5), possible * share
    competing = np.ascontiguousarray(checked) if one_to_one else None
    known = _Estimates(patterns, u, edges, guess, everything, list(column_weights or ()))
    rows = checked[:, 0] if one_match else None
    fit, edges, household = _fit_classes(known, fields.column_types, competing, rows, n)
    return PairModel(
        names=fields.names,
        column_types=fields.column_types,
        comparisons=fields.comparisons,
        level_names=fields.level_names,
        m=fit.m,
        u=fit.u,
        common=common,
        lam=fit.lam,
        edges=edges,
        household=household,
        converged=fit.converged,
        steps=fit.steps,
        warnings=_make_notes(fields, levels, fit, everything),
        column_weights=known.column_weights,
    )


class _Estimates(NamedTuple):
    """Level patterns of the candidates, and all that EM does not estimate."""

    patterns: Patterns
    u: list[Floats]
    edges: list[Edge]
    guess: float
    """The share of matches from which EM starts."""
    everything: float
    column_weights: list[float]


def _fit_classes(
    known: _Estimates,
    column_types: Sequence[str],
    competing: Ints | None,
    rows: Ints | None,
    n: int,
) -> tuple[Fit, list[Edge], HouseholdClass | None]:
    """Fit the matches, and household pairs or losing candidates as a class of their own.

    `competing` are the pairs of links one to one; `rows` are the rows of pairs that compete.
    """
    patterns, u, edges, guess, everything, weights = known
    if rows is not None:
        split = fit_competing(
            patterns,
            u,
            rows,
            column_types,
            lam=guess,
            everything=everything,
            column_weights=weights,
        )
        if split is not None:
            # dependent columns agree among losing candidates, which the third class covers
            return split[0], [], split[1]
    fit = em(
        patterns,
        u,
        guess,
        everything,
        edges=edges,
        competing_pairs=competing,
        n=n,
        column_weights=weights,
    )
    if competing is not None:
        return fit, edges, None
    return _separate_households(patterns, fit, edges, everything, column_types, weights)


def _separate_households(
    patterns: Patterns,
    fit: Fit,
    edges: list[Edge],
    everything: float,
    column_types: Sequence[str],
    column_weights: Sequence[float] | None,
) -> tuple[Fit, list[Edge], HouseholdClass | None]:
    """Separate household pairs from matches, if they are many; else return the fit unchanged."""
    separated = fit_household_class(
        patterns, fit.m, fit.u, fit.lam, everything, column_types, column_weights
    )
    if separated is None:
        return fit, edges, None
    m, lam, household = separated
    # dependent columns agree within households, which the household class covers
    return fit._replace(m=m, lam=lam), [], household
