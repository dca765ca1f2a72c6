"""Generate records of albums with known truth: editions, live versions, artists in several forms.

A family is an artist: albums, and editions of an album such as a remaster, which are other
entities. Sources differ in the form of artists and titles, and in the columns that they fill.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from partita.synthetic.addresses import city_names
from partita.synthetic.dice import Dice
from partita.synthetic.listing import list_records
from partita.synthetic.phrases import change_words, move_article
from partita.synthetic.settings import Catalogue, TextErrors
from partita.synthetic.source import Source, Truth
from partita.synthetic.work_words import (
    ALBUM_GENRES,
    build_person,
    build_title,
    labels,
    write_person,
)

__all__ = ["Albums", "albums"]

TYPED = {"artist": 0.25, "title": 0.45, "label": 0.1, "tracks": 0.2}
"""Columns with typing errors, and the share of the errors in each."""
EDITIONS = (
    *(("(Remastered)", "[Remaster]", "- Remastered"), ("(Deluxe Edition)", "[Deluxe]", "Deluxe")),
    *(("(Live)", "[Live]", "Live"), ("(Acoustic)", "[Acoustic Version]", "- Acoustic")),
    *(("(Disc 2)", "[CD2]", "CD 2"), ("(Anniversary Edition)", "[Anniversary Ed.]", "Anniversary")),
    *(("(Instrumentals)", "[Instrumental]", "- Instrumental"), ("Vol. 2", "Volume II", "Volume 2")),
)
"""Editions of an album, in three forms each; an edition is another entity."""
EDITION = 0.4
"""Share of editions among the albums of an artist behind the first."""
TRACKS = 10
FIRST_YEAR = 1960
YEARS = 55
"""Range of the years of first albums."""


class Style(NamedTuple):
    """Conventions of a source."""

    article_last: bool
    person: int
    """Form of the names of singers."""
    edition: int
    tracks: int
    """Number of tracks in a record; 0 is none."""
    glue: str
    is_numbered: bool
    """Whether tracks have numbers."""
    genre: int
    length: str
    filled: tuple[float, ...]
    """Chance that artist, year, label, genre and length are filled."""


class Family(NamedTuple):
    """An artist."""

    band: str
    """The name of a band; empty for a singer."""
    singer: tuple[str, str]
    guest: str
    """A second name that some records leave out."""
    year: int
    label: str
    genre: tuple[str, ...]
    title: str
    tracks: tuple[str, ...]


class Album(NamedTuple):
    """One album."""

    artist: Family
    title: str
    edition: tuple[str, ...]
    year: int
    label: str
    tracks: tuple[str, ...]
    seconds: int


def albums(
    n: int,
    seed: int = 0,
    *,
    sources: int = 1,
    errors: TextErrors | None = None,
    catalogue: Catalogue | None = None,
    truth: Truth = "column",
) -> Source:
    """Records of music albums, in random order.

    Parameters
    ----------
    n
        Number of records.
    seed
        The same number gives the same records; every column depends on `n` and `seed` alone.
    sources
        Number of databases; with several, none lists an album twice, and a column names it.
    errors
        Error rates.
    catalogue
        Sizes of entities, and albums of an artist.
    truth
        Place of the true album of a record: the column `entity`, a separate file, or none.

    >>> albums(100, seed=1).table().num_rows
    100
    """
    return list_records(
        Albums(), n, seed, sources=sources, errors=errors, catalogue=catalogue, truth=truth
    )


class Albums:
    """Composes albums and their records."""

    required = "title"
    typed: Mapping[str, float] = MappingProxyType(TYPED)
    text: Sequence[str] = ("artist", "title", "label", "tracks")

    def build_style(self, dice: Dice) -> Style:
        """Draw the conventions of a source."""
        return Style(
            *(dice.happens(0.3), int(dice.unit() ** 2 * 3), dice.below(3)),
            *(dice.pick((0, 3, 6, 10)), dice.pick((", ", " | ", "; ", " / ")), dice.happens(0.3)),
            *(dice.below(3), dice.pick(("{m}:{s:02d}", "{t}", "{m} min"))),
            (0.98, *(dice.pick((0.3, 0.8, 0.95)) for _ in range(4))),
        )

    def build_family(self, dice: Dice) -> Family:
        """Draw an artist and the first album."""
        place = dice.pick(city_names())
        name = build_title(dice, place)
        band = name if name.startswith("The ") or dice.happens(0.5) else f"The {name.split()[-1]}s"
        first, second = build_person(dice), build_person(dice)
        return Family(
            band=band if dice.happens(0.55) else "",
            singer=first,
            guest=write_person(second, 0) if dice.happens(0.15) else "",
            year=FIRST_YEAR + dice.below(YEARS),
            label=dice.pick(labels()),
            genre=dice.pick(ALBUM_GENRES),
            title=build_title(dice, place),
            tracks=tuple(build_title(dice, place) for _ in range(TRACKS)),
        )

    def build_member(self, family: Family, member: int, dice: Dice) -> Album:
        """Draw an album or an edition, different from all other albums of the artist."""
        place = dice.pick(city_names())
        if member == 0 or dice.happens(EDITION):
            edition = EDITIONS[member] if member else ()
            tracks = family.tracks
            if member:
                tracks = (*tracks[:-2], build_title(dice, place), build_title(dice, place))
            title, year = family.title, family.year + (10 + dice.below(20) if member else 0)
        else:
            edition, title = (), build_title(dice, place)
            tracks = tuple(build_title(dice, place) for _ in range(TRACKS))
            year = family.year + 2 * member
        label = family.label if dice.happens(0.7) else dice.pick(labels())
        return Album(family, title, edition, year, label, tracks, 1500 + dice.below(2700))

    def write(self, item: Album, style: Style, dice: Dice, errors: TextErrors) -> dict[str, str]:
        """Write one record of an album."""
        has = [dice.happens(rate) for rate in style.filled]
        form = dice.below(3) if dice.happens(errors.reformat) else style.person
        title = move_article(item.title) if style.article_last else item.title
        if item.edition:
            is_other = dice.happens(errors.reformat)
            title += f" {dice.pick(item.edition) if is_other else item.edition[style.edition]}"
        year = item.year + (dice.pick((-1, 1)) if dice.happens(errors.change) else 0)
        seconds = item.seconds + dice.between(-5, 5)
        length = style.length.format(m=seconds // 60, s=seconds % 60, t=seconds)
        return {
            "artist": _write_artist(item, style, form, dice, errors) if has[0] else "",
            "title": change_words(title, dice, errors),
            "year": str(year) if has[1] else "",
            "label": item.label if has[2] else "",
            "genre": item.artist.genre[style.genre] if has[3] else "",
            "length": length if has[4] else "",
            "tracks": _write_tracks(item, style),
        }


def _write_artist(item: Album, style: Style, form: int, dice: Dice, errors: TextErrors) -> str:
    """Write the band, or the singer and a guest."""
    artist = item.artist
    name = artist.band or write_person(artist.singer, form)
    if artist.band:
        if style.article_last:
            name = move_article(name)
        elif dice.happens(2 * errors.drop):
            name = name.removeprefix("The ")
    if artist.guest and not dice.happens(4 * errors.drop):
        name += dice.pick((" feat. ", " & ", " with ", " and ")) + artist.guest
    return name


def _write_tracks(item: Album, style: Style) -> str:
    tracks = item.tracks[: style.tracks]
    if style.is_numbered:
        tracks = tuple(f"{number}. {track}" for number, track in enumerate(tracks, 1))
    return style.glue.join(tracks)
