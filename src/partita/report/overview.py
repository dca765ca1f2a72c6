"""The first sections: summary, sizes of entities, and certainty."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from partita.linkage.inference.chains import MAX_R_HAT
from partita.linkage.notes import Note, Severity
from partita.linkage.output.tables import UNCERTAIN, describe_range
from partita.linkage.result import Resolution
from partita.report import charts
from partita.report.text import count, format_sentence, number, percent, table

if TYPE_CHECKING:
    from partita.metrics import Calibration
    from partita.metrics.codes import Labelling

__all__ = ["certainty", "cluster_sizes", "summary"]

MIN_PROBABILITY = 0.01
"""Pairs below it, by pair model and posterior, do not count for calibration: easy pairs would hide
all others."""
MODELS = {
    "entities": "the entity model: an entity has latent values, and its records copy them with "
    "errors",
    "pairs": "the pairwise model: the match weights of all pairs of an entity are added",
}


def summary(resolution: Resolution) -> str:
    """The result as figures and sentences."""
    facts = resolution.summary()
    cards = [
        ("records", count(facts["records"]), _sources(resolution)),
        ("entities", count(facts["entities"]), describe_range(facts)),
        (
            "duplicates",
            count(facts["duplicates"]),
            f"{count(facts['identical'])} of them identical",
        ),
        ("uncertain entities", count(facts["uncertain_entities"]), f"below {UNCERTAIN[1]:.0%}"),
        (
            "uncertain pairs",
            count(facts["uncertain_pairs"]),
            f"of {count(facts['pairs_compared'])}",
        ),
        (
            "largest entity",
            count(facts["largest"]),
            "record" if facts["largest"] == 1 else "records",
        ),
    ]
    figures = "".join(
        f'<div class="card"><b>{value}</b><span>{name}</span><small>{note}</small></div>'
        for name, value, note in cards
    )
    return f'<div class="cards">{figures}</div>{_words(resolution)}{_seconds(resolution)}'


def _sources(resolution: Resolution) -> str:
    sources = len(resolution.records.source_names)
    return f"of {count(sources, 'source')}" if sources > 1 else "of one source"


def _words(resolution: Resolution) -> str:
    facts = resolution.summary()
    duplicates = count(facts["duplicates"], "record is a duplicate", "records are duplicates")
    is_certain = facts["uncertain_entities"] == 0
    lines = [
        f"{count(facts['records'], 'record')} were resolved into "
        f"<b>{count(facts['entities'], 'entity', 'entities')}</b>, {describe_range(facts)}. "
        f"{duplicates} of another record.",
        "No entity is uncertain."
        if is_certain
        else f"<b>{count(facts['uncertain_entities'], 'entity is', 'entities are')} uncertain</b>: "
        f"the probability that exactly these records are one entity is below {UNCERTAIN[1]:.0%}.",
        f"Mode: {escape(facts['mode'])}. Reason: {escape(facts['why_mode'])}.",
        f"Reading of the file: {escape(facts['reading'])}. Reason: {escape(facts['why_reading'])}.",
        f"<b>Trust</b>: {format_sentence('{sentence}; {advice}.'.format(**facts['trust']))}",
        f"Partita sampled {MODELS[facts['model']]}. Reason: {escape(facts['why_model'])}.",
        convergence(resolution),
    ]
    items = "".join(f"<li>{line}</li>" for line in lines)
    texts = [text for text in facts["warnings"] if Note.of(text).severity is not Severity.VERBOSE]
    warnings = "".join(f"<li>{format_sentence(text)}</li>" for text in texts)
    notes = (
        f'<details class="warnings" open><summary>{count(len(texts), "warning")}'
        f"</summary><ul>{warnings}</ul></details>"
        if warnings
        else "<p>There are no warnings.</p>"
    )
    return f'<ul class="words">{items}</ul>{notes}'


def convergence(resolution: Resolution) -> str:
    """Whether the chains agree, with the consequence for probabilities."""
    if resolution.posterior is None:
        return "No two records can be one entity, so nothing was sampled."
    r_hats = {
        name: diagnostics["r_hat"]
        for name, diagnostics in resolution.diagnostics.items()
        if np.isfinite(diagnostics["r_hat"])
    }
    if not r_hats:
        return "<b>The chains never moved</b>: all draws are equal, so no record is uncertain."
    worst = max(r_hats, key=lambda name: r_hats[name])
    figure = f"the largest R-hat is {r_hats[worst]:.3f}, of {escape(worst.replace('_', ' '))}"
    if resolution.converged:
        return (
            f"<b>The chains agree</b> ({figure}; the limit is {MAX_R_HAT}): more draws "
            "would hardly change these probabilities. Whether the model is calibrated needs "
            "labels (<code>partita evaluate --pairs</code>)."
        )
    return (
        f"<b>The chains do not agree yet</b> ({figure}; the limit is {MAX_R_HAT}), so the "
        "probabilities of uncertain entities are rough; certain entities are not affected. "
        f"More draws help: this run kept {resolution.n_draws} per chain."
    )


def _seconds(resolution: Resolution) -> str:
    spent = resolution.seconds
    longest = max(spent.values(), default=0.0) or 1.0
    rows = [
        (escape(name), f"{s:.2f} s", f'<i class="bar" style="width:{100 * s / longest:.1f}%"></i>')
        for name, s in spent.items()
    ]
    total = sum(spent.values())
    stages = table(["stage", "CPU time", ""], rows, [1], "bars")
    return f"<details><summary>{total:.1f} CPU seconds, by stage</summary>{stages}</details>"


def cluster_sizes(resolution: Resolution, specs: dict[str, Any]) -> str:
    """The chart of entity sizes."""
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
    """Charts of the probabilities, and their calibration where the truth is known."""
    _, first = np.unique(resolution.labels, return_index=True)
    specs["p_cluster"] = charts.certainty(
        resolution.p_cluster[first], "P(exactly this cluster is an entity)", "entities"
    )
    specs["p_member"] = charts.certainty(
        resolution.p_member, "P(with the others of its cluster)", "records"
    )
    certain = float((resolution.p_cluster >= UNCERTAIN[1]).mean())
    words = (
        f"<p>{percent(certain)} of the records are in an entity with <code>p_cluster</code> of at "
        f"least {UNCERTAIN[1]:.0%}. <code>p_cluster</code> is the probability that exactly these "
        "records are one entity. <code>p_member</code> is the mean probability that a record is "
        "one entity with another member; for a single record, that it is alone.</p>"
    )
    panels = chart("p_cluster", "Entities by p_cluster") + chart("p_member", "Records by p_member")
    return (
        f'{words}<div class="panels">{panels}</div>{_calibration_section(resolution, truth, specs)}'
    )


def _calibration_section(
    resolution: Resolution, truth: Labelling | None, specs: dict[str, Any]
) -> str:
    if truth is None:
        return ""
    # imported here: only a report with truth needs SciPy's optimisation
    from partita.metrics import evaluate

    scores = evaluate(resolution.labels, truth, ceaf=False)
    rows = [
        (name, number(score.precision, 4), number(score.recall, 4), number(score.f1, 4))
        for name, score in (("pairs", scores.pairwise), ("B-cubed", scores.bcubed))
    ]
    scores_table = table(["against the truth", "precision", "recall", "F1"], rows, [1, 2, 3])
    result = _calibrate(resolution, truth)
    if result is None:
        return f"{scores_table}<p>No labelled pair is probable enough to measure calibration.</p>"
    specs["reliability"] = charts.reliability(result.by_width)
    words = (
        f"<p>Measured on {count(result.pairs, 'labelled pair')} with a probability of at least "
        f"{MIN_PROBABILITY:.0%}. <b>Expected calibration error {result.ece_width:.3f}</b> (bins of "
        f"equal mass: {result.ece_mass:.3f}); Brier score {result.brier:.3f}. Calibrated "
        "probabilities lie on the dashed line; larger dots stand for more pairs.</p>"
    )
    return scores_table + words + chart("reliability", "Reliability of P(one entity)")


def _calibrate(resolution: Resolution, truth: Labelling) -> Calibration | None:
    """Calibration of P(one entity) on labelled pairs."""
    from partita.metrics import calibration, labels_to_codes

    codes = labels_to_codes(truth, "truth")
    pairs = resolution.record_pairs
    left, right = codes[pairs.left], codes[pairs.right]
    usable = (pairs.p_same >= MIN_PROBABILITY) | (pairs.scores.probability >= MIN_PROBABILITY)
    usable &= (left >= 0) & (right >= 0)
    if not usable.any():
        return None
    return calibration(pairs.p_same[usable], left[usable] == right[usable])
