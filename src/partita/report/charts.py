"""Charts as Vega-Lite specifications, which the page draws."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from partita.kernel import Floats, Ints

if TYPE_CHECKING:
    from partita.metrics import Reliability

__all__ = ["certainty", "reliability", "scripts", "sizes", "traces"]

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
HEIGHT = 220
"""Pixels."""
MAX_SIZE_BINS = 30
"""Bars of the chart of sizes; all have the same width, one record or more."""
PROBABILITY_BINS = 20
"""Bars of a chart of probabilities."""
LOG_RATIO = 50
"""Ratio of the largest to the smallest bar above which the axis is logarithmic."""
DENSE_TICKS = 1000
"""Largest bar up to which a logarithmic axis has ticks between powers of ten."""
LOG_BASE = 0.7
"""Value at which logarithmic bars begin, so that a bar of one is visible."""
MAX_WHOLE_TICKS = 8
"""Range of whole numbers up to which each has a tick; Vega would add halves."""
MAX_POINTS = 400
"""Draws of a chain that a trace shows."""
GREY = "#888"

Spec = dict[str, Any]


@cache
def scripts() -> str:
    """Vega, Vega-Lite and Vega-Embed for a script element."""
    import vl_convert

    text: str = vl_convert.javascript_bundle("window.vegaEmbed=vegaEmbed;")
    return text.replace("</script", "<\\/script")


def _chart(**parts: Any) -> Spec:
    return {"$schema": SCHEMA, "width": "container", "height": HEIGHT, **parts}


def _bars(rows: list[dict[str, Any]], x: Spec, noun: str) -> Spec:
    """Bars from `low` to `high`, on a logarithmic axis where counts are very unequal."""
    counts = [row["count"] for row in rows if row["count"]]
    top = max(counts, default=1)
    skewed = bool(counts) and top > LOG_RATIO * min(counts)
    axis: Spec = {"title": noun, "format": "~s" if top >= 10_000 else ",d"}
    if skewed:
        steps = (1, 2, 5) if top < DENSE_TICKS else (1,)
        axis["title"] += " (logarithmic)"
        axis["values"] = [10**k * step for k in range(len(str(top)) + 1) for step in steps]
        rows = [row for row in rows if row["count"]]
    else:
        axis |= {"tickCount": 5, "tickMinStep": 1}
    base = LOG_BASE if skewed else 0
    scale = {"type": "log", "domain": [LOG_BASE, top * 1.5]} if skewed else {"domainMin": 0}
    return _chart(
        data={"values": [row | {"base": base} for row in rows]},
        mark={"type": "bar", "cornerRadiusEnd": 2},
        encoding={
            "x": {"field": "low", "type": "quantitative", "bin": "binned", **x},
            "x2": {"field": "high"},
            "y": {"field": "count", "type": "quantitative", "axis": axis, "scale": scale},
            "y2": {"field": "base"},
            "tooltip": [
                {"field": "label", "type": "nominal", "title": x["title"]},
                {"field": "count", "type": "quantitative", "title": noun, "format": ","},
            ],
        },
    )


def sizes(labels: Ints) -> Spec:
    """Entities by their number of records, in bins of equal width."""
    size = np.bincount(labels)
    width = int(-(-size.max() // MAX_SIZE_BINS))
    edges = np.arange(1, size.max() + width + 1, width)
    rows = []
    for low, n in zip(edges[:-1].tolist(), np.histogram(size, edges)[0].tolist(), strict=True):
        label = f"{low}" if width == 1 else f"{low} to {low + width - 1}"
        rows.append({"low": low - 0.5, "high": low + width - 0.5, "label": label, "count": n})
    domain = [0.5, float(edges[-1]) - 0.5]
    axis: Spec = {"format": ",d", "tickMinStep": 1, "labelFlush": False}
    if width == 1 and size.max() <= MAX_WHOLE_TICKS:
        axis["values"] = list(range(1, int(size.max()) + 1))
    x = {"title": "records of an entity", "axis": axis, "scale": {"domain": domain, "nice": False}}
    return _bars(rows, x, "entities")


def certainty(p: Floats, title: str, noun: str) -> Spec:
    """Probabilities in bins of equal width."""
    edges = np.linspace(0, 1, PROBABILITY_BINS + 1)
    counts = np.histogram(p, edges)[0].tolist()
    rows = [
        {"low": low, "high": high, "label": f"{low:.0%} to {high:.0%}", "count": n}
        for low, high, n in zip(edges.tolist(), edges[1:].tolist(), counts, strict=False)
    ]
    axis = {"format": ".0%", "tickCount": 5}
    return _bars(rows, {"title": title, "axis": axis, "scale": {"domain": [0, 1]}}, noun)


def reliability(measured: Reliability) -> Spec:
    """Observed shares by predicted probability; calibrated probabilities lie on the diagonal."""

    def share(field: str, title: str) -> Spec:
        axis = {"format": ".0%", "tickCount": 5}
        kind = {"field": field, "type": "quantitative", "title": title}
        return kind | {"scale": {"domain": [0, 1]}, "axis": axis}

    x = share("p", "predicted probability")
    y = share("observed", "share of pairs that match")
    ends = [{"p": 0, "observed": 0}, {"p": 1, "observed": 1}]
    columns = (measured.mean_p, measured.observed, measured.count)
    rows = [
        dict(zip(("p", "observed", "pairs"), row, strict=True))
        for row in zip(*(column.tolist() for column in columns), strict=True)
    ]
    size = {"field": "pairs", "type": "quantitative", "scale": {"range": [40, 500]}, "legend": None}
    tooltip = [
        {"field": "p", "type": "quantitative", "title": "predicted", "format": ".1%"},
        {"field": "observed", "type": "quantitative", "title": "observed", "format": ".1%"},
        {"field": "pairs", "type": "quantitative", "format": ","},
    ]
    diagonal = {"type": "line", "strokeDash": [4, 4], "color": GREY}
    layers = [
        {"data": {"values": ends}, "mark": diagonal, "encoding": {"x": x, "y": y}},
        {"mark": {"type": "line", "opacity": 0.5}, "encoding": {"x": x, "y": y}},
        {
            "mark": {"type": "circle", "opacity": 0.9},
            "encoding": {"x": x, "y": y, "size": size, "tooltip": tooltip},
        },
    ]
    return _chart(data={"values": rows}, layer=layers) | {"height": HEIGHT + 80}


def traces(values: Floats, title: str) -> Spec:
    """One line for each chain, draw by draw."""
    chains, draws = values.shape
    step = -(-draws // MAX_POINTS)
    low, high = int(values.min()), int(values.max())
    whole = high - low <= MAX_WHOLE_TICKS and np.all(values == np.round(values))
    ticks = {"values": list(range(low, high + 1)), "format": ",d"} if whole else {}
    rows = [
        {"chain": f"chain {c + 1}", "draw": d + 1, "value": float(values[c, d])}
        for c in range(chains)
        for d in range(0, draws, step)
    ]
    draw = {"field": "draw", "type": "quantitative"}
    value = {"field": "value", "type": "quantitative"}
    chain = {"field": "chain", "type": "nominal"}
    return _chart(
        data={"values": rows},
        mark={"type": "line", "strokeWidth": 1.5},
        encoding={
            "x": draw | {"title": "draw", "axis": {"tickMinStep": 1}},
            "y": value | {"title": title, "scale": {"zero": False}, "axis": ticks},
            "color": chain | {"title": None, "legend": {"orient": "top"}},
            "tooltip": [chain, draw, value | {"format": ",.2f"}],
        },
    )
