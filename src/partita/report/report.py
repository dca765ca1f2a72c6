"""`write_report`: a result in one HTML file that needs no network."""

from __future__ import annotations

from datetime import datetime
from html import escape
from importlib import resources
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

import partita
from partita.data.postgres import hide_password
from partita.data.write import check_path
from partita.io import write_text
from partita.linkage.result import Resolution
from partita.report import charts, doubts, overview, waterfall, workings
from partita.report.shown import show
from partita.report.text import embed
from partita.report.uncertain import list_uncertain

if TYPE_CHECKING:
    from partita.metrics.codes import Labelling

__all__ = ["ENDINGS", "check_report", "read_resource", "write_report"]

ENDINGS = (".html",)
MAX_FILES = 5
"""Input files that the head of the page names."""


def check_report(path: str | Path) -> None:
    """Raise if a path cannot hold a report; commands call it before they work."""
    check_path(path, ENDINGS)


def write_report(
    resolution: Resolution,
    path: str | Path,
    *,
    truth: Labelling | None = None,
    command: str | None = None,
    date: datetime | None = None,
) -> Path:
    """Write the report of a result; it needs no network and no other file.

    Parameters
    ----------
    path
        A name that ends in .html; on any failure an existing file stays unchanged.
    truth
        The true entity of each record, None where it is unknown; the report then shows scores and
        the calibration of the probabilities.
    command
        The command that wrote the report.
    date
        When the report was written; by default now.
    """
    check_report(path)
    facts = _describe_run(resolution, command, date or datetime.now().astimezone())
    return write_text(path, _page(resolution, truth, facts))


def _describe_run(resolution: Resolution, command: str | None, date: datetime) -> str:
    """The input, the date, the version and the command as HTML."""
    source, sources = resolution.records.input, resolution.records.source_names
    files = [hide_password(str(source))] if isinstance(source, str | Path) else list(sources)
    parts = [f"<bdi>{escape(name)}</bdi>" for name in files[:MAX_FILES]]
    if len(files) > MAX_FILES:
        parts.append(f"{len(files) - MAX_FILES} more")
    facts = [", ".join(parts)] if parts else []
    facts += [f"{date:%Y-%m-%d %H:%M}", f"Partita {partita.__version__}"]
    if command:
        facts.append(f"<code>{escape(command)}</code>")
    return " · ".join(facts)


def _page(resolution: Resolution, truth: Labelling | None, facts: str) -> str:
    shown = show(resolution)
    specs: dict[str, Any] = {}
    sections = [
        ("summary", "Summary", overview.summary(resolution)),
        ("sizes", "Cluster sizes", overview.cluster_sizes(resolution, specs)),
        ("certainty", "Certainty", overview.certainty(resolution, truth, specs)),
        ("clusters", "Uncertain entities", doubts.clusters(shown)),
        ("pairs", "Most uncertain pairs", doubts.pairs(shown)),
        ("why", "Explain two records", doubts.explain(shown)),
        ("blocking", "Blocking", workings.blocking(resolution)),
        ("weights", "Match weights", workings.weights(resolution)),
        ("chains", "Chains", workings.chains(resolution, specs)),
    ]
    links = "".join(f'<a href="#{key}">{escape(title)}</a>' for key, title, _ in sections)
    body = "\n".join(
        f'<section id="{key}"><h2>{escape(title)}</h2>{content}</section>'
        for key, title, content in sections
    )
    data = waterfall.as_data(shown) | {"charts": specs, "uncertain": list_uncertain(resolution)}
    return Template(read_resource("page.html")).substitute(
        style=read_resource("page.css"),
        vega=charts.scripts(),
        script=read_resource("page.js"),
        data=embed(data),
        links=links,
        facts=facts,
        body=body,
        records=f"{resolution.records.n:,}",
    )


def read_resource(name: str) -> str:
    """Read a file of the report's package: a page, a style or a script."""
    return resources.files("partita.report").joinpath(name).read_text("utf-8")
