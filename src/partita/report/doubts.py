"""Uncertain entities and pairs, side by side, and the form that explains two records."""

from __future__ import annotations

from collections import Counter
from html import escape

from partita.linkage.output.tables import UNCERTAIN
from partita.report.shown import Cluster, Shown
from partita.report.text import count, mark, percent, table
from partita.report.uncertain import MAX_ENTITIES

__all__ = ["clusters", "explain", "pairs"]

MAX_VISIBLE = 6
"""Entities and pairs before the fold."""


def clusters(shown: Shown) -> str:
    """The uncertain entities; scripts replace the first few by a list with search and pages."""
    uncertain = shown.resolution.summary()["uncertain_entities"]
    if not uncertain:
        return "<p>No entity is uncertain.</p>"
    words = (
        f"<p>{count(uncertain, 'entity has', 'entities have')} a probability below "
        f"{UNCERTAIN[1]:.0%}, the most uncertain first. Parts that differ from the commonest value "
        "of the entity are <mark>marked</mark>.</p>"
    )
    if uncertain > MAX_ENTITIES:
        words += f"<p>This page holds the {count(MAX_ENTITIES)} most uncertain of them.</p>"
    controls = (
        '<form id="browse"><label>search ids and values <input id="browse-text" type="search" '
        'autocomplete="off"></label><span id="browse-count" aria-live="polite"></span>'
        '<span><button type="button" id="browse-back">previous</button>'
        '<button type="button" id="browse-next">next</button></span></form>'
    )
    articles = "".join(_cluster(shown, cluster) for cluster in shown.clusters[:MAX_VISIBLE])
    return f'{words}{controls}<div id="browse-list">{articles}</div>'


def _fold(articles: list[str]) -> str:
    """Show the first articles and hide the others in a details element."""
    hidden = articles[MAX_VISIBLE:]
    if not hidden:
        return "".join(articles)
    first, rest = "".join(articles[:MAX_VISIBLE]), "".join(hidden)
    return (
        f'{first}<details class="rest"><summary>{count(len(hidden))} more</summary>{rest}</details>'
    )


def _cluster(shown: Shown, cluster: Cluster) -> str:
    resolution = shown.resolution
    members = [int(r) for r in cluster.members]
    values = [shown.values[r] for r in members]
    usual = [_commonest([row[k] for row in values]) for k in range(len(shown.names))]
    chance = float(resolution.p_cluster[resolution.first_rows[members[0]]])
    rows = []
    for r, record_values in zip(members, values, strict=True):
        cells = [mark(value, common) for value, common in zip(record_values, usual, strict=True)]
        p_member = float(resolution.p_member[resolution.first_rows[r]])
        rows.append([_name(shown, r), _chance(p_member), *cells])
    header = ["id", "p_member", *(escape(name) for name in shown.names)]
    hidden = cluster.size - len(members)
    footer = f"<p class='more'>and {count(hidden, 'surer record')} more</p>" if hidden else ""
    title = f"{count(cluster.size, 'different record')}, p_cluster {percent(chance)}"
    records = table(header, rows, [1], "records")
    return f'<article class="doubt"><h3>{title}</h3>{records}{footer}</article>'


def _commonest(values: list[str | None]) -> str | None:
    counts = Counter(value for value in values if value is not None)
    return counts.most_common(1)[0][0] if counts else None


def _name(shown: Shown, record: int) -> str:
    same = len(shown.copies[record]) - 1
    copies = f"<small>and {count(same)} identical</small>" if same else ""
    return f"<bdi>{escape(shown.id(record))}</bdi>{copies}"


def _chance(p: float) -> str:
    """A probability with a bar behind it."""
    return f'<span class="chance" style="--p:{100 * p:.0f}%">{percent(p)}</span>'


def pairs(shown: Shown) -> str:
    """The pairs with P(one entity) nearest to one half, with their match weights."""
    if not shown.pairs.size:
        return "<p>No pair is uncertain.</p>"
    uncertain = shown.resolution.summary()["uncertain_pairs"]
    words = (
        f"<p>{count(shown.pairs.size)} of {count(uncertain, 'uncertain pair')}, the most uncertain "
        "first, at most two between the same two clusters. The bars show the match weight of each "
        "column in bits: one bit to the right doubles the odds of a match.</p>"
    )
    return words + _fold([_pair(shown, place) for place in range(shown.pairs.size)])


def _pair(shown: Shown, place: int) -> str:
    resolution = shown.resolution
    number = int(shown.pairs[place])
    a, b = (int(r) for r in resolution.scored.pairs[number])
    p = float(resolution.record_pairs.p_same[number])
    rows = [
        (escape(name), mark(left, right), mark(right, left))
        for name, left, right in zip(shown.names, shown.values[a], shown.values[b], strict=True)
    ]
    values = table(["", _name(shown, a), _name(shown, b)], rows, kind="two")
    labels = resolution.labels[resolution.first_rows[[a, b]]]
    where = "in one entity" if labels[0] == labels[1] else "in two entities"
    title = f"P(one entity) {percent(p)}; {where}"
    return (
        f'<article class="doubt"><h3>{title}</h3><div class="panels wide">{values}'
        f'<div class="waterfall" data-pair="{place}"></div></div></article>'
    )


def explain(shown: Shown) -> str:
    """A form that explains two of the shown records."""
    if not shown.explained.size:
        return "<p>There is no uncertain pair to explain.</p>"
    return (
        f"<p>Choose two of {count(shown.records.size, 'record')} of uncertain pairs. "
        "<code>partita explain FILE ID ID</code> explains any two records.</p>"
        '<form id="explain-form"><label>one record <input id="explain-one" list="ids" '
        'autocomplete="off"></label><label>another <input id="explain-two" list="ids" '
        'autocomplete="off"></label><datalist id="ids"></datalist></form>'
        '<div id="explained" aria-live="polite"></div>'
    )
