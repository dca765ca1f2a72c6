"""GoldenMatch without configuration: its documented `dedupe(file)` and `match(file, file)`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.peers.links import Found, components, one_to_one

__all__ = ["load", "run"]


def load() -> str:
    """Import the tool; returns its version."""
    import goldenmatch

    return goldenmatch.__version__


def run(request: dict[str, Any]) -> Found:
    """Records and their clusters."""
    if request["source"] is not None:
        return _link(request)
    import goldenmatch
    import pyarrow.parquet as pq

    result = goldenmatch.dedupe(request["path"])
    ids = pq.read_table(request["path"], columns=[request["id"]]).column(0).to_pylist()
    records: list[int] = []
    clusters: list[int] = []
    for cluster, facts in result.clusters.items():
        records += [ids[row] for row in facts["members"]]
        clusters += [cluster] * len(facts["members"])
    return Found(records, clusters, {})


def _link(request: dict[str, Any]) -> Found:
    """Best match of each record of the first source; each of the second keeps its best."""
    import goldenmatch
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    table = pq.read_table(request["path"])
    files = []
    for source in table.column(request["source"]).unique().to_pylist():
        part = table.filter(pc.equal(table.column(request["source"]), source))
        files.append(str(Path(request["answer"]).with_name(f"{source}.parquet")))
        pq.write_table(part.drop_columns([request["source"]]), files[-1])
    matches = goldenmatch.match(*files).matched
    key = request["id"]
    names = (f"target_{key}", f"ref_{key}", "__match_score__")
    left, right, scores = (matches.column(name).to_pylist() for name in names)
    links = zip(map(int, left), map(int, right), scores, strict=True)
    ids = table.column(key).to_pylist()
    return Found(ids, components(len(ids), one_to_one(links)), {"links": matches.num_rows})
