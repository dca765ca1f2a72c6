"""Pictures of the concept pages, drawn as SVG from runs of this source tree.

python docs/draw.py FOLDER
"""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np
import vl_convert

import partita
from partita.metrics import calibration
from partita.report import charts
from partita.synthetic import people

WIDTH = 620
"""Pixels; the width of the text on the site."""
HIT, CONCENTRATION, FREQUENCY = 0.9, 2.0, 0.2
"""Of the picture of the entity model: share of exact copies, concentration, share of the value."""
SHOWN = ("surname", "date_of_birth", "sex", "street")
LEAST_SHARE = 0.002
"""Levels that fewer matches show are left out of the picture of weights."""
NEAR = 0.05
"""Pairs below this probability are left out of the picture of calibration: there are many."""
BLUE, ORANGE, GREY = "#0072B2", "#D55E00", "#888888"


def save(spec: dict[str, Any], path: Path) -> None:
    """Write a Vega-Lite chart as SVG."""
    sized = spec | {"width": WIDTH} if spec.get("width") == "container" else spec
    path.write_text(vl_convert.vegalite_to_svg(sized), encoding="utf-8")


def weights_chart(result: Any) -> dict[str, Any]:
    """Match weights of the levels of some columns."""
    model = result.pair_model
    rows = []
    for name, *levels in zip(model.names, model.level_names, model.m, model.u, strict=True):
        for level, m, u in zip(*levels, strict=True):
            # a level that almost no match shows has no weight worth reading
            if name in SHOWN and m >= LEAST_SHARE:
                rows.append({"column": name, "level": level, "bits": float(np.log2(m / u))})
    chart = (
        alt.Chart(alt.Data(values=rows))
        .mark_bar()
        .encode(
            x=alt.X("bits:Q", title="match weight (bits)"),
            y=alt.Y("level:N", title=None, sort=None, axis=alt.Axis(labelLimit=260)),
            color=alt.condition("datum.bits > 0", alt.value(BLUE), alt.value(ORANGE)),
            row=alt.Row("column:N", title=None, sort=list(SHOWN), spacing=8).header(
                labelAngle=0, labelAlign="left", labelFontWeight="bold"
            ),
        )
        .properties(width=300, height={"step": 13})
        .resolve_scale(y="independent")
    )
    return chart.to_dict()


def waterfall_chart(explanation: Any) -> dict[str, Any]:
    """The match weight of one pair: each bar starts where the last one ended."""
    rows, total = [], 0.0
    for part in explanation.rows:
        rows.append({"label": part.label, "start": total, "end": total + part.bits})
        total += part.bits
    rows.append({"label": "sum", "start": 0.0, "end": total})
    for row in rows:
        row["kind"] = "sum" if row["label"] == "sum" else str(row["end"] > row["start"])
    chart = (
        alt.Chart(alt.Data(values=rows))
        .mark_bar()
        .encode(
            x=alt.X("start:Q", title="match weight (bits)"),
            x2="end:Q",
            y=alt.Y("label:N", sort=[row["label"] for row in rows], title=None),
            color=alt.Color("kind:N", legend=None).scale(
                domain=["True", "False", "sum"], range=[BLUE, ORANGE, GREY]
            ),
        )
        .properties(width=WIDTH - 140)
    )
    return chart.to_dict()


def log_copies(n: int) -> float:
    """Log-probability that n records of an entity copy one latent value (hit-miss, Polya urn)."""
    hit = CONCENTRATION * HIT
    return (
        math.lgamma(n + hit)
        - math.lgamma(hit)
        + math.lgamma(CONCENTRATION)
        - math.lgamma(CONCENTRATION + n)
    )


def evidence_chart() -> dict[str, Any]:
    """Log-odds of merging two groups of k records that all share one frequent value."""
    rows = []
    for k in range(1, 7):
        entity = -math.log(FREQUENCY) + log_copies(2 * k) - 2 * log_copies(k)
        pairwise = k * k * math.log(HIT / FREQUENCY)
        rows += [{"k": k, "model": "entity model", "log-odds": entity}]
        rows += [{"k": k, "model": "pairwise model", "log-odds": pairwise}]
    chart = (
        alt.Chart(alt.Data(values=rows))
        .mark_line(point=True)
        .encode(
            x=alt.X("k:O", title="records in each group (k)", axis=alt.Axis(labelAngle=0)),
            y=alt.Y("log-odds:Q", title="log-odds of a merge (nats)"),
            color=alt.Color("model:N", title=None, legend=alt.Legend(orient="top")).scale(
                range=[BLUE, ORANGE]
            ),
        )
        .properties(width=WIDTH - 60, height=240)
    )
    return chart.to_dict()


def uncertain_pair(result: Any) -> Any:
    """The explanation of the compared pair whose probability is nearest to .7."""
    pairs = result.record_pairs
    place = int(np.abs(pairs.p_same - 0.7).argmin())
    ids = result.records.ids.take([int(pairs.left[place]), int(pairs.right[place])])
    return result.explain(*ids.to_pylist())


def reliability_chart() -> dict[str, Any]:
    """Reliability of the pairs of generated people that are not obvious non-matches."""
    table = people(30_000, seed=4).table()
    truth = table["entity"].to_numpy()
    result = partita.resolve(table, ignore=["entity"], seed=4)
    pairs = result.record_pairs
    near = pairs.p_same >= NEAR
    same = truth[pairs.left] == truth[pairs.right]
    return charts.reliability(calibration(pairs.p_same[near], same[near]).by_width)


def draw_all(folder: Path) -> None:
    """Draw every picture into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    result = partita.resolve(people(2_000, seed=1).table(), ignore=["entity"], seed=1)
    save(weights_chart(result), folder / "weights.svg")
    save(waterfall_chart(uncertain_pair(result)), folder / "waterfall.svg")
    save(evidence_chart(), folder / "evidence.svg")
    save(charts.traces(result.trace["entities"], "entities"), folder / "traces.svg")
    save(reliability_chart(), folder / "reliability.svg")


if __name__ == "__main__":
    draw_all(Path(sys.argv[1]))
