"""Generate author mentions with known truth: names on papers, coauthors, titles, venues, years.

The statistics follow bibliographies (Wick, Singh & McCallum 2012): few authors write most papers, a
last name and an initial cover many authors, and a mention shows a first name, an initial, a middle
name or none. Every mention is on a separate paper.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from partita.states.checks import whole
from partita.synthetic.cells import Cells, arrow, fit, joined
from partita.synthetic.draws import Draws, Floats, Ints, Mask, ranked, zipf
from partita.synthetic.edits import KINDS, edited
from partita.synthetic.names import GIVEN, NAME_WIDTH, given, surnames
from partita.synthetic.plan import planned
from partita.synthetic.settings import Literature, chosen
from partita.synthetic.source import Source, Truth
from partita.synthetic.words import COMMON_WORDS, VENUES, WORDS, venues, words

__all__ = ["Bibliography", "authors"]

COAUTHORS = 5
SHORTEST, LENGTHS = 5, 6
TOPIC_WORDS, OWN_WORDS = 400, 12
FIRST_YEAR, CAREER, LAST_YEAR = 1965, 35, 2024


def authors(
    n: int,
    seed: int = 0,
    *,
    literature: Literature | None = None,
    truth: Truth = "column",
) -> Source:
    """Mentions of authors on papers, in random order.

    Parameters
    ----------
    n
        Number of mentions.
    seed
        The same number gives the same mentions; every column depends on `n` and `seed` alone.
    literature
        Productivity, names, communities and topics.
    truth
        Place of the true author of a mention: the column `author`, a separate file, or none.

    >>> authors(100, seed=1).table().num_rows
    100
    """
    n, seed = whole(n, "n"), whole(seed, "seed", 0)
    maker = Bibliography(n, seed, chosen(literature, Literature, "literature"))
    return Source(n, ("mention_id", "author"), truth, maker.columns, maker.truth)


class Bibliography:
    """All mentions of a seed, generated on demand."""

    def __init__(self, n: int, seed: int, literature: Literature) -> None:
        self.draws, self.literature = Draws(seed), literature
        self.plan = planned(n, self.draws, self._sizes)
        self.given = given()
        self.surnames, self.accented = surnames()
        wanted = literature.last_names or min(max(n // 80, 40), 60_000)
        self.last_law = zipf(min(wanted, self.accented), literature.last_skew)
        self.first_law = zipf(2 * GIVEN, literature.first_skew)

    def _sizes(self, index: Ints) -> Ints:
        unit = self.draws.unit("size", index)
        shown = self.literature
        found = 1 + shown.scale * (unit ** (-1.0 / shown.exponent) - 1.0)
        return np.minimum(found, shown.largest).astype(np.int64)

    def truth(self, start: int, stop: int) -> Ints:
        """The author behind each row."""
        return self.plan.rows(start, stop)[0]

    def columns(self, start: int, stop: int) -> dict[str, pa.Array]:
        """The rows from `start` to `stop`, without their truth."""
        author, row = self.truth(start, stop), np.arange(start, stop)
        topic = self.topic(author, row)
        return {
            "first": arrow(self._first(author, row)),
            "middle": arrow(self._middle(author, row)),
            "last": arrow(self._last(author, row)),
            "coauthors": self._coauthors(author, row),
            "title": self._title(author, row, topic),
            "venue": self._venue(row, topic),
            "year": self._year(author, row),
        }

    def given_place(self, name: str, author: Ints) -> Ints:
        """A given name of each author; ranks take turns between men's and women's names."""
        rank = ranked(self.first_law, self.draws.unit(name, author))
        return rank // 2 + GIVEN * (rank % 2)

    def surname_place(self, author: Ints) -> Ints:
        """The last name of each author, as its place among all."""
        unit = self.draws.unit("last", author)
        beyond = self.draws.happens("accented", author, self.literature.accented)
        size = len(self.surnames) - self.accented
        return np.where(
            beyond, self.accented + (unit * size).astype(np.int64), ranked(self.last_law, unit)
        )

    def mistyped(self, name: str, row: Ints) -> Mask:
        """Which rows have a typing error in their first or last name."""
        shown = self.literature
        rate = shown.first_typo if name == "first" else shown.last_typo
        return self.draws.happens(f"typo {name}", row, rate)

    def cut(self, row: Ints) -> Mask:
        """Which rows show the first name by its initial alone."""
        return self.draws.happens("form", row, self.literature.initial)

    def middle_form(self, author: Ints, row: Ints) -> Ints:
        """How the middle name is shown: 0 not at all, 1 by its initial, 2 in full."""
        unit, shown = self.draws.unit("middle form", row), self.literature
        form = np.where(unit < shown.no_middle + shown.middle_initial, 1, 2)
        has = self.draws.happens("has middle", author, shown.has_middle)
        return np.where(has & (unit >= shown.no_middle), form, 0)

    def _first(self, author: Ints, row: Ints) -> Cells:
        found = self._typed(self.given.cells[self.given_place("first", author)], row, "first")
        found[self.cut(row), 1:] = 0
        return found

    def _middle(self, author: Ints, row: Ints) -> Cells:
        found = self.given.cells[self.given_place("middle", author)]
        shown = self.middle_form(author, row)
        found[shown == 0] = 0
        found[shown == 1, 1:] = 0
        return found

    def _last(self, author: Ints, row: Ints) -> Cells:
        return self._typed(self.surnames[self.surname_place(author)], row, "last")

    def _typed(self, cells: Cells, row: Ints, name: str) -> Cells:
        """Names, some with one typing error of any kind behind the first letter."""
        out = fit(cells, NAME_WIDTH)
        hit = np.flatnonzero(self.mistyped(name, row))
        kind = self.draws.below(f"kind {name}", row[hit], len(KINDS))
        for number, one in enumerate(KINDS):
            here = hit[kind == number]
            place = self.draws.unit(f"place {name}", row[here])
            choice = self.draws.unit(f"choice {name}", row[here])
            out[here] = edited(one, out[here], place, choice, spared=1)
        return out

    def coauthors(self, author: Ints, row: Ints) -> tuple[Ints, Ints]:
        """Up to four others of the circle, paper by paper, and how many each paper has."""
        count = self.draws.below("coauthors", row, COAUTHORS)
        owner, paper = np.repeat(author, count), np.repeat(np.arange(row.size), count)
        other = self._mate(owner, np.repeat(row * COAUTHORS, count) + _within(count))
        # no one is on a paper twice
        _, kept = np.unique(paper * self.plan.entities + other, return_index=True)
        kept = np.sort(kept[other[kept] != owner[kept]])
        return other[kept], np.bincount(paper[kept], minlength=row.size)

    def _coauthors(self, author: Ints, row: Ints) -> pa.Array:
        """Initials and last names of the others, separated by semicolons."""
        other, count = self.coauthors(author, row)
        first = self.given.cells[self.given_place("first", other)][:, :1]
        last = self.surnames[self.surname_place(other)]
        return _listed(arrow(joined([first, ". ", last], NAME_WIDTH + 3)), count, "; ")

    def _mate(self, author: Ints, slot: Ints) -> Ints:
        """A coauthor: near ones more often, and more of them for those who write more."""
        everyone, size = self.plan.entities, self.literature.community
        first = author // size * size
        circle = np.minimum(size, everyone - first)
        papers = (self.plan.starts[author + 1] - self.plan.starts[author]).astype(np.float64)
        known = np.minimum(circle - 1, 3 + (papers**0.6).astype(np.int64))
        # the square leans on the nearest, as a Zipf law over the known would
        step = 1 + (self.draws.unit("mate", slot) ** 2 * known).astype(np.int64)
        near = first + (author - first + step) % circle
        far = self.draws.below("outsider", slot, everyone)
        return np.where(self.draws.happens("outside", slot, self.literature.outsider), far, near)

    def topic(self, author: Ints, row: Ints) -> Ints:
        """The topic of each paper: the circle's or one's own first, then a second, then any."""
        shown = self.literature
        circle = self.draws.below("circle topic", author // shown.community, shown.topics)
        own = self.draws.below("own topic", author, shown.topics)
        first = np.where(self.draws.bits("follows", author) % 2 == 0, circle, own)
        second = self.draws.below("second topic", author, shown.topics)
        unit = self.draws.unit("topic", row)
        any_ = self.draws.below("any topic", row, shown.topics)
        rest = np.where(unit < shown.first_topic + shown.second_topic, second, any_)
        return np.where(unit < shown.first_topic, first, rest)

    def title(self, author: Ints, row: Ints, topic: Ints) -> tuple[Ints, Ints]:
        """Words of the topic, of the author, and common ones, and how many each title has."""
        count = SHORTEST + self.draws.below("words", row, LENGTHS)
        slot = np.repeat(row * (SHORTEST + LENGTHS), count) + _within(count)
        unit, draws, shown = self.draws.unit("word kind", slot), self.draws, self.literature
        rank = ranked(zipf(TOPIC_WORDS, 0.7), draws.unit("topic rank", slot))
        ours = draws.below("topic word", np.repeat(topic, count) * TOPIC_WORDS + rank, WORDS)
        pick = draws.below("own rank", slot, OWN_WORDS)
        mine = draws.below("own word", np.repeat(author, count) * OWN_WORDS + pick, WORDS)
        common = ranked(zipf(COMMON_WORDS, 0.9), draws.unit("common word", slot))
        rest = np.where(unit < shown.topic_word + shown.own_word, mine, common)
        return np.where(unit < shown.topic_word, ours, rest), count

    def _title(self, author: Ints, row: Ints, topic: Ints) -> pa.Array:
        word, count = self.title(author, row, topic)
        return _listed(words().take(pa.array(word)), count, " ")

    def venue(self, row: Ints, topic: Ints) -> tuple[Ints, Mask]:
        """The venue of each paper, and whether it is missing; topic t has those from t * VENUES."""
        draws, shown = self.draws, self.literature
        stray = draws.happens("stray", row, shown.stray_venue)
        field = np.where(stray, draws.below("stray topic", row, shown.topics), topic)
        place = field * VENUES + ranked(zipf(VENUES, 1.0), draws.unit("venue", row))
        return place, draws.happens("no venue", row, shown.missing)

    def _venue(self, row: Ints, topic: Ints) -> pa.Array:
        place, gone = self.venue(row, topic)
        return venues(self.literature.topics).take(pa.array(place, mask=gone))

    def _year(self, author: Ints, row: Ints) -> pa.Array:
        """Years within the author's career."""
        start = FIRST_YEAR + self.draws.below("start", author, LAST_YEAR - FIRST_YEAR - 4)
        end = np.minimum(start + 5 + self.draws.below("career", author, CAREER), LAST_YEAR)
        unit: Floats = self.draws.unit("year", row)
        year = start + (unit * (end - start + 1)).astype(np.int64)
        return pa.array(year, mask=self.draws.happens("no year", row, self.literature.missing))


def _within(count: Ints) -> Ints:
    """0, 1, ... inside each group of the given sizes."""
    return np.arange(int(count.sum())) - np.repeat(np.cumsum(count) - count, count)


def _listed(values: pa.Array, count: Ints, mark: str) -> pa.Array:
    """Values of each group in one string; missing for empty groups."""
    ends = np.concatenate([[0], np.cumsum(count)]).astype(np.int32)
    found = pc.binary_join(pa.ListArray.from_arrays(pa.array(ends), values), mark)
    return pc.if_else(pa.array(count > 0), found, pa.scalar(None, pa.string()))
