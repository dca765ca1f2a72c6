"""Idle columns: values that are independent of the entity."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from partita.synthetic.names import compose_words
from partita.synthetic.words import words

__all__ = ["IDLE", "IdleKind", "choose_idle"]

MAX_BLANK = 0.3
"""Largest share of missing values in an idle column; the share is drawn for each column."""

WEEKS = 52

Values = list[str]
Make = Callable[[np.random.Generator, int], Values]


@dataclass(frozen=True)
class IdleKind:
    """One kind of idle column."""

    headers: tuple[str, ...]
    make: Make
    varied: bool
    """Whether most values are distinct."""
    for_training: bool = True

    def draw(self, rng: np.random.Generator, count: int) -> list[str | None]:
        """Values of some records; a random share is missing."""
        values, blank = self.make(rng, count), rng.random() * MAX_BLANK
        missing = (rng.random(count) < blank).tolist()
        return [None if gap else value for value, gap in zip(values, missing, strict=True)]


def choose_idle(
    rng: np.random.Generator, count: int, for_training: bool = True
) -> dict[str, IdleKind]:
    """Draw some kinds of idle columns, by name; at least one of them is varied."""
    kinds = {name: kind for name, kind in IDLE.items() if kind.for_training == for_training}
    varied = [name for name, kind in kinds.items() if kind.varied]
    first = varied[int(rng.integers(len(varied)))]
    others = [name for name in kinds if name != first]
    names = [first, *rng.permutation(others)[: count - 1].tolist()]
    return {name: kinds[name] for name in names}


def _pick(options: Sequence[str]) -> Make:
    """Draw values of a list, with skewed frequencies."""

    def make(rng: np.random.Generator, count: int) -> Values:
        share = rng.dirichlet(np.full(len(options), 2.0))
        return [options[k] for k in rng.choice(len(options), count, p=share).tolist()]

    return make


def _draw_dates(rng: np.random.Generator, count: int) -> Values:
    first = np.datetime64("2009-01-01") + int(rng.integers(3_000))
    return [str(first + day) for day in rng.integers(2_500, size=count).tolist()]


def _draw_times(rng: np.random.Generator, count: int) -> Values:
    first = np.datetime64("2019-01-01T00:00:00")
    seconds = rng.integers(150_000_000, size=count).tolist()
    return [str(first + second).replace("T", " ") for second in seconds]


def _draw_amounts(rng: np.random.Generator, count: int) -> Values:
    return [f"{amount:.2f}" for amount in rng.lognormal(4, 1, count).tolist()]


@cache
def _text_words() -> list[str]:
    return words().to_pylist()


def _draw_texts(rng: np.random.Generator, count: int) -> Values:
    """Sentences of 4 to 15 words by a Zipf law."""
    vocabulary = _text_words()
    lengths = rng.integers(4, 16, size=count).tolist()
    places = (len(vocabulary) ** rng.random(int(sum(lengths))) - 1).astype(int).tolist()
    texts, start = [], 0
    for length in lengths:
        texts.append(" ".join(vocabulary[k] for k in places[start : start + length]))
        start += length
    return texts


def _draw_clerks(rng: np.random.Generator, count: int) -> Values:
    names = compose_words(("Al Ber Car Dor El", "an in ia o", "- na ta"), 60)
    names = [name.replace("-", "") for name in names]
    staff = [f"{a} {b}er" for a, b in zip(names[:12], names[20:32], strict=True)]
    return _pick(staff)(rng, count)


def _draw_constant(rng: np.random.Generator, count: int) -> Values:
    return [("import 3", "customer", "EUR", "active")[int(rng.integers(4))]] * count


def _draw_flags(rng: np.random.Generator, count: int) -> Values:
    yes, no = (("Y", "N"), ("true", "false"), ("1", "0"))[int(rng.integers(3))]
    return [yes if chosen else no for chosen in (rng.random(count) < rng.random()).tolist()]


def _draw_codes(rng: np.random.Generator, count: int) -> Values:
    letters = "ABCDE"
    codes = [f"{letters[a]}{b}" for a in range(5) for b in range(1, 5)]
    return _pick(codes)(rng, count)


def _draw_scores(rng: np.random.Generator, count: int) -> Values:
    return [f"{100 * score:.1f}" for score in rng.beta(2, 2, count).tolist()]


def _draw_points(rng: np.random.Generator, count: int) -> Values:
    north, east = 48 + 4 * rng.random(count), 8 + 5 * rng.random(count)
    return [f"{a:.4f}, {b:.4f}" for a, b in zip(north.tolist(), east.tolist(), strict=True)]


def _draw_calls(rng: np.random.Generator, count: int) -> Values:
    numbers = rng.integers(10**9, 10**10, size=count).tolist()
    return [f"+{str(n)[:2]} {str(n)[2:5]} {str(n)[5:]}" for n in numbers]


def _draw_file_names(rng: np.random.Generator, count: int) -> Values:
    days, numbers = rng.integers(1, 29, size=count), rng.integers(10_000, size=count)
    rows = zip(days.tolist(), numbers.tolist(), strict=True)
    return [f"scan_2022{1 + n % 12:02d}{day:02d}_{n:04d}.pdf" for day, n in rows]


def _draw_batches(rng: np.random.Generator, count: int) -> Values:
    first = int(rng.integers(2015, 2025))
    weeks = rng.integers(2 * WEEKS, size=count).tolist()
    return [f"{first + week // WEEKS}-W{week % WEEKS + 1:02d}" for week in weeks]


NOTES = ("called", "sent mail", "ok", "see file", "vip", "call back later")
OFFICES = ("north", "south", "head office", "service desk", "returns")
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
STATES = ("open", "closed", "waiting", "in progress", "escalated")

IDLE = {
    "notes": IdleKind(("notes", "note", "comment"), _pick(NOTES), False),
    "free text": IdleKind(("remarks", "internal_text", "history"), _draw_texts, True),
    "created": IdleKind(("created_at", "created", "entry_date"), _draw_dates, True),
    "updated": IdleKind(("updated", "last_change", "modified_at"), _draw_times, True),
    "amounts": IdleKind(("amount", "total", "last_invoice"), _draw_amounts, True),
    "clerks": IdleKind(("clerk", "entered_by", "agent"), _draw_clerks, False),
    "constant": IdleKind(("kind", "batch_label", "currency"), _draw_constant, False),
    "flags": IdleKind(("flag", "is_checked", "newsletter"), _draw_flags, False),
    "status codes": IdleKind(("status_code", "class", "segment"), _draw_codes, False),
    "scores": IdleKind(("score", "rating", "risk"), _draw_scores, True),
    "offices": IdleKind(("office", "department", "desk"), _pick(OFFICES), False),
    "coordinates": IdleKind(("gps", "last_seen", "position"), _draw_points, True, False),
    "call ids": IdleKind(("call_id", "hotline", "last_call"), _draw_calls, True, False),
    "file names": IdleKind(("scan", "attachment", "document"), _draw_file_names, True, False),
    "batches": IdleKind(("batch", "import_week", "run"), _draw_batches, False, False),
    "weekdays": IdleKind(("weekday", "delivery_day", "tour"), _pick(DAYS), False, False),
    "states": IdleKind(("ticket", "process", "stage"), _pick(STATES), False, False),
}
"""All kinds by name; those not for training serve final reports only."""
