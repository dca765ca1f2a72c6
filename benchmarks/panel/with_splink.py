"""Splink with default comparisons on the columns and types that our profile finds.

The parent profiles the files and passes columns and types; the child runs in the Python that has
Splink. Comparisons and blocking rules follow from types alone: no choice is made by a score.
"""

from __future__ import annotations

import warnings
from typing import Any

from benchmarks.peers.links import Found

__all__ = ["load", "measure_splink", "run"]

MODULE = "benchmarks.panel.with_splink"
THRESHOLD = 0.95
"""Match probability of a link: the value in Splink's README."""
RECALL = 0.7
"""Assumed recall of the deterministic rules: the value in Splink's tutorial."""
MAX_BLOCKED_PAIRS = 5_000_000
"""Largest number of pairs of a blocking rule; rules above it are left out."""
MAX_CERTAIN_RULES = 6
"""Largest number of deterministic rules, each of two columns."""
U_PAIRS = 1e6
"""Random pairs from which u is estimated: Splink's default."""


def measure_splink(task: Any, limits: Any) -> dict[str, Any]:
    """Scores of Splink; the status reports a failure or a missing installation."""
    from benchmarks.panel.scoring import measure_tool
    from benchmarks.panel.sets import SOURCE
    from partita.data import profile, read

    paths = [str(path) for path in task.paths]
    profiles = profile(read(paths if len(paths) > 1 else paths[0], id="id"))
    usable = [column for column in profiles if column.is_usable and column.name != SOURCE]
    columns = [[column.name, column.type] for column in usable]
    return measure_tool("splink", task, limits, {"module": MODULE, "columns": columns})


def load() -> str:
    """Import the tool; returns its version."""
    import duckdb  # noqa: F401
    import splink
    import splink.comparison_library

    return splink.__version__


def run(request: dict[str, Any]) -> Found:
    """Records and clusters at the default threshold."""
    import duckdb
    import splink.comparison_library as cl
    from splink import DuckDBAPI, Linker, SettingsCreator, block_on

    database = duckdb.connect()
    database.execute(f"set threads to {int(request['threads'])}")
    columns = [name for name, _ in request["columns"]]
    tables = [_table(database, path, k, columns) for k, path in enumerate(request["paths"])]
    blocked = {name: _pairs(database, tables, [name]) for name in columns}
    rules = [[name] for name, pairs in blocked.items() if 0 < pairs <= MAX_BLOCKED_PAIRS]
    if not rules:
        raise ValueError("every blocking rule on one column makes too many pairs")
    settings = SettingsCreator(
        link_type="link_only" if len(tables) > 1 else "dedupe_only",
        unique_id_column_name="id",
        comparisons=[_comparison(cl, name, kind) for name, kind in request["columns"]],
        blocking_rules_to_generate_predictions=[block_on(*rule) for rule in rules],
    )
    tool = DuckDBAPI(connection=database)
    parts = [
        tool.register(database.table(name), dataset_display_name=f"{name}_file")
        if len(tables) > 1
        else tool.register(database.table(name))
        for name in tables
    ]
    linker = Linker(parts if len(parts) > 1 else parts[0], settings)
    both = [[*a, *b] for k, a in enumerate(rules) for b in rules[k + 1 :]]
    certain = [rule for rule in both if _pairs(database, tables, rule)][:MAX_CERTAIN_RULES]
    _train(linker, rules, certain or rules[:1], block_on)
    scored = linker.inference.predict(threshold_match_probability=0.01)
    if len(tables) > 1:
        clusters = linker.clustering.cluster_using_single_best_links(
            scored,
            duplicate_free_datasets=[f"{name}_file" for name in tables],
            threshold_match_probability=THRESHOLD,
        )
    else:
        clusters = linker.clustering.cluster_pairwise_predictions_at_threshold(
            scored, threshold_match_probability=THRESHOLD
        )
    rows = clusters.as_duckdbpyrelation().select("id, cluster_id").to_arrow_table()
    return Found(rows.column(0), rows.column(1), {"rules": rules})


def _table(database: Any, path: str, number: int, columns: list[str]) -> str:
    """Load one file with all columns in lower case; columns that it lacks are null."""
    own = {row[0] for row in database.execute(f"describe from '{path}'").fetchall()}
    chosen = [
        f'lower("{name}") as "{name}"' if name in own else f'null::varchar as "{name}"'
        for name in columns
    ]
    name = f"input_{number}"
    database.execute(f"create table {name} as select id, {', '.join(chosen)} from '{path}'")
    return name


def _pairs(database: Any, tables: list[str], columns: list[str]) -> float:
    """Number of pairs that agree in all columns, over all files together."""
    names = ", ".join(f'"{name}"' for name in columns)
    filled = " and ".join(f'"{name}" is not null' for name in columns)
    union = " union all ".join(f"select {names} from {table}" for table in tables)
    counts = f"select {names}, count(*) as c from ({union}) where {filled} group by all"
    return database.execute(f"select sum(c * (c - 1) / 2) from ({counts})").fetchall()[0][0] or 0.0


def _comparison(cl: Any, name: str, kind: str) -> Any:
    """Splink's default comparison for a column of our type."""
    if kind in ("given name", "surname", "full name"):
        return cl.NameComparison(name)
    if kind in ("long text", "list", "address"):
        return cl.JaccardAtThresholds(name, [0.9, 0.7])
    if kind == "email":
        return cl.EmailComparison(name)
    if kind in ("category", "number"):
        return cl.ExactMatch(name).configure(term_frequency_adjustments=True)
    return cl.LevenshteinAtThresholds(name, [1, 2])


def _train(linker: Any, rules: list[list[str]], certain: list[list[str]], block_on: Any) -> None:
    """Estimate lambda from agreement on two columns at once, u from random pairs, m by EM."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        linker.training.estimate_probability_two_random_records_match(
            [block_on(*rule) for rule in certain], recall=RECALL
        )
        linker.training.estimate_u_using_random_sampling(max_pairs=U_PAIRS, seed=1)
        for rule in rules[:3]:
            linker.training.estimate_parameters_using_expectation_maximisation(block_on(*rule))
