"""Splink 5 on DuckDB: the calls of its tutorial in their order."""

from __future__ import annotations

import warnings
from typing import Any

from benchmarks.peers.links import Found
from benchmarks.peers.splink_plans import PLANS, Plan, Rule

__all__ = ["load", "run"]


def load() -> str:
    """Import the tool; returns its version."""
    import duckdb  # noqa: F401
    import splink
    import splink.comparison_library

    return splink.__version__


def run(request: dict[str, Any]) -> Found:
    """Records and their clusters, and how to get those of other thresholds."""
    plan = PLANS[request["set"]]
    linker, sources = _linker(request, plan)
    _train(linker, plan)
    scored = linker.inference.predict(threshold_match_probability=plan.least)

    def at(threshold: float) -> tuple[Any, Any]:
        if sources:
            clusters = linker.clustering.cluster_using_single_best_links(
                scored, duplicate_free_datasets=sources, threshold_match_probability=threshold
            )
        else:
            clusters = linker.clustering.cluster_pairwise_predictions_at_threshold(
                scored, threshold_match_probability=threshold
            )
        rows = (
            clusters.as_duckdbpyrelation().select(f"{request['id']}, cluster_id").to_arrow_table()
        )
        return rows.column(0), rows.column(1)

    return Found(*at(plan.threshold), {"threshold": plan.threshold}, at)


def _rule(rule: Rule) -> Any:
    from splink import block_on

    return rule if isinstance(rule, str) else block_on(*rule)


def _linker(request: dict[str, Any], plan: Plan) -> tuple[Any, list[str]]:
    """The model over the file, and the names of its sources where they are to be linked."""
    import duckdb
    import splink.comparison_library as cl
    from splink import DuckDBAPI, Linker, SettingsCreator

    database = duckdb.connect()
    if request["threads"]:
        database.execute(f"set threads to {int(request['threads'])}")
    database.execute(
        f"create table input as select {plan.columns} from read_parquet(?)", [request["path"]]
    )
    source = request["source"]
    settings = SettingsCreator(
        link_type="link_only" if source else "dedupe_only",
        unique_id_column_name=request["id"],
        comparisons=plan.comparisons(cl),
        blocking_rules_to_generate_predictions=[_rule(rule) for rule in plan.blocks],
    )
    tool = DuckDBAPI(connection=database)
    if not source:
        return Linker(tool.register(database.table("input")), settings), []
    rows = database.execute(f"select distinct {source} from input order by 1").fetchall()
    names = [name for (name,) in rows]
    parts = []
    for name in names:
        part = database.table("input").filter(f"{source} = '{name}'").select(f"* exclude {source}")
        parts.append(tool.register(part, dataset_display_name=name))
    return Linker(parts, settings), names


def _train(linker: Any, plan: Plan) -> None:
    training = linker.training
    training.estimate_probability_two_random_records_match(
        [_rule(rule) for rule in plan.certain], recall=plan.recall
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        training.estimate_u_using_random_sampling(max_pairs=plan.sample, seed=plan.seed)
        for rule in plan.train:
            training.estimate_parameters_using_expectation_maximisation(
                _rule(rule), estimate_without_term_frequencies=plan.fixed_frequencies
            )
