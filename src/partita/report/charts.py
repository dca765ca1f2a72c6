"""The charts, as Vega-Lite: sizes, certainty, reliability, traces. The page draws them."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from partita.errors import InputError
from partita.kernel import Floats, Ints
from partita.metrics import Reliability

__all__ = ["bundle", "certainty", "reliability", "sizes", "traces"]

HEIGHT = 220
ALONE = 10
"""Clusters up to this size have a bar of their own; above it sizes double from bar to bar."""
BINS = 20
SKEWED = 50
"""With a largest bar that many times the smallest, the axis is logarithmic."""
FEW = 1000
"""Below this many a logarithmic axis has more than powers of ten."""
LEAST = 0.7
"""Where logarithmic bars begin, so that a bar of one can be seen."""
FEW_TICKS = 8
"""Whole numbers within this range all have a tick; there would be halves otherwise."""
MOST_POINTS = 400
"""Draws of a chain that are drawn at most."""


def altair() -> Any:
    """Altair, or an InputError that says how to get it."""
    try:
        import altair as loaded
        import vl_convert  # noqa: F401
    except ImportError as error:
        raise InputError(
            f"the report needs the package {error.name!r}; install it with: "
            "pip install 'partita[plots]'"
        ) from error
    return loaded


@cache
def bundle() -> str:
    """The scripts that draw charts, Vega and what belongs to it, for a script element."""
    import vl_convert

    made: str = vl_convert.javascript_bundle("window.vegaEmbed=vegaEmbed;")
    return made.replace("</script", "<\\/script")


def _bars(rows: list[dict[str, Any]], x: Any, what: str) -> dict[str, Any]:
    """Bars of counts, on a logarithmic axis where they are very unequal."""
    alt = altair()
    counts = [row["count"] for row in rows if row["count"]]
    skewed = bool(counts) and max(counts) > SKEWED * min(counts)
    title = f"{what} (logarithmic)" if skewed else what
    kept = [row | {"base": LEAST if skewed else 0} for row in rows if row["count"] or not skewed]
    top = max(counts, default=1)
    scale = alt.Scale(type="log", domain=[LEAST, top * 1.5]) if skewed else alt.Scale(domainMin=0)
    ticks: dict[str, Any] = {"tickCount": 5, "tickMinStep": 1}
    if skewed:
        steps = (1, 2, 5) if top < FEW else (1,)
        ticks = {"values": [10**k * step for k in range(len(str(top)) + 1) for step in steps]}
    axis = alt.Axis(title=title, format="~s" if top >= 10_000 else ",d", **ticks)
    chart = (
        alt.Chart(alt.Data(values=kept))
        .mark_bar(cornerRadiusEnd=2)
        .encode(
            x=x,
            y=alt.Y("count:Q", axis=axis, scale=scale),
            y2="base:Q",
            tooltip=[
                alt.Tooltip("label:N", title=x.to_dict()["title"]),
                alt.Tooltip("count:Q", title=what, format=","),
            ],
        )
        .properties(width="container", height=HEIGHT)
    )
    return dict(chart.to_dict())


def sizes(labels: Ints) -> dict[str, Any]:
    """How many entities have how many records."""
    alt = altair()
    size = np.bincount(labels)
    edges = list(range(1, ALONE + 2))
    while edges[-1] <= size.max():
        edges.append(2 * edges[-1] - 1)
    shown = [f"{low}" if high == low + 1 else f"{low}–{high - 1}" for low, high in pairwise(edges)]
    counts = np.histogram(size, edges)[0].tolist()
    while len(counts) > 1 and counts[-1] == 0:
        counts.pop()
    rows = [{"label": label, "count": n} for label, n in zip(shown, counts, strict=False)]
    axis = alt.Axis(labelAngle=0, labelOverlap=True)
    x = alt.X("label:N", title="records of an entity", sort=shown, axis=axis)
    return _bars(rows, x, "entities")


def certainty(p: Floats, title: str, what: str) -> dict[str, Any]:
    """How probabilities are spread, in bins of equal width."""
    alt = altair()
    edges = np.linspace(0, 1, BINS + 1)
    counts = np.histogram(p, edges)[0].tolist()
    rows = [
        {"low": low, "high": high, "label": f"{low:.0%} to {high:.0%}", "count": n}
        for low, high, n in zip(edges.tolist(), edges[1:].tolist(), counts, strict=False)
    ]
    axis = alt.Axis(format=".0%", tickCount=5)
    x = alt.X("low:Q", title=title, axis=axis, scale=alt.Scale(domain=[0, 1]), bin="binned")
    spec = _bars(rows, x, what)
    spec["encoding"]["x2"] = {"field": "high"}
    return spec


def reliability(found: Reliability) -> dict[str, Any]:
    """What was said against what is so; on the line, probabilities are honest."""
    alt = altair()
    share = alt.Scale(domain=[0, 1])
    axis = alt.Axis(format=".0%", tickCount=5)
    line = (
        alt.Chart(alt.Data(values=[{"p": 0, "observed": 0}, {"p": 1, "observed": 1}]))
        .mark_line(strokeDash=[4, 4], color="#888")
        .encode(x="p:Q", y="observed:Q")
    )
    rows = [
        {"p": p, "observed": observed, "pairs": n}
        for p, observed, n in zip(
            found.mean_p.tolist(), found.observed.tolist(), found.count.tolist(), strict=True
        )
    ]
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X("p:Q", title="probability that was given", scale=share, axis=axis),
        y=alt.Y("observed:Q", title="share that is one entity", scale=share, axis=axis),
    )
    points = base.mark_circle(opacity=0.9).encode(
        size=alt.Size("pairs:Q", title="pairs", scale=alt.Scale(range=[40, 500]), legend=None),
        tooltip=[
            alt.Tooltip("p:Q", title="given", format=".1%"),
            alt.Tooltip("observed:Q", title="so", format=".1%"),
            alt.Tooltip("pairs:Q", format=","),
        ],
    )
    layers = line + base.mark_line(opacity=0.5) + points
    return dict(layers.properties(width="container", height=HEIGHT + 80).to_dict())


def traces(values: Floats, title: str) -> dict[str, Any]:
    """One line for each chain, draw by draw."""
    alt = altair()
    chains, draws = values.shape
    step = -(-draws // MOST_POINTS)
    low, high = int(values.min()), int(values.max())
    whole = high - low <= FEW_TICKS and np.all(values == np.round(values))
    ticks = {"values": list(range(low, high + 1)), "format": ",d"} if whole else {}
    rows = [
        {"chain": f"chain {c + 1}", "draw": d + 1, "value": float(values[c, d])}
        for c in range(chains)
        for d in range(0, draws, step)
    ]
    chart = (
        alt.Chart(alt.Data(values=rows))
        .mark_line(strokeWidth=1.5)
        .encode(
            x=alt.X("draw:Q", title="draw", axis=alt.Axis(tickMinStep=1)),
            y=alt.Y("value:Q", title=title, scale=alt.Scale(zero=False), axis=alt.Axis(**ticks)),
            color=alt.Color("chain:N", title=None, legend=alt.Legend(orient="top")),
            tooltip=["chain:N", "draw:Q", alt.Tooltip("value:Q", format=",.2f")],
        )
        .properties(width="container", height=HEIGHT)
    )
    return dict(chart.to_dict())
