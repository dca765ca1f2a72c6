"""The labelled sets of the laws: open sets, generated files of the prior, business files."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from benchmarks.laws.business import BUSINESS, BUSINESS_SEEDS, generate_business
from benchmarks.laws.tables import measure_bits, read_task
from benchmarks.panel.sets import PANEL, PanelSet, prepare_task
from benchmarks.prior.generated import GENERATED, SEEDS, generate_task

__all__ = ["TELLING_BITS", "LawSet", "count_telling", "find_prior", "list_sets", "read_set"]

QUICK_RECORDS = 2_500
"""Records of an open set at most in a quick run, as whole entities."""
RECORDS = 3_000
"""Records of a business file in a full run."""
TELLING_BITS = 1.0
"""Least bits of a telling column; the most are those of `measure_bits`, 6.6."""


@dataclass(frozen=True)
class LawSet:
    """One labelled set under the laws."""

    name: str
    domain: str
    kind: str
    """The kind of a generated file; the name of an open set."""
    family: str
    """The group of sets that the report takes together."""
    panel: PanelSet | None = None
    """The open set; None for a generated file."""

    @property
    def counted(self) -> bool:
        """Whether the set counts in medians and worst figures; silver labels do not."""
        return self.panel is None or self.panel.counted


def list_sets(quick: bool, panel: dict[str, PanelSet] | None = None) -> dict[str, LawSet]:
    """All sets with data by name; `panel` are open sets in place of those of the panel."""
    open_sets = PANEL if panel is None else panel
    sets = [LawSet(name, data.domain, name, "open sets", data) for name, data in open_sets.items()]
    if panel is None:
        chosen = SEEDS[:1] if quick else SEEDS
        for name, data in GENERATED.items():
            if data.seed in chosen:
                sets.append(LawSet(name, data.domain, name.rpartition("_")[0], "generated files"))
        numbers = BUSINESS_SEEDS[:1] if quick else BUSINESS_SEEDS
        for name, kind in BUSINESS.items():
            if kind.seed in numbers:
                sets.append(LawSet(name, kind.domain, name.rpartition("_")[0], kind.family))
    return {data.name: data for data in sets if data.panel is None or data.panel.path.exists()}


def read_set(data: LawSet, quick: bool) -> pa.Table:
    """The labelled table of a set."""
    if data.name in BUSINESS:
        return generate_business(data.name, QUICK_RECORDS if quick else RECORDS)
    with tempfile.TemporaryDirectory() as folder:
        if data.panel is None:
            return read_task(generate_task(data.name, Path(folder)))
        limit = QUICK_RECORDS if quick else None
        return read_task(prepare_task(data.panel, Path(folder), limit))


def find_prior(data: LawSet, folder: Path) -> Path | None:
    """The prior that was trained without the kind or the domain; None for the shipped prior."""
    paths = [folder / f"{name}.json" for name in (data.kind, data.domain)]
    return next((path for path in paths if path.exists()), None)


def count_telling(table: pa.Table) -> int:
    """The number of columns that identify entities; several are more than one."""
    return sum(bits >= TELLING_BITS for bits in measure_bits(table).values())
