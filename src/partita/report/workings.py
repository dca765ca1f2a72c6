"""Sections about the method: blocking, match weights and chains."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

from partita.blocking.candidates import RECAPTURE, StepSummary, summarise_blocking
from partita.linkage.inference.chains import MAX_R_HAT
from partita.linkage.pairwise.model import LN2
from partita.linkage.result import Resolution
from partita.report import charts
from partita.report.overview import chart, convergence
from partita.report.shown import id_texts
from partita.report.text import add_sign, count, number, percent, table

__all__ = ["blocking", "chains", "weights"]

MAX_IDS = 20
"""Maximum records without a candidate in the list of their ids."""
TITLES = {
    "exact values": "equal values, rare ones first",
    "n-grams": "equal n-grams of characters, in any column",
}
"""Descriptions of the searches."""
TRACES = {"log_score": "log score", "entities": "entities", "largest": "largest entity"}


def blocking(resolution: Resolution) -> str:
    """The candidate pairs and their completeness."""
    candidates = resolution.blocking
    n, pairs = candidates.counts.size, len(candidates.pairs)
    weighed = count(len(resolution.record_pairs), "pair")
    words = (
        f"<p>{count(pairs, 'candidate pair')} of {count(n, 'different record')} were "
        f"compared, {number(2 * pairs / max(n, 1), 1)} per record on average, instead "
        f"of all {count(n * (n - 1) / 2)} pairs. After pruning, {weighed} entered the inference; "
        "they include pairs that the clusters made relevant.</p>"
    )
    rows = [_describe_step(row) for row in summarise_blocking(candidates)]
    header = ["search or rule", "pairs", "only from here on", "all so far", "records it misses"]
    steps = table(header, rows, [1, 2, 3, 4])
    return (
        words
        + steps
        + _largest(summarise_blocking(candidates))
        + _list_unblocked(resolution)
        + _completeness(resolution)
    )


def _describe_step(row: StepSummary) -> list[str]:
    title = escape(row.rule)
    if row.rule in TITLES:
        title += f"<small>{TITLES[row.rule]}</small>"
    if row.message:
        title += f"<small>{escape(row.message)}</small>"
    return [title, *(count(value) for value in (row.pairs, row.new, row.cumulative, row.unblocked))]


def _largest(rows: list[StepSummary]) -> str:
    blocks = [
        (escape(row.rule), f"<bdi>{escape(block.label)}</bdi>", count(block.size))
        for row in rows
        for block in row.largest
    ]
    if not blocks:
        return "<p>There are no blocking rules, so there are no blocks.</p>"
    return "<h3>Largest blocks</h3>" + table(["rule", "block", "records"], blocks, [2])


def _list_unblocked(resolution: Resolution) -> str:
    alone = resolution.blocking.unblocked
    if not alone.size:
        return "<p>Every record has a candidate.</p>"
    names = id_texts(resolution, resolution.first_rows[alone[:MAX_IDS]])
    ids = ", ".join(f"<bdi>{escape(name)}</bdi>" for name in names)
    others = f" and {count(alone.size - MAX_IDS)} more" if alone.size > MAX_IDS else ""
    records = count(alone.size, "record is", "records are")
    return f"<p>{records} without a candidate and so single entities: {ids}{others}.</p>"


def _completeness(resolution: Resolution) -> str:
    candidates = resolution.blocking
    if not set(RECAPTURE) <= set(candidates.names) or not len(candidates.pairs):
        return ""
    # the scored pairs begin with the candidates
    share = candidates.estimate_completeness(resolution.scored.likely)
    if np.isnan(share.pairs):
        return "<p>Pair completeness cannot be estimated: there are too few likely matches.</p>"
    return (
        f"<p>Pair completeness: an estimated <b>{percent(share.pairs)}</b> of the matching pairs "
        f"are candidates. Of the records that have a match, {percent(share.records)} have one "
        f"among their candidates ({percent(share.records_low)} to {percent(share.records_high)}, "
        "by capture and recapture of the two searches), and of the pairs of these records "
        f"{percent(share.within)} are candidates. Records that are hard for both searches make "
        "these upper bounds.</p>"
    )


def weights(resolution: Resolution) -> str:
    """The match weight of each comparison level, and the dependent columns."""
    model = resolution.pair_model
    bits = [row / LN2 for row in model.weights()]
    largest = max((float(np.abs(row).max()) for row in bits), default=1.0) or 1.0
    rows = []
    for q, name in enumerate(model.names):
        title = f"{escape(name)} <small>{escape(model.column_types[q])}</small>"
        rows.append([f"<b>{title}</b>", "", "", "", ""])
        for level, m, u, weight in zip(
            model.level_names[q], model.m[q], model.u[q], bits[q], strict=True
        ):
            cells = (escape(level), _share(m, "m"), _share(u, "u"), add_sign(weight))
            rows.append([*cells, _diverging(float(weight), largest)])
    header = ["level", "m: matches", "u: non-matches", "bits", "against | for a match"]
    words = (
        "<p>m is the share of matches with a comparison level, u that of non-matches; the log of "
        "their ratio is the match weight, in bits. The weights are learned without labels, or come "
        "from the given model. The prior of a pair is "
        f"{add_sign(resolution.scored.scores.prior / LN2)} bits. Term-frequency adjustment raises "
        "the weights of rare values and lowers those of common ones.</p>"
    )
    return words + table(header, rows, [3], "weights") + _edges(resolution)


def _share(value: float, kind: str) -> str:
    figure = f"{value:.1%}" if value >= 0.001 else f"{value:.1e}"
    return f'<span class="share {kind}" style="--p:{100 * value:.1f}%">{figure}</span>'


def _diverging(weight: float, largest: float) -> str:
    width = 50 * abs(weight) / largest
    side = "left:50%" if weight >= 0 else f"left:{50 - width:.2f}%"
    sign = "for" if weight >= 0 else "against"
    return f'<div class="track"><i class="{sign}" style="{side};width:{width:.2f}%"></i></div>'


def _edges(resolution: Resolution) -> str:
    model = resolution.pair_model
    if not model.edges:
        return "<p>No two columns depend on each other among non-matches.</p>"
    rows = [
        (
            f"{escape(model.names[edge.left])} and {escape(model.names[edge.right])}",
            number(edge.lift / LN2, 1),
            percent(edge.matches),
        )
        for edge in model.edges
    ]
    words = (
        "<h3>Columns that depend on each other</h3><p>They agree together among non-matches, as "
        "street and telephone of a household do; the correction counts this agreement once.</p>"
    )
    header = ["columns", "correction in bits when both agree", "matches among such pairs"]
    return words + table(header, rows, [1, 2])


def chains(resolution: Resolution, specs: dict[str, Any]) -> str:
    """The traces of the chains with R-hat and effective sample sizes."""
    posterior = resolution.posterior
    if posterior is None:
        return f"<p>{convergence(resolution)}</p>"
    # records outside the active set are entities in every draw
    alone = resolution.marginals.n - len(resolution.marginals.active)
    panels = []
    for name in ("log_score", "entities"):
        key = f"trace_{name}"
        offset = alone if name == "entities" else 0
        specs[key] = charts.traces(resolution.trace[name] + offset, TRACES[name])
        panels.append(chart(key, f"{TRACES[name].capitalize()} by draw"))
    rows = [
        _describe_trace(name, diagnostics) for name, diagnostics in resolution.diagnostics.items()
    ]
    header = ["trace", "R-hat", "effective draws", "in the tails"]
    accepted = ", ".join(
        f"{escape(name)} {percent(share)}" for name, share in posterior.acceptance.items()
    )
    return (
        f"<p>{convergence(resolution)}</p><div class='panels'>{''.join(panels)}</div>"
        + table(header, rows, [1, 2, 3])
        + f"<p>{count(len(posterior.run.chains), 'chain')} of {count(posterior.n_draws, 'draw')}, "
        f"{count(posterior.steps, 'step')} in all; accepted: {accepted}. Traces of "
        "converged chains overlap and have no trend.</p>"
    )


def _describe_trace(name: str, diagnostics: dict[str, float]) -> list[str]:
    figure = number(diagnostics["r_hat"], 3)
    if diagnostics["r_hat"] > MAX_R_HAT:
        figure = f'<b class="bad">{figure}</b>'
    title = escape(TRACES.get(name, name))
    return [title, figure, number(diagnostics["ess_bulk"], 0), number(diagnostics["ess_tail"], 0)]
