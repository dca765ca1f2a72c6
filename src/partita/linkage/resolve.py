"""`resolve`: every stage in order, from reading records to entities with probabilities.

`partita block`, `label` and `train` run the first stages by the same functions.
"""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import Any, NamedTuple

import numpy as np

from partita.blocking.candidates import Candidates
from partita.data import ColumnProfile, Records, check_output, profile, read
from partita.kernel import Floats, Ints
from partita.linkage.authors.detection import MentionColumns
from partita.linkage.authors.reading import (
    choose_mentions,
    normalise_mentions,
)
from partita.linkage.checkpoint import open_checkpoint
from partita.linkage.column_weights import list_notes, weigh_columns
from partita.linkage.columns import choose_columns
from partita.linkage.compare import (
    block_records,
    choose_words,
    read_candidates,
    score_candidates,
)
from partita.linkage.config import load_settings, rename_setting
from partita.linkage.extraction import Cluster, Readings, extract_fields, mix_readings
from partita.linkage.inference.active_set import find_active_set
from partita.linkage.inference.first_partition import find_first_partition
from partita.linkage.inference.marginals import Marginals
from partita.linkage.inference.model_choice import choose_model
from partita.linkage.inference.sampling import estimate_partition, sample_posterior
from partita.linkage.memory import check_memory, check_width
from partita.linkage.notes import Note
from partita.linkage.numbering import ids_by_first_place
from partita.linkage.output.survivorship import parse_rules
from partita.linkage.output.tables import RESULTS
from partita.linkage.pairwise.fit import UNSEPARATED
from partita.linkage.pairwise.scored_pairs import ScoredPairs
from partita.linkage.prepare import Prepared, prepare
from partita.linkage.readings.prior import load_prior
from partita.linkage.result import Resolution
from partita.linkage.settings import Settings
from partita.linkage.supervision.constraints import Constraints, read_constraints
from partita.linkage.supervision.predicates import check_predicates
from partita.linkage.supervision.trained_model import TrainedModel, interpret_model
from partita.linkage.task import (
    choose_task,
    exclusive_sources,
    explain_mode,
    use_source_column,
)
from partita.progress import Clock
from partita.states import Partition

__all__ = [
    "ComparedRecords",
    "compare_records",
    "profile_columns",
    "read_compared",
    "read_input",
    "read_settings",
    "resolve",
]


def resolve(
    data: Any,
    *,
    config: str | PathLike[str] | Mapping[str, Any] | Settings | None = None,
    constraints: Any = None,
    model: str | PathLike[str] | TrainedModel | None = None,
    progress: bool = False,
    checkpoint: str | PathLike[str] | None = None,
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
        A file or table of pairs of records that must or cannot be one entity.
    model
        A model of `train` or `Resolution.save_model`, or its file; or the setting of this name.
    progress
        Whether long work shows a bar.
    checkpoint
        A folder for candidate pairs and chains; after a kill the same call continues from it.
    settings
        Single settings that go before those of `config`; see `Settings`.

    Examples
    --------
    >>> rows = [{"name": "Ann Lee", "town": "Ely"}] * 2 + [{"name": "Bob Orr", "town": "Bath"}]
    >>> [row["cluster_id"] for row in resolve(rows, seed=1).table()]
    [0, 0, 2]
    """
    (basis, trained), clock = read_settings(config, settings, model), Clock(progress)
    with clock.stage("read", "reading records"):
        records, task, rules = read_input(data, basis, constraints)
        records, task, readings = extract_fields(records, task, cluster_by(rules, trained))
        saved = open_checkpoint(checkpoint, records, basis, rules, trained)
    with clock.stage("profile", "profiling columns"):
        profiles, mentions, chosen = choose_route(records, task, basis, trained)
    with clock.stage("block", "finding candidate pairs") as report:
        prepared = normalise_mentions(records, prepare(records, chosen, rules.rows), mentions)
        candidates = saved.candidates(lambda: block_records(prepared, chosen, report, mentions))
    with clock.stage("compare", "comparing candidate pairs"):
        prepared, chosen = choose_words(records, prepared, candidates, chosen)
        scored = score_candidates(prepared, candidates, chosen, trained, mentions)
    with clock.stage("reading", "choosing the reading"):
        scored, reading = read_candidates(scored, prepared, candidates, chosen, trained, mentions)
        scored = mix_readings(scored, readings, prepared, candidates.pairs, chosen)
    with clock.stage("cluster", "clustering scored pairs"):
        active = find_active_set(scored, prepared, rules, chosen)
        first = find_first_partition(scored, active, chosen.seed)
    with clock.stage("model", "choosing the model"):
        choice = choose_model(active, first, chosen)
    with clock.stage("sample"):
        sampled, posterior = sample_posterior(active, first, choice, chosen, progress, saved.chains)
    with clock.stage("estimate", "estimating the partition"):
        state = estimate_partition(active, choice, posterior, chosen, reading.is_new)
    with clock.stage("marginals", "computing posterior marginals"):
        marginals = Marginals(active.numbering, posterior)
        labels, p_member, p_cluster = expand_to_rows(prepared, active.extend(state), marginals)
    notes = list_notes(profiles, basis, chosen)
    return Resolution(
        records=records,
        settings=chosen,
        profiles=profiles,
        why_mode=explain_mode(records, chosen, basis, scored.rates),
        labels=labels,
        p_member=p_member,
        p_cluster=p_cluster,
        prepared=prepared,
        blocking=candidates,
        scored=first.scored if first is not None else scored,
        reading=reading,
        chosen_model=choice.name,
        why_model=choice.why,
        model=sampled,
        state=state,
        marginals=marginals,
        constraints=rules,
        warnings=add_notes(records, prepared, scored, labels, notes, reading.is_new),
        seconds=clock.seconds,
    ).warn()


def cluster_by(rules: Constraints, trained: TrainedModel | None) -> Cluster:
    """Return the function that clusters records by extracted fields, with these constraints."""

    def cluster(records: Records, settings: Settings, readings: Readings) -> Ints:
        """Run the stages of `resolve` without sampling; return the cluster of each row."""
        _, chosen = profile_columns(records, settings, trained)
        prepared = prepare(records, chosen, rules.rows)
        candidates = block_records(prepared, chosen)
        prepared, chosen = choose_words(records, prepared, candidates, chosen)
        scored = score_candidates(prepared, candidates, chosen, trained)
        scored, _ = read_candidates(scored, prepared, candidates, chosen, trained, None)
        scored = mix_readings(scored, readings, prepared, candidates.pairs, chosen)
        active = find_active_set(scored, prepared, rules, chosen)
        first = find_first_partition(scored, active, chosen.seed)
        state = active.extend(None if first is None else first.state)
        return prepared.numbering.expand(state.entity)

    return cluster


def add_notes(
    records: Records,
    prepared: Prepared,
    scored: ScoredPairs,
    labels: Ints,
    unused: list[str],
    is_new_reading: bool,
) -> list[str]:
    """Add the notes of all stages; those on failed separation count the linked records.

    The notes of EM are left out where the prior scores the pairs.
    """
    em_notes = [] if is_new_reading else scored.model.warnings
    notes = [Note.of(text) for text in (*records.notes, *prepared.notes, *em_notes)]
    linked = int((np.bincount(labels)[labels] > 1).sum())
    share = f"{linked:,} of {records.n:,} records were linked, identical records included"
    return unused + [
        Note(f"{note}; {share}", note.severity) if note == UNSEPARATED else note for note in notes
    ]


class ComparedRecords(NamedTuple):
    """Records with scored candidate pairs: the stages of `resolve` before inference."""

    records: Records
    settings: Settings
    constraints: Constraints
    prepared: Prepared
    candidates: Candidates
    scored: ScoredPairs


def compare_records(
    data: Any, basis: Settings, constraints: Any, trained: TrainedModel | None, clock: Clock
) -> ComparedRecords:
    """Run the stages of `resolve` up to the comparison of candidate pairs, for labels."""
    with clock.stage("read", "reading records"):
        records, task, rules = read_input(data, basis, constraints)
    with clock.stage("profile", "profiling columns"):
        _, chosen = profile_columns(records, task, trained)
    with clock.stage("block", "finding candidate pairs") as report:
        prepared = prepare(records, chosen, rules.rows)
        candidates = block_records(prepared, chosen, report)
    with clock.stage("compare", "comparing candidate pairs"):
        prepared, chosen = choose_words(records, prepared, candidates, chosen)
        scored = score_candidates(prepared, candidates, chosen, trained)
    return ComparedRecords(records, chosen, rules, prepared, candidates, scored)


def read_compared(
    ready: ComparedRecords, trained: TrainedModel | None, clock: Clock
) -> ComparedRecords:
    """Score compared records by the reading of the file, so that labels can settle disputes."""
    with clock.stage("reading", "choosing the reading"):
        scored, _ = read_candidates(
            ready.scored, ready.prepared, ready.candidates, ready.settings, trained, None
        )
    return ready._replace(scored=scored)


def read_input(
    data: Any, settings: Settings, constraints: Any
) -> tuple[Records, Settings, Constraints]:
    """Read the records, choose the task (mode) and read the constraints.

    A column of sources is used as such, unless the settings give its role.
    """
    records = read(
        data,
        id=settings.id,
        source=settings.source,
        ignore=settings.ignore,
        memory=settings.memory,
        header=settings.header,
        encoding=settings.encoding,
        delimiter=settings.delimiter,
        map=settings.map or None,
    )
    check_output(records, RESULTS)
    check_memory(records, settings.memory)
    check_width(records)
    records, settings = use_source_column(records, settings)
    parse_rules(settings.survivorship, records)
    settings = choose_task(records, settings)
    rules = read_constraints(constraints, records, exclusive_sources(records, settings))
    return records, settings, rules


def profile_columns(
    records: Records, settings: Settings, trained: TrainedModel | None = None
) -> tuple[list[ColumnProfile], Settings]:
    """Profile the columns and complete the settings with the type and role of each."""
    profiles = weigh_columns(records, profile(records, seed=settings.seed), settings)
    chosen = choose_columns(profiles, settings)
    if trained is not None:
        chosen = trained.fitting(chosen)
    used = [name for name, column in chosen.columns.items() if column.role != "ignore"]
    check_predicates(chosen.predicates, used)
    return profiles, chosen


def choose_route(
    records: Records, task: Settings, basis: Settings, trained: TrainedModel | None
) -> tuple[list[ColumnProfile], MentionColumns | None, Settings]:
    """Profile the columns; choose author mentions or records."""
    profiles, chosen = profile_columns(records, task, trained)
    mentions, chosen = choose_mentions(records, profiles, basis, chosen, trained)
    return profiles, mentions, chosen


def read_settings(
    config: Any, settings: Mapping[str, Any], model: Any = None
) -> tuple[Settings, TrainedModel | None]:
    """Read a config and override it by single settings; load the trained model, if any.

    Columns to ignore, and settings of columns, add to those of the config.
    """
    base = load_settings(config)
    name, trained = interpret_model(model)
    single = {name: value for name, value in settings.items() if value is not None}
    if name is not None:
        single["model"] = name
    for key in ("ignore", "compare", "map", "survivorship"):
        if isinstance(single.get(key), str):
            single[key] = [single[key]]
    typed = load_settings(single)
    overrides = {name: getattr(typed, name) for name in map(rename_setting, single)}
    if "columns" in overrides:
        overrides["columns"] = {**base.columns, **overrides["columns"]}
    for key in ("ignore", "compare"):
        if key in overrides:
            overrides[key] = tuple(dict.fromkeys((*getattr(base, key), *overrides[key])))
    chosen = base.replaced(**overrides).checked()
    if chosen.prior is not None:
        # a wrong file fails before any work
        load_prior(chosen.prior)
    return chosen, trained


def expand_to_rows(
    prepared: Prepared, partition: Partition, marginals: Marginals
) -> tuple[Ints, Floats, Floats]:
    """Labels, p_member and p_cluster of all rows; clusters are numbered by their first row."""
    rows = prepared.numbering
    copies = np.bincount(rows.narrow, minlength=prepared.n)
    p_member, p_cluster = marginals.of(partition.entity, copies)
    _, labels = ids_by_first_place(rows.expand(partition.entity))
    return labels, rows.expand(p_member), rows.expand(p_cluster)
