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
from partita.synthetic.cells import Cells, arrow, fit, join_cells
from partita.synthetic.draws import Draws, Floats, Ints, Mask, draw_ranks, zipf
from partita.synthetic.edits import KINDS, apply_edit
from partita.synthetic.names import GIVEN, NAME_WIDTH, build_given_names, surnames
from partita.synthetic.plan import plan_rows
from partita.synthetic.settings import Literature, check_settings
from partita.synthetic.source import Source, Truth
from partita.synthetic.words import COMMON_WORDS, VENUES, WORDS, venues, words

__all__ = ["Bibliography", "authors"]

MAX_COAUTHORS = 5
"""Upper bound of the coauthors of a paper, exclusive."""
MIN_TITLE_WORDS = 5
"""Words of the shortest title."""
TITLE_LENGTHS = 6
"""Number of title lengths: titles have 5 to 10 words."""
TOPIC_WORDS = 400
"""Words of a topic."""
AUTHOR_WORDS = 12
"""Favourite words of an author."""
FIRST_YEAR = 1965
LAST_YEAR = 2024
MAX_CAREER = 35
"""Years of publication of an author beyond the first five."""


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
    maker = Bibliography(n, seed, check_settings(literature, Literature, "literature"))
    return Source(n, ("mention_id", "author"), truth, maker.columns, maker.truth)


class Bibliography:
    """All mentions of a seed, generated on demand."""

    def __init__(self, n: int, seed: int, literature: Literature) -> None:
        self.draws, self.literature = Draws(seed), literature
        self.plan = plan_rows(n, self.draws, self._sizes)
        self.given = build_given_names()
        self.surnames, self.accented = surnames()
        surname_count = literature.last_names or min(max(n // 80, 40), 60_000)
        self.last_law = zipf(min(surname_count, self.accented), literature.last_skew)
        self.first_law = zipf(2 * GIVEN, literature.first_skew)

    def _sizes(self, index: Ints) -> Ints:
        unit = self.draws.unit("size", index)
        law = self.literature
        sizes = 1 + law.scale * (unit ** (-1.0 / law.exponent) - 1.0)
        return np.minimum(sizes, law.largest).astype(np.int64)

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
        """A given name of each author; ranks alternate between men's and women's names."""
        rank = draw_ranks(self.first_law, self.draws.unit(name, author))
        return rank // 2 + GIVEN * (rank % 2)

    def surname_place(self, author: Ints) -> Ints:
        """Index of each author's last name in the table of surnames."""
        unit = self.draws.unit("last", author)
        beyond = self.draws.happens("accented", author, self.literature.accented)
        size = len(self.surnames) - self.accented
        return np.where(
            beyond, self.accented + (unit * size).astype(np.int64), draw_ranks(self.last_law, unit)
        )

    def has_typo(self, name: str, row: Ints) -> Mask:
        """Mask of the rows with a typing error in their first or last name."""
        law = self.literature
        rate = law.first_typo if name == "first" else law.last_typo
        return self.draws.happens(f"typo {name}", row, rate)

    def cut(self, row: Ints) -> Mask:
        """Mask of the rows that abbreviate the first name to its initial."""
        return self.draws.happens("form", row, self.literature.initial)

    def middle_form(self, author: Ints, row: Ints) -> Ints:
        """Form of the middle name: 0 missing, 1 initial, 2 full."""
        unit, law = self.draws.unit("middle form", row), self.literature
        form = np.where(unit < law.no_middle + law.middle_initial, 1, 2)
        has = self.draws.happens("has middle", author, law.has_middle)
        return np.where(has & (unit >= law.no_middle), form, 0)

    def _first(self, author: Ints, row: Ints) -> Cells:
        names = self._add_typos(self.given.cells[self.given_place("first", author)], row, "first")
        names[self.cut(row), 1:] = 0
        return names

    def _middle(self, author: Ints, row: Ints) -> Cells:
        names = self.given.cells[self.given_place("middle", author)]
        form = self.middle_form(author, row)
        names[form == 0] = 0
        names[form == 1, 1:] = 0
        return names

    def _last(self, author: Ints, row: Ints) -> Cells:
        return self._add_typos(self.surnames[self.surname_place(author)], row, "last")

    def _add_typos(self, cells: Cells, row: Ints, name: str) -> Cells:
        """Add at most one typing error to each name, behind the first letter."""
        out = fit(cells, NAME_WIDTH)
        hit = np.flatnonzero(self.has_typo(name, row))
        kind = self.draws.below(f"kind {name}", row[hit], len(KINDS))
        for number, edit in enumerate(KINDS):
            typed_rows = hit[kind == number]
            place = self.draws.unit(f"place {name}", row[typed_rows])
            choice = self.draws.unit(f"choice {name}", row[typed_rows])
            out[typed_rows] = apply_edit(edit, out[typed_rows], place, choice, spared=1)
        return out

    def coauthors(self, author: Ints, row: Ints) -> tuple[Ints, Ints]:
        """Coauthors of all papers, at most four each, and their number by paper."""
        count = self.draws.below("coauthors", row, MAX_COAUTHORS)
        owner, paper = np.repeat(author, count), np.repeat(np.arange(row.size), count)
        coauthor = self._mate(owner, np.repeat(row * MAX_COAUTHORS, count) + _within(count))
        # an author appears on a paper once
        _, places = np.unique(paper * self.plan.entities + coauthor, return_index=True)
        places = np.sort(places[coauthor[places] != owner[places]])
        return coauthor[places], np.bincount(paper[places], minlength=row.size)

    def _coauthors(self, author: Ints, row: Ints) -> pa.Array:
        """Initials and last names of the coauthors, separated by semicolons."""
        coauthor, count = self.coauthors(author, row)
        first = self.given.cells[self.given_place("first", coauthor)][:, :1]
        last = self.surnames[self.surname_place(coauthor)]
        return _join_groups(arrow(join_cells([first, ". ", last], NAME_WIDTH + 3)), count, "; ")

    def _mate(self, author: Ints, slot: Ints) -> Ints:
        """Draw a coauthor; authors with more papers have more acquaintances."""
        everyone, size = self.plan.entities, self.literature.community
        first = author // size * size
        circle = np.minimum(size, everyone - first)
        papers = (self.plan.starts[author + 1] - self.plan.starts[author]).astype(np.float64)
        acquaintances = np.minimum(circle - 1, 3 + (papers**0.6).astype(np.int64))
        # the square favours near acquaintances, as a Zipf law over them would
        step = 1 + (self.draws.unit("mate", slot) ** 2 * acquaintances).astype(np.int64)
        insider = first + (author - first + step) % circle
        outsider = self.draws.below("outsider", slot, everyone)
        return np.where(
            self.draws.happens("outside", slot, self.literature.outsider), outsider, insider
        )

    def topic(self, author: Ints, row: Ints) -> Ints:
        """Topic of each paper: the author's first (often the circle's), second, or a random one."""
        law = self.literature
        circle = self.draws.below("circle topic", author // law.community, law.topics)
        personal = self.draws.below("own topic", author, law.topics)
        first = np.where(self.draws.bits("follows", author) % 2 == 0, circle, personal)
        second = self.draws.below("second topic", author, law.topics)
        unit = self.draws.unit("topic", row)
        third = self.draws.below("any topic", row, law.topics)
        later = np.where(unit < law.first_topic + law.second_topic, second, third)
        return np.where(unit < law.first_topic, first, later)

    def title(self, author: Ints, row: Ints, topic: Ints) -> tuple[Ints, Ints]:
        """Words of all titles (topic, author or common words), and their number by title."""
        count = MIN_TITLE_WORDS + self.draws.below("words", row, TITLE_LENGTHS)
        slot = np.repeat(row * (MIN_TITLE_WORDS + TITLE_LENGTHS), count) + _within(count)
        unit, draws, law = self.draws.unit("word kind", slot), self.draws, self.literature
        rank = draw_ranks(zipf(TOPIC_WORDS, 0.7), draws.unit("topic rank", slot))
        topic_word = draws.below("topic word", np.repeat(topic, count) * TOPIC_WORDS + rank, WORDS)
        pick = draws.below("own rank", slot, AUTHOR_WORDS)
        author_word = draws.below("own word", np.repeat(author, count) * AUTHOR_WORDS + pick, WORDS)
        common_word = draw_ranks(zipf(COMMON_WORDS, 0.9), draws.unit("common word", slot))
        other_word = np.where(unit < law.topic_word + law.own_word, author_word, common_word)
        return np.where(unit < law.topic_word, topic_word, other_word), count

    def _title(self, author: Ints, row: Ints, topic: Ints) -> pa.Array:
        word, count = self.title(author, row, topic)
        return _join_groups(words().take(pa.array(word)), count, " ")

    def venue(self, row: Ints, topic: Ints) -> tuple[Ints, Mask]:
        """Venue of each paper and mask of missing venues; those of topic t start at t * VENUES."""
        draws, law = self.draws, self.literature
        stray = draws.happens("stray", row, law.stray_venue)
        field = np.where(stray, draws.below("stray topic", row, law.topics), topic)
        place = field * VENUES + draw_ranks(zipf(VENUES, 1.0), draws.unit("venue", row))
        return place, draws.happens("no venue", row, law.missing)

    def _venue(self, row: Ints, topic: Ints) -> pa.Array:
        place, gone = self.venue(row, topic)
        return venues(self.literature.topics).take(pa.array(place, mask=gone))

    def _year(self, author: Ints, row: Ints) -> pa.Array:
        """Years within the author's career."""
        start = FIRST_YEAR + self.draws.below("start", author, LAST_YEAR - FIRST_YEAR - 4)
        end = np.minimum(start + 5 + self.draws.below("career", author, MAX_CAREER), LAST_YEAR)
        unit: Floats = self.draws.unit("year", row)
        year = start + (unit * (end - start + 1)).astype(np.int64)
        return pa.array(year, mask=self.draws.happens("no year", row, self.literature.missing))


def _within(count: Ints) -> Ints:
    """Position of each member within its group, for groups of the sizes `count`."""
    return np.arange(int(count.sum())) - np.repeat(np.cumsum(count) - count, count)


def _join_groups(values: pa.Array, count: Ints, mark: str) -> pa.Array:
    """Join the values of each group into one string; missing for empty groups."""
    ends = np.concatenate([[0], np.cumsum(count)]).astype(np.int32)
    strings = pc.binary_join(pa.ListArray.from_arrays(pa.array(ends), values), mark)
    return pc.if_else(pa.array(count > 0), strings, pa.scalar(None, pa.string()))
