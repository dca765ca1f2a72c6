"""`write_report`: everything of a result that is to be looked at, in one HTML file."""

from __future__ import annotations

from html import escape
from importlib import resources
from pathlib import Path
from string import Template
from typing import Any

from partita.data.write import check_path
from partita.io import write_text
from partita.linkage.result import Resolution
from partita.metrics.codes import Labelling
from partita.report import charts, doubts, overview, waterfall, workings
from partita.report.shown import show
from partita.report.text import embedded

__all__ = ["check_report", "write_report"]

ENDINGS = (".html",)


def check_report(path: str | Path) -> None:
    """Raise if a path cannot hold a report; commands call it before they work."""
    check_path(path, ENDINGS)


def write_report(
    resolution: Resolution, path: str | Path, *, truth: Labelling | None = None
) -> Path:
    """Write the report of a result; it needs no network and no other file.

    Parameters
    ----------
    path
        A name that ends in .html; an older file stays as it was on any failure.
    truth
        The true entity of each record, if it is known of some: the report then says how honest
        the probabilities are.
    """
    check_report(path)
    page = _page(resolution, truth)
    return write_text(path, page)


def _page(resolution: Resolution, truth: Labelling | None) -> str:
    shown = show(resolution)
    specs: dict[str, Any] = {}
    sections = [
        ("summary", "Summary", overview.summary(resolution)),
        ("sizes", "Cluster sizes", overview.cluster_sizes(resolution, specs)),
        ("certainty", "How sure we are", overview.certainty(resolution, truth, specs)),
        ("clusters", "Most doubtful clusters", doubts.clusters(shown)),
        ("pairs", "Most doubtful pairs", doubts.pairs(shown)),
        ("why", "Explain two records", doubts.explain(shown)),
        ("blocking", "Blocking", workings.blocking(resolution)),
        ("weights", "Match weights", workings.weights(resolution)),
        ("chains", "Chains", workings.chains(resolution, specs)),
    ]
    links = "".join(f'<a href="#{key}">{escape(title)}</a>' for key, title, _ in sections)
    body = "\n".join(
        f'<section id="{key}"><h2>{escape(title)}</h2>{made}</section>'
        for key, title, made in sections
    )
    data = waterfall.as_data(shown) | {"charts": specs}
    return Template(_resource("page.html")).substitute(
        style=_resource("page.css"),
        vega=charts.scripts(),
        script=_resource("page.js"),
        data=embedded(data),
        links=links,
        body=body,
        records=f"{resolution.records.n:,}",
    )


def _resource(name: str) -> str:
    return resources.files("partita.report").joinpath(name).read_text("utf-8")
