"""Curves over a logarithmic axis, with the names of the lines beside their ends (Altair)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np

__all__ = ["BLACK", "OKABE_ITO", "Axes", "Line", "panel", "save", "shades"]

BLACK = "#000000"
OKABE_ITO = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
"""Categorical colours for colour-blind readers (Okabe and Ito 2008)."""

RAMP = ("#440154", "#3b528b", "#21918c", "#5ec962", "#d9b500")
"""Viridis with a darker end: ordered by lightness, so it survives colour blindness and grey."""

ROW = 13.0
"""Pixels that a name beside a line needs."""


@dataclass(frozen=True)
class Line:
    """One curve: its points with standard errors, and its style."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    error: Sequence[float]
    colour: str = BLACK
    dash: tuple[int, ...] = (1, 0)
    width: float = 1.6


@dataclass(frozen=True)
class Axes:
    """Titles and ranges of a panel's two logarithmic axes, and its size in pixels."""

    x: str
    y: str
    x_range: tuple[float, float]
    y_range: tuple[float, float]
    width: int = 350
    height: int = 290
    margin: float = 0.38
    """Share of the width at the right that is left for names."""


def shades(count: int) -> list[str]:
    """`count` colours from dark to light."""
    places = np.linspace(0, len(RAMP) - 1, count)
    channels = np.array([[int(c[k : k + 2], 16) for k in (1, 3, 5)] for c in RAMP], float)
    mixed = np.stack([np.interp(places, range(len(RAMP)), channels[:, k]) for k in range(3)], 1)
    return ["#" + "".join(f"{round(v):02x}" for v in row) for row in mixed]


def panel(title: str | Sequence[str], lines: Sequence[Line], axes: Axes) -> alt.LayerChart:
    """Curves with bands of one standard error, named at their right ends."""
    shown = [(line, _points(line, axes)) for line in lines]
    shown = [(line, points) for line, points in shown if points]
    layers = [layer for line, points in shown for layer in _curve(line, points, axes)]
    layers += _names(shown, axes)
    head, *rest = [title] if isinstance(title, str) else title
    text = alt.TitleParams(head, subtitle=rest, anchor="start", fontSize=13, subtitleFontSize=11)
    return alt.layer(*layers).properties(width=axes.width, height=axes.height, title=text)


def save(chart: Any, path: Path) -> list[Path]:
    """Write `path` as PNG and as a HTML page that needs no network; returns both."""
    path.parent.mkdir(parents=True, exist_ok=True)
    files = [path.with_suffix(".png"), path.with_suffix(".html")]
    chart.save(files[0], ppi=160)
    chart.save(files[1], inline=True)
    return files


def _points(line: Line, axes: Axes) -> list[dict[str, float]]:
    """The points inside the panel; zeros have no place on a logarithmic axis."""
    low, high = axes.y_range
    points = []
    for x, y, error in zip(line.x, line.y, line.error, strict=True):
        if axes.x_range[0] <= x <= axes.x_range[1] * 1.2 and low <= y <= high:
            ends = {"low": max(low, y - error), "high": min(high, y + error)}
            points.append({"x": float(x), "y": float(y), **ends})
    return points


def _scales(axes: Axes, field: str = "y") -> tuple[alt.X, alt.Y]:
    reach = axes.x_range[1] / axes.x_range[0]
    right = axes.x_range[0] * reach ** (1.0 / (1.0 - axes.margin))
    powers = range(int(np.ceil(np.log10(axes.x_range[0]))), int(np.log10(axes.x_range[1])) + 1)
    ticks = alt.Axis(values=[10.0**k for k in powers], format="~s", grid=True)
    x = alt.X("x:Q", title=axes.x, axis=ticks).scale(
        type="log", domain=[axes.x_range[0], right], nice=False
    )
    low, high = np.log10(axes.y_range)
    steps = (1,) if high - low > 3 else (1, 2, 5)
    marks = [n * 10.0**k for k in range(int(np.floor(low)), int(np.ceil(high))) for n in steps]
    values = [m for m in marks if axes.y_range[0] <= m <= axes.y_range[1]]
    y = alt.Y(f"{field}:Q", title=axes.y, axis=alt.Axis(values=values, format="~g")).scale(
        type="log", domain=list(axes.y_range), nice=False, clamp=True
    )
    return x, y


def _curve(line: Line, points: list[dict[str, float]], axes: Axes) -> list[alt.Chart]:
    x, y = _scales(axes)
    chart = alt.Chart(alt.Data(values=points))
    band = chart.mark_area(color=line.colour, opacity=0.15, clip=True)
    stroke = chart.mark_line(
        color=line.colour, strokeDash=list(line.dash), strokeWidth=line.width, clip=True
    )
    return [
        band.encode(x=x, y=_scales(axes, "low")[1], y2="high:Q"),
        stroke.encode(x=x, y=y),
    ]


def _names(shown: list[tuple[Line, list[dict[str, float]]]], axes: Axes) -> list[alt.Chart]:
    """Names right of the curves, moved apart where they would overlap, with a leader to each."""
    x, y = _scales(axes)
    if not shown:
        return []
    ends = np.array([points[-1]["y"] for _, points in shown])
    places = _apart(np.log(ends), axes)
    at = axes.x_range[1] * (axes.x_range[1] / axes.x_range[0]) ** 0.09
    layers = []
    for (line, points), place in zip(shown, places, strict=True):
        height = float(np.exp(place))
        leader = [{k: points[-1][k] for k in ("x", "y")}, {"x": at, "y": height}]
        layers.append(
            alt.Chart(alt.Data(values=leader))
            .mark_line(color=line.colour, strokeWidth=0.6, opacity=0.7)
            .encode(x=x, y=y)
        )
        layers.append(
            alt.Chart(alt.Data(values=[{"x": at, "y": height, "name": line.name}]))
            .mark_text(align="left", dx=4, fontSize=10.5, color=line.colour, fontWeight="bold")
            .encode(x=x, y=y, text="name:N")
        )
    return layers


def _apart(places: Any, axes: Axes) -> Any:
    """Heights (logarithms) at least a row apart, as near to the given ones as sweeping gets."""
    low, high = np.log(axes.y_range)
    gap = ROW * (high - low) / axes.height
    order = np.argsort(places, kind="stable")
    moved = places[order].astype(float)
    for k in range(1, moved.size):
        moved[k] = max(moved[k], moved[k - 1] + gap)
    moved[-1] = min(moved[-1], high - gap / 2)
    for k in range(moved.size - 2, -1, -1):
        moved[k] = min(moved[k], moved[k + 1] - gap)
    positions = np.empty_like(moved)
    positions[order] = moved
    return positions
