"""The first sections: the result in plain words, sizes of clusters, and how sure we are."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

from partita.linkage.result import DOUBTFUL, MOST_R_HAT, Resolution
from partita.metrics import Calibration, calibration, evaluate, labels_to_codes
from partita.metrics.codes import Labelling
from partita.report import charts
from partita.report.text import count, number, percent, table

__all__ = ["certainty", "cluster_sizes", "summary"]

NEAR = 0.01
"""Pairs of at least this probability, by the pair model or the posterior, judge calibration:
over all pairs the easy ones would hide everything."""
MODELS = {
    "entities": "the model of whole entities, in which an entity has true values and its records "
    "copy them with errors",
    "pairs": "the model of pairs, in which every two records of an entity are scored",
}


def summary(resolution: Resolution) -> str:
    """The result in plain words."""
    told = resolution.summary()
    expected = told["entities_expected"]
    low, high = count(expected["low"]), count(expected["high"])
    interval = f"{low} to {high}" if low != high else low
    cards = [
        ("records", count(told["records"]), _sources(resolution)),
        ("entities", count(told["entities"]), f"95% interval {interval}"),
        ("duplicates", count(told["duplicates"]), f"{count(told['identical'])} of them identical"),
        ("doubtful entities", count(told["doubtful_entities"]), f"below {DOUBTFUL[1]:.0%}"),
        ("doubtful pairs", count(told["doubtful_pairs"]), f"of {count(told['pairs_compared'])}"),
        ("largest entity", count(told["largest"]), "records"),
    ]
    shown = "".join(
        f'<div class="card"><b>{value}</b><span>{name}</span><small>{note}</small></div>'
        for name, value, note in cards
    )
    return f'<div class="cards">{shown}</div>{_words(resolution)}{_seconds(resolution)}'


def _sources(resolution: Resolution) -> str:
    many = len(resolution.records.source_names)
    return f"of {count(many, 'source')}" if many > 1 else "of one source"


def _words(resolution: Resolution) -> str:
    told = resolution.summary()
    expected = told["entities_expected"]
    interval = f"between {count(expected['low'])} and {count(expected['high'])}"
    sure = told["doubtful_entities"] == 0
    lines = [
        f"{count(told['records'], 'record')} were resolved into "
        f"<b>{count(told['entities'], 'entity', 'entities')}</b>; with a probability of 95% there "
        f"are {interval}. {count(told['duplicates'], 'record is', 'records are')} a further record "
        "of an entity that is there already.",
        "No entity is doubtful."
        if sure
        else f"<b>{count(told['doubtful_entities'], 'entity is', 'entities are')} doubtful</b>: "
        f"the probability that exactly these records belong together is below {DOUBTFUL[1]:.0%}. "
        "The most doubtful ones stand below.",
        f"The entities were sampled from {MODELS[told['model']]}, because "
        f"{escape(told['why_model'])}.",
        convergence(resolution),
    ]
    found = "".join(f"<li>{line}</li>" for line in lines)
    warned = "".join(f"<li>{escape(one)}</li>" for one in told["warnings"])
    notes = (
        f'<details class="warnings" open><summary>{count(len(told["warnings"]), "warning")}'
        f"</summary><ul>{warned}</ul></details>"
        if warned
        else "<p>There were no warnings.</p>"
    )
    return f'<ul class="words">{found}</ul>{notes}'


def convergence(resolution: Resolution) -> str:
    """Whether the chains agree, and what that means."""
    if resolution.entities is None:
        return "No two records could be one entity, so there was nothing to sample."
    found = {
        name: one["r_hat"]
        for name, one in resolution.diagnostics.items()
        if np.isfinite(one["r_hat"])
    }
    if not found:
        return "<b>The chains never moved</b>: every draw is the same, so nothing seems in doubt."
    worst = max(found, key=lambda name: found[name])
    figure = f"the largest R-hat is {found[worst]:.3f}, of {escape(worst.replace('_', ' '))}"
    if resolution.converged:
        return (
            f"<b>The chains agree</b> ({figure}; up to {MOST_R_HAT} is fine): "
            "the probabilities can be taken as they stand."
        )
    return (
        f"<b>The chains do not agree yet</b> ({figure}; up to {MOST_R_HAT} is fine): take the "
        "probabilities of doubtful clusters as rough. Certain clusters are not concerned. "
        f"More draws help; this run kept {resolution.n_draws} of each chain."
    )


def _seconds(resolution: Resolution) -> str:
    spent = resolution.seconds
    most = max(spent.values(), default=0.0) or 1.0
    rows = [
        (escape(name), f"{s:.2f} s", f'<i class="bar" style="width:{100 * s / most:.1f}%"></i>')
        for name, s in spent.items()
    ]
    total = sum(spent.values())
    made = table(["stage", "CPU time", ""], rows, [1], "bars")
    return f"<details><summary>{total:.1f} CPU seconds, by stage</summary>{made}</details>"


def cluster_sizes(resolution: Resolution, specs: dict[str, Any]) -> str:
    """How many entities have how many records."""
    specs["sizes"] = charts.sizes(resolution.labels)
    size = np.bincount(resolution.labels)
    alone = int((size == 1).sum())
    return (
        f"<p>{count(alone, 'entity has', 'entities have')} a single record; the largest has "
        f"{count(int(size.max()))}.</p>" + chart("sizes", "Entities by their number of records")
    )


def chart(name: str, title: str) -> str:
    """A place where the page draws a chart."""
    return (
        f'<figure><figcaption>{title}</figcaption><div class="chart" data-chart="{name}" '
        f'role="img" aria-label="{title}"></div></figure>'
    )


def certainty(resolution: Resolution, truth: Labelling | None, specs: dict[str, Any]) -> str:
    """How probabilities are spread, and whether they are honest where the truth is known."""
    _, first = np.unique(resolution.labels, return_index=True)
    specs["p_cluster"] = charts.certainty(
        resolution.p_cluster[first], "P(exactly this cluster is an entity)", "entities"
    )
    specs["p_member"] = charts.certainty(
        resolution.p_member, "P(with the others of its cluster)", "records"
    )
    sure = float((resolution.p_cluster >= DOUBTFUL[1]).mean())
    words = (
        f"<p>{percent(sure)} of the records are in a cluster that is right with a probability of "
        f"at least {DOUBTFUL[1]:.0%}. <code>p_cluster</code> is the probability that exactly this "
        "cluster is an entity; <code>p_member</code> that a record is with another member of its "
        "cluster, on average, and of a record alone that it is alone.</p>"
    )
    panels = chart("p_cluster", "Entities by p_cluster") + chart("p_member", "Records by p_member")
    return f'{words}<div class="panels">{panels}</div>{_honesty(resolution, truth, specs)}'


def _honesty(resolution: Resolution, truth: Labelling | None, specs: dict[str, Any]) -> str:
    if truth is None:
        return ""
    scores = evaluate(resolution.labels, truth, ceaf=False)
    rows = [
        (name, number(one.precision, 4), number(one.recall, 4), number(one.f1, 4))
        for name, one in (("pairs", scores.pairwise), ("B-cubed", scores.bcubed))
    ]
    made = table(["against the truth", "precision", "recall", "F1"], rows, [1, 2, 3])
    found = _calibrated(resolution, truth)
    if found is None:
        return f"{made}<p>No labelled pair is near enough to judge the probabilities by.</p>"
    specs["reliability"] = charts.reliability(found.by_width)
    words = (
        f"<p>Of {count(found.pairs, 'near pair')} (probability at least {NEAR:.0%}) the truth is "
        f"known. <b>Expected calibration error {found.ece_width:.3f}</b> (bins of equal mass: "
        f"{found.ece_mass:.3f}); Brier score {found.brier:.3f}. On the dashed line probabilities "
        "are honest; the larger a dot, the more pairs.</p>"
    )
    return made + words + chart("reliability", "Reliability of P(one entity) on near pairs")


def _calibrated(resolution: Resolution, truth: Labelling) -> Calibration | None:
    """Calibration of P(one entity) on near pairs whose truth is known."""
    codes = labels_to_codes(truth, "truth")
    pairs = resolution.record_pairs
    left, right = codes[pairs.left], codes[pairs.right]
    near = (pairs.p_same >= NEAR) | (pairs.scores.probability >= NEAR)
    near &= (left >= 0) & (right >= 0)
    if not near.any():
        return None
    return calibration(pairs.p_same[near], left[near] == right[near])
