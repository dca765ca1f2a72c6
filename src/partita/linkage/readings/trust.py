"""Trust in a result: the agreement of readings, a warning, and the range of the entity count.

Readings share candidates and columns, so agreement is no proof; on files of known truth it orders
results by their error. The range is wider where readings disagree. With E entities among n distinct
records, its half-width is a multiple of E sqrt(1 - E / n): relative to E where entities are large,
and small where nearly all records are single. On the scale artanh(sqrt(1 - E / n)) it is constant.
"""

from __future__ import annotations

import math
import statistics
from typing import NamedTuple

from partita.linkage.readings.choice import NO_MATCH, Reading

__all__ = ["Trust", "count_range", "judge_result", "overall_agreement"]

MIN_TRUSTED = 0.9
"""Mean agreement of readings from which a result needs no warning. Origin: 19 labelled sets; above
it F1 is .92 and more."""
MIN_LINKED = 0.1
"""Share of joined records from which agreement counts as evidence. Origin: a choice; trusted sets
of the panel have .2 and more. Sets cut down to .02 had F1 of .70 and .81 in spite of an agreement
above .9, because one false match weighs more."""
MAX_WITHIN = 0.1
"""The rate of further records of an entity in its source, up to which agreement is trusted. Origin:
a choice, made for matches within a file for each link one to one, which the rate estimates. Clean
files of the panel and cuts of it have .07 and less, and F1 of .90 and more. Files in which two
fifths of the entities have a duplicate have .14 and more, and so have generated albums and films;
their F1 is .71 to .91."""
MAX_DIVIDED = 0.05
"""Share of divided entities (`relatives`), up to which agreement is trusted. Origin: a choice.
Trusted sets of the panel without versions of an entity have .01 and less. Generated companies,
albums and films, and papers of two databases in one file, have .10 to .21; their F1 is .61 to
.88. cora_hpi has .54 and F1 of .96."""
UNCONFIRMED = 0.5
"""Agreement assumed where no second reading or column can confirm a match. Origin: a choice."""
BASE = 0.02
"""Half-width of the range where readings agree, on the scale artanh(sqrt(1 - E / n)).
Origin: `benchmarks.panel.interval`, rounded up."""
SLOPE = 0.4
"""Further half-width where they disagree entirely. Origin: as BASE."""
MIN_ENTITIES = 0.5
"""Entities that are counted at least: the scale of 0 entities is infinite."""


class Trust(NamedTuple):
    """How far a result can be trusted."""

    level: str
    """"agree", "few" (on few matches), "duplicates" (within sources), "relatives" (inside
    entities), "disagree", "trained" or "unknown" (one reading)."""
    sentence: str
    advice: str
    """What the user can do to improve or confirm the result."""


def overall_agreement(reading: Reading, columns: int) -> float:
    """Mean agreement of the readings; a low constant where nothing can confirm a match."""
    if reading.name == "mentions" or columns < 2 or not reading.agreement:
        return UNCONFIRMED
    return statistics.fmean(reading.agreement.values())


def judge_result(
    reading: Reading,
    columns: int,
    linked: float,
    worst_r_hat: float | None,
    several_sources: bool,
    within: float = 0.0,
    divided: float = 0.0,
) -> Trust:
    """Describe trust in a result; `worst_r_hat` is None where the chains agree.

    `linked` is the share of records that are joined to another record of their entity, `within`
    the highest rate of further records of an entity in its source, and `divided` the share of
    entities that two columns divide in the same way.
    """
    level, sentence = _judge_reading(reading, columns, linked, within, divided)
    if worst_r_hat is None:
        sentence += "; the chains agree"
    else:
        sentence += f"; the chains do not agree (R-hat {worst_r_hat:.2f}): probabilities are rough"
    advice = _advise(reading, columns, several_sources, within > MAX_WITHIN)
    return Trust(level, sentence, advice)


def _judge_reading(
    reading: Reading, columns: int, linked: float, within: float, divided: float
) -> tuple[str, str]:
    if reading.name == "trained":
        return "trained", "a trained model scores the pairs; `partita evaluate` measures its error"
    if reading.name == "mentions":
        return "disagree", (
            "the records are mentions of names, and no second reading confirms the result"
        )
    if reading.why == NO_MATCH:
        return "disagree", f"{NO_MATCH}, so that none confirms that there are no duplicates"
    if columns < 2 and (reading.name != "em" or reading.agreement):
        return "disagree", ("one column is compared, and no second column confirms a match")
    if not reading.agreement:
        return "unknown", f"there is no second reading: {reading.why}"
    agreement = overall_agreement(reading, columns)
    if agreement >= MIN_TRUSTED and linked < MIN_LINKED:
        return "few", (
            f"the readings of the file agree (F1 of one against another {agreement:.2f}), but only "
            f"{linked:.1%} of the records are joined to another one: among few matches each false "
            "one weighs more"
        )
    if agreement >= MIN_TRUSTED and within > MAX_WITHIN:
        return "duplicates", (
            f"the readings of the file agree (F1 of one against another {agreement:.2f}), but "
            f"an entity has a further record in a source at a rate of up to {within:.0%}: "
            "duplicates, or relatives such as editions, which agreement does not rule out"
        )
    if agreement >= MIN_TRUSTED and divided > MAX_DIVIDED:
        return "relatives", (
            f"the readings of the file agree (F1 of one against another {agreement:.2f}), but "
            f"{divided:.0%} of the entities of four records and more hold two groups of records "
            "that each agree in two columns and differ from each other in both: changed values, or "
            "relatives such as branches and editions, which agreement does not rule out"
        )
    if agreement >= MIN_TRUSTED:
        return "agree", (
            f"the readings of the file agree (F1 of one against another {agreement:.2f}); an error "
            "that they share is possible"
        )
    return "disagree", (
        f"the readings of the file disagree (F1 of one against another {agreement:.2f}), so that "
        "matches that only one of them finds are uncertain"
    )


def _advise(reading: Reading, columns: int, several_sources: bool, has_duplicates: bool) -> str:
    if reading.name == "mentions":
        first = "confirm the column of names (--mentions)"
    elif columns < 2:
        first = "add a column that identifies the entity, such as a date, a place or a code"
    else:
        first = "compare only columns that identify the entity (--ignore the others)"
    steps = [first]
    if has_duplicates:
        steps.append("name a source that holds no duplicates (--reference)")
    elif several_sources:
        steps.append("confirm that no source holds duplicates (--one-to-one)")
    if reading.name != "trained" and not (columns < 2 and reading.has_second_best_zero):
        # the weights of one column rank links worse than the prior, which labels replace
        steps.append("label 30 pairs (`partita label`, then `partita train`)")
    return f"to improve the result, {', or '.join(steps)}"


def count_range(
    entities: int,
    records: int,
    posterior: tuple[float, float],
    agreement: float,
    base: float = BASE,
    slope: float = SLOPE,
    divided: float = 0.0,
) -> tuple[float, float]:
    """The range of the number of entities among distinct records, around the written number.

    Its half-width is that of the posterior interval, or the one that covers the true
    number on most files of other domains with this agreement, whichever is larger. Where entities
    are divided, relatives may be joined, and no agreement confirms that there are not more.
    """
    centre = _to_scale(entities, records)
    width = (_to_scale(posterior[0], records) - _to_scale(posterior[1], records)) / 2
    half = max(width, base + slope * (1 - agreement))
    low = records / math.cosh(centre + half) ** 2
    if divided > MAX_DIVIDED:
        half = max(half, base + slope * (1 - UNCONFIRMED))
    high = records / math.cosh(max(0.0, centre - half)) ** 2
    return float(min(math.ceil(low), entities)), float(max(math.floor(high), entities))


def _to_scale(entities: float, records: int) -> float:
    """The scale on which the range is symmetric; it falls with the number of entities."""
    share = min(max(entities, MIN_ENTITIES) / records, 1.0)
    return math.atanh(math.sqrt(1 - share))
