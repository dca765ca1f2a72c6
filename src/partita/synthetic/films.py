"""Generate records of films with known truth: sequels, remakes, translated and rearranged titles.

A family is a series: a film, its sequels, and remakes that share the title. Sources differ in
language, in the form of titles and names, and in the columns that they fill.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from partita.synthetic.addresses import city_names
from partita.synthetic.dice import Dice
from partita.synthetic.listing import list_records
from partita.synthetic.phrases import change_words, move_article, strip_accents
from partita.synthetic.settings import Catalogue, TextErrors
from partita.synthetic.source import Source, Truth
from partita.synthetic.work_words import (
    FILM_GENRES,
    ROMAN,
    build_person,
    build_title,
    translate,
    write_person,
)

__all__ = ["Films", "films"]

TYPED = {"title": 0.6, "director": 0.2, "cast": 0.2}
"""Columns with typing errors, and the share of the errors in each."""
REMAKE = 0.3
"""Share of remakes among the films of a series behind the first."""
ACTORS = 5
FIRST_YEAR = 1940
YEARS = 70
"""Range of the years of first films."""
Person = tuple[str, str]


class Style(NamedTuple):
    """Conventions of a source."""

    language: float
    """Chance of a translated title."""
    foreign: int
    """The language of translations: 1 German, 2 French."""
    article_last: bool
    is_roman: bool
    mark: str
    """Separator before a subtitle."""
    subtitle: float
    """Chance that a subtitle is written."""
    year_in_title: float
    name: int
    cast: int
    """Number of actors."""
    glue: str
    genre: int
    runtime: str
    is_plain: bool
    filled: tuple[float, ...]
    """Chance that year, director, cast, genre and runtime are filled."""


class Family(NamedTuple):
    """A series of films."""

    title: str
    year: int
    director: Person
    cast: tuple[Person, ...]
    genre: tuple[str, ...]
    has_subtitles: bool
    """Whether sequels have subtitles besides numbers."""
    has_numbers: bool


class Film(NamedTuple):
    """One film."""

    title: str
    part: int
    """Number in the series; 0 for a first film."""
    subtitle: str
    year: int
    director: Person
    cast: tuple[Person, ...]
    genre: tuple[str, ...]
    runtime: int


def films(
    n: int,
    seed: int = 0,
    *,
    sources: int = 1,
    errors: TextErrors | None = None,
    catalogue: Catalogue | None = None,
    truth: Truth = "column",
) -> Source:
    """Records of films, in random order.

    Parameters
    ----------
    n
        Number of records.
    seed
        The same number gives the same records; every column depends on `n` and `seed` alone.
    sources
        Number of databases; with several, none lists a film twice, and a column names the database.
    errors
        Error rates.
    catalogue
        Sizes of entities and series.
    truth
        Place of the true film of a record: the column `entity`, a separate file, or none.

    >>> films(100, seed=1).table().num_rows
    100
    """
    return list_records(
        Films(), n, seed, sources=sources, errors=errors, catalogue=catalogue, truth=truth
    )


class Films:
    """Composes films and their records."""

    required = "title"
    typed: Mapping[str, float] = MappingProxyType(TYPED)
    text: Sequence[str] = ("title", "director", "cast")

    def build_style(self, dice: Dice) -> Style:
        """Draw the conventions of a source."""
        return Style(
            *(dice.pick((0.0, 0.0, 0.05, 0.3)), dice.between(1, 2), dice.happens(0.3)),
            *(dice.happens(0.5), dice.pick((": ", " - ", ", ")), dice.pick((0.6, 0.95, 1.0))),
            *(dice.pick((0.0, 0.0, 0.2, 0.9)), int(dice.unit() ** 2 * 3), dice.between(1, 4)),
            *(dice.pick((", ", "; ", " / ")), dice.below(3)),
            *(dice.pick(("{m} min", "{m}", "{h}h {r:02d}m", "{h}:{r:02d}")), dice.happens(0.3)),
            (0.95, *(dice.pick((0.3, 0.8, 0.95)) for _ in range(4))),
        )

    def build_family(self, dice: Dice) -> Family:
        """Draw a series."""
        return Family(
            title=build_title(dice, dice.pick(city_names())),
            year=FIRST_YEAR + dice.below(YEARS),
            director=build_person(dice),
            cast=tuple(build_person(dice) for _ in range(ACTORS)),
            genre=dice.pick(FILM_GENRES),
            has_subtitles=dice.happens(0.6),
            has_numbers=dice.happens(0.7),
        )

    def build_member(self, family: Family, member: int, dice: Dice) -> Film:
        """Draw a film of a series, different from all its other films."""
        is_remake = member > 0 and dice.happens(REMAKE)
        is_sequel = member > 0 and not is_remake
        subtitle = build_title(dice, family.title.split()[-1])
        has_subtitle = is_sequel and (family.has_subtitles or not family.has_numbers)
        has_new_director = is_remake or dice.happens(0.3)
        cast = dice.shuffle(family.cast)[:3] if is_sequel else list(family.cast)
        if is_remake:
            cast = []
        cast += [build_person(dice) for _ in range(ACTORS - len(cast))]
        return Film(
            family.title,
            member + 1 if is_sequel and family.has_numbers else 0,
            subtitle if has_subtitle else "",
            # remakes come later than all sequels
            family.year + (9 * (member + 3) if is_remake else 2 * member),
            build_person(dice) if has_new_director and member else family.director,
            tuple(cast),
            family.genre,
            80 + dice.below(70),
        )

    def write(self, item: Film, style: Style, dice: Dice, errors: TextErrors) -> dict[str, str]:
        """Write one record of a film."""
        has = [dice.happens(rate) for rate in style.filled]
        form = dice.below(3) if dice.happens(errors.reformat) else style.name
        year = item.year + (dice.pick((-1, 1)) if dice.happens(errors.change) else 0)
        minutes = item.runtime + (dice.between(-4, 4) if dice.happens(0.3) else 0)
        title = _write_title(item, style, dice, errors)
        if dice.happens(style.year_in_title):
            title += f" ({year})"
        actors = [write_person(name, form) for name in item.cast[: style.cast]]
        record = {
            "title": change_words(title, dice, errors),
            "year": str(year) if has[0] else "",
            "director": write_person(item.director, form) if has[1] else "",
            "cast": style.glue.join(actors) if has[2] else "",
            "genre": item.genre[style.genre] if has[3] else "",
            "runtime": _write_runtime(minutes, style) if has[4] else "",
        }
        if style.is_plain:
            record = {name: strip_accents(value) for name, value in record.items()}
        return record


def _write_runtime(minutes: int, style: Style) -> str:
    return style.runtime.format(m=minutes, h=minutes // 60, r=minutes % 60)


def _write_title(item: Film, style: Style, dice: Dice, errors: TextErrors) -> str:
    """Write the title in the language and form of the source."""
    is_foreign = dice.happens(style.language)
    language = style.foreign if is_foreign else 0
    title = translate(item.title, language)
    article_last = style.article_last != dice.happens(0.5 * errors.reformat)
    if article_last:
        title = move_article(title)
    if item.part:
        is_roman = style.is_roman != dice.happens(errors.abbreviate)
        number = ROMAN[item.part] if is_roman else str(item.part)
        title += f" Part {number}" if dice.happens(errors.abbreviate) else f" {number}"
    # without a number, only the subtitle distinguishes a sequel
    if item.subtitle and (not item.part or dice.happens(style.subtitle)):
        title += style.mark + translate(item.subtitle, language)
    return title
