"""Generated files with known truth, which add domains to the training of the prior."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from benchmarks.panel.sets import Task
from partita import synthetic

__all__ = ["GENERATED", "generate_task"]

RECORDS = 3_000
"""Records of a generated file."""
SEEDS = (11, 12)
"""Seeds of the generated files; ways of writing differ from seed to seed."""
SOURCE = "source"


@dataclass(frozen=True)
class Generated:
    """One generated file."""

    domain: str
    generate: Callable[..., Any]
    linked: bool = False
    """Whether two sources are generated, and passed as two files."""
    seed: int = 0


KINDS = {
    "people": Generated("people", synthetic.people),
    "products": Generated("products", synthetic.products),
    "shops": Generated("products", synthetic.products, linked=True),
    "companies": Generated("organisations", synthetic.companies),
    "places": Generated("places", synthetic.places),
    "films": Generated("media", synthetic.films),
    "albums": Generated("media", synthetic.albums),
    "registers": Generated("organisations", synthetic.companies, linked=True),
}
GENERATED = {
    f"generated_{name}_{seed}": replace(kind, seed=seed)
    for name, kind in KINDS.items()
    for seed in SEEDS
}


def generate_task(name: str, folder: Path) -> Task:
    """Write the generated records without truth, one file a source."""
    data = GENERATED[name]
    options = {"sources": 2} if data.linked else {}
    table = data.generate(RECORDS, data.seed, **options).table()
    visible = table.drop_columns(["entity", "unique_id"])
    visible = visible.add_column(0, "id", pa.array(np.arange(table.num_rows)))
    parts = [visible]
    if data.linked:
        source = visible.column(SOURCE)
        names = sorted(source.unique().to_pylist())
        parts = [visible.filter(pc.equal(source, label)).drop_columns([SOURCE]) for label in names]
    paths = []
    for number, part in enumerate(parts):
        paths.append(folder / f"{name}-{number}.parquet")
        pq.write_table(part, paths[-1])
    truth = table.column("entity").cast(pa.string()).combine_chunks()
    return Task(name, data.domain, tuple(paths), truth)
