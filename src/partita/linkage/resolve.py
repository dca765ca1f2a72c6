"""`resolve`: records in, entities with probabilities out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from os import PathLike
from typing import Any, NamedTuple

import numpy as np

from partita.blocking.candidates import Candidates, find_candidates
from partita.comparison.comparisons import Comparisons
from partita.data import ColumnProfile, Records, check_output, profile, read
from partita.kernel import Floats, Ints
from partita.linkage.columns import choose_columns
from partita.linkage.config import load_settings
from partita.linkage.inference.joint import Answer, infer
from partita.linkage.memory import check_memory
from partita.linkage.numbering import ids_by_first_place
from partita.linkage.pairwise.model import fit_pairs
from partita.linkage.pairwise.scored_pairs import ScoredPairs
from partita.linkage.prepare import Prepared, choose_mode, prepare
from partita.linkage.result import RESULTS, Resolution
from partita.linkage.settings import Settings
from partita.linkage.stages import Clock
from partita.linkage.supervision.constraints import Constraints, read_constraints
from partita.linkage.supervision.predicates import check_predicates
from partita.linkage.supervision.trained_model import TrainedModel, given_model

__all__ = ["Compared", "asked_settings", "block_records", "compared", "resolve", "weigh"]


ENOUGH = 300_000
"""Candidates from which the weights are learned, if there are so many."""
FEW = 200
"""Records that are all compared with each other where no search finds any alike."""


def resolve(
    data: Any,
    *,
    config: str | PathLike[str] | Mapping[str, Any] | Settings | None = None,
    constraints: Any = None,
    model: str | PathLike[str] | TrainedModel | None = None,
    progress: bool = False,
    **settings: Any,
) -> Resolution:
    """Resolve records into entities, each with its probability.

    Parameters
    ----------
    data
        Whatever `partita.data.read` takes: files, data frames, Arrow, DuckDB relations, dicts.
    config
        A partita.toml, or the same as a dict or as `Settings`.
    constraints
        Pairs of records that must or cannot be one entity: a file or a table.
    model
        A model that `train` has made, or its file; or the setting of this name.
    progress
        Whether long work shows a bar.
    settings
        Single settings that go before those of `config`; see `Settings`.

    Examples
    --------
    >>> rows = [{"name": "Ann Lee", "town": "Ely"}] * 2 + [{"name": "Bob Orr", "town": "Bath"}]
    >>> [row["cluster_id"] for row in resolve(rows, seed=1).table()]
    [0, 0, 2]
    """
    asked, trained = asked_settings(config, settings, model)
    clock = Clock(progress)
    ready = compared(data, asked, constraints, trained, clock)
    prepared = ready.prepared
    answer = infer(
        ready.scored, prepared, ready.constraints, ready.settings, clock, progress=progress
    )
    with clock.stage("chances", "counting draws"):
        labels, p_member, p_cluster = _unfolded(prepared, answer)
    return Resolution(
        records=ready.records,
        settings=ready.settings,
        profiles=ready.profiles,
        mode=ready.mode,
        labels=labels,
        p_member=p_member,
        p_cluster=p_cluster,
        prepared=prepared,
        answer=answer,
        blocking=ready.found,
        constraints=ready.constraints,
        warnings=[*ready.records.notes, *prepared.notes, *ready.scored.model.warnings],
        seconds=clock.seconds,
    )


class Compared(NamedTuple):
    """Records whose candidate pairs are compared and weighed: all that inference starts from."""

    records: Records
    settings: Settings
    profiles: list[ColumnProfile]
    mode: str
    constraints: Constraints
    prepared: Prepared
    found: Candidates
    scored: ScoredPairs


def compared(
    data: Any, asked: Settings, constraints: Any, trained: TrainedModel | None, clock: Clock
) -> Compared:
    """Read records, find candidates and weigh them, by a trained model if there is one."""
    with clock.stage("read", "reading"):
        records = read(
            data, id=asked.id, source=asked.source, ignore=asked.ignore, memory=asked.memory
        )
        check_output(records, RESULTS)
        check_memory(records, asked.memory)
        mode = choose_mode(records, asked)
        ruled = read_constraints(constraints, records, one_to_one=asked.one_to_one)
    with clock.stage("profile", "looking at the columns"):
        profiles = profile(records, seed=asked.seed)
        chosen = choose_columns(profiles, asked)
        if trained is not None:
            chosen = trained.fitting(chosen)
    with clock.stage("block", "finding candidate pairs") as report:
        prepared = prepare(records, chosen, mode, ruled.rows)
        check_predicates(chosen.predicates, [column.name for column in prepared.columns])
        found = block_records(prepared, chosen, mode, report)
    with clock.stage("weigh", "comparing and weighing pairs"):
        scored = weigh(prepared, found, chosen, mode, trained)
    return Compared(records, chosen, profiles, mode, ruled, prepared, found, scored)


def asked_settings(
    config: Any, settings: Mapping[str, Any], model: Any = None
) -> tuple[Settings, TrainedModel | None]:
    """The settings of a config with single ones before them, and a trained model if one is given.

    Columns to ignore add up.
    """
    base = load_settings(config)
    name, trained = given_model(model)
    given = {name: value for name, value in settings.items() if value is not None}
    if name is not None:
        given["model"] = name
    if isinstance(given.get("ignore"), str):
        given["ignore"] = [given["ignore"]]
    typed = load_settings(given)
    own = {name: getattr(typed, name) for name in given}
    if "ignore" in own:
        own["ignore"] = tuple(dict.fromkeys((*base.ignore, *own["ignore"])))
    return base.replaced(**own).checked(), trained


def _across(prepared: Prepared, mode: str) -> Ints | None:
    """The sources, where only pairs across them can match."""
    return prepared.source if mode == "link" else None


def block_records(
    prepared: Prepared,
    settings: Settings,
    mode: str,
    progress: Callable[[float], None] | None = None,
) -> Candidates:
    """The pairs of distinct records worth comparing."""
    return find_candidates(
        {column.name: column for column in prepared.columns},
        source=_across(prepared, mode),
        k=settings.neighbours,
        seed=settings.seed,
        rules=settings.rules,
        largest_block=settings.largest_block,
        cores=settings.threads,
        progress=progress,
    )


def weigh(
    prepared: Prepared,
    found: Candidates,
    settings: Settings,
    mode: str,
    trained: TrainedModel | None = None,
) -> ScoredPairs:
    """The candidates compared, and what that says of the columns, or what is known of them."""
    # as narrow as they come: of very many pairs only slices are widened
    pairs = found.pairs
    if not len(pairs):
        # nothing is alike: a few pairs are enough to see that
        pairs = np.stack(np.triu_indices(min(prepared.n, FEW), 1), 1).astype(pairs.dtype)
    made = Comparisons(prepared.compared, prepared.kinds, prepared.comparisons)
    across = _across(prepared, mode)
    if trained is not None:
        known = trained.for_records(made.names, prepared.n)
        return ScoredPairs.of(made, known, pairs, None, across)
    rivals = settings.one_to_one and across is not None
    # where every record has rivals all pairs are needed to know them
    step = 1 if rivals else max(1, len(pairs) // ENOUGH)
    some = pairs[::step].astype(np.int64)
    levels = made.levels(some)
    model = fit_pairs(
        prepared.compared,
        prepared.kinds,
        some,
        prepared.n,
        source=across,
        one_to_one=rivals,
        share=len(some) / len(pairs),
        seed=settings.seed,
        comparisons=made,
        levels=levels,
    )
    return ScoredPairs.of(made, model, pairs, levels if step == 1 else None, across)


def _unfolded(prepared: Prepared, answer: Answer) -> tuple[Ints, Floats, Floats]:
    """Clusters of all records, numbered by first record, and their probabilities."""
    rows = prepared.numbering
    copies = np.bincount(rows.narrow, minlength=prepared.n)
    p_member, p_cluster = answer.marginals.of(answer.labels, copies)
    _, labels = ids_by_first_place(rows.expand(answer.labels))
    return labels, rows.expand(p_member), rows.expand(p_cluster)
