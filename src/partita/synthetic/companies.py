"""Generate records of companies with known truth: legal forms, abbreviations, groups, branches.

A family is a group of companies with one name in front, companies with one name in several towns,
or the branches of one company. Sources differ in how they write legal forms, addresses and
telephone numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from partita.synthetic.addresses import city_names
from partita.synthetic.company_words import (
    ABBREVIATIONS,
    ADJECTIVES,
    COUNTRIES,
    DIVISIONS,
    LEGAL_FORMS,
    Country,
    coined_names,
    family_names,
)
from partita.synthetic.dice import Dice
from partita.synthetic.listing import list_records
from partita.synthetic.names import GIVEN, build_given_names
from partita.synthetic.phrases import abbreviate, change_words, join_words, strip_accents
from partita.synthetic.settings import Catalogue, TextErrors, check_settings
from partita.synthetic.sites import (
    TOWNS,
    Site,
    build_site,
    write_phone,
    write_postcode,
    write_street,
)
from partita.synthetic.source import Source, Truth

__all__ = ["Companies", "companies"]

TYPED = {"name": 0.5, "street": 0.25, "city": 0.1, "phone": 0.05, "registration_number": 0.1}
"""Columns with typing errors, and the share of the errors in each."""
ACRONYM = 0.15
"""Share of abbreviated names that are the initials of at least three words."""
KINDS = ("group", "same name", "branches")
"""Kinds of families."""


class Style(NamedTuple):
    """Conventions of a source."""

    legal: int
    """Form in which the source writes legal forms."""
    no_legal: float
    """Chance that the source leaves the legal form out."""
    is_upper: bool
    is_plain: bool
    """Whether the source has no accents."""
    short_words: float
    """Chance of an abbreviated word in a name or street."""
    postcode: int
    phone: int
    website: str
    filled: tuple[float, ...]
    """Chance that postcode, country, phone, website and registration number are filled."""
    country: int


class Family(NamedTuple):
    """Shared parts of the members of a family."""

    kind: str
    country: Country
    root: str
    trade: str
    legal: str
    city: int
    divisions: tuple[str, ...]
    site: Site
    registration: str


class Company(NamedTuple):
    """One company, or one branch."""

    name: str
    """The name without its legal form."""
    legal: str
    country: Country
    sites: tuple[Site, ...]
    """The seat, and branches that are the same entity."""
    earlier: Site
    """The address before a move."""
    phones: tuple[str, str]
    website: str
    registration: str


def companies(
    n: int,
    seed: int = 0,
    *,
    sources: int = 1,
    errors: TextErrors | None = None,
    catalogue: Catalogue | None = None,
    truth: Truth = "column",
) -> Source:
    """Records of companies, in random order.

    Parameters
    ----------
    n
        Number of records.
    seed
        The same number gives the same records; every column depends on `n` and `seed` alone.
    sources
        Number of registers; with several, none lists a company twice, and a column names it.
    errors
        Error rates.
    catalogue
        Sizes of entities and families; whether a branch is an entity.
    truth
        Place of the true company of a record: the column `entity`, a separate file, or none.

    >>> companies(100, seed=1).table().num_rows
    100
    """
    catalogue = check_settings(catalogue, Catalogue, "catalogue")
    domain = Companies(catalogue.branches)
    return list_records(
        domain, n, seed, sources=sources, errors=errors, catalogue=catalogue, truth=truth
    )


class Companies:
    """Composes companies and their records."""

    required = "name"
    typed: Mapping[str, float] = MappingProxyType(TYPED)
    text: Sequence[str] = ("name", "street", "city")

    def __init__(self, branches: bool) -> None:
        self.branches = branches

    def build_style(self, dice: Dice) -> Style:
        """Draw the conventions of a source."""
        return Style(
            *(dice.below(4), dice.pick((0.0, 0.1, 0.5, 0.9)), dice.happens(0.2)),
            *(dice.happens(0.4), dice.pick((0.0, 0.0, 0.3, 0.7)), int(dice.unit() ** 2 * 3)),
            *(dice.below(6), dice.pick(("www.{}", "{}", "http://www.{}", "https://{}/"))),
            (*(dice.pick((0.5, 0.8, 0.95)) for _ in range(4)), dice.pick((0.0, 0.4, 0.9))),
            dice.below(3),
        )

    def build_family(self, dice: Dice) -> Family:
        """Draw a group, companies with one name, or a company with branches."""
        country = COUNTRIES[int(dice.unit() ** 1.5 * len(COUNTRIES))]
        city = int(dice.unit() ** 2 * TOWNS)
        root, trade = _build_name(country, city, dice)
        return Family(
            dice.pick(KINDS if self.branches else KINDS[:2]),
            *(country, root, trade, dice.pick_skewed(country.forms), city),
            *(
                tuple(word for word in dice.shuffle(DIVISIONS) if word != trade),
                build_site(dice, city),
                dice.digits(8),
            ),
        )

    def build_member(self, family: Family, member: int, dice: Dice) -> Company:
        """Draw a company of a family, different from all its other members."""
        kind, root = family.kind, family.root
        # the steps keep the towns of a family apart
        city = family.city + (0 if kind == "group" else 37 * member)
        shared = kind == "group" and dice.happens(0.5)
        site = family.site if member == 0 or shared else build_site(dice, city)
        name, legal = _arrange(family, family.trade), family.legal
        if kind == "group" and member:
            name = join_words(root, family.divisions[member])
            legal = dice.pick(family.country.forms)
        is_branch = kind == "branches" and member > 0
        others = () if self.branches else tuple(build_site(dice) for _ in range(dice.below(3)))
        domain = "".join(letter for letter in strip_accents(root).lower() if letter.isalnum())
        if kind != "branches" and member:
            domain += f"-{site.city.lower()}" if kind == "same name" else name.split()[-1].lower()
        own = dice.digits(8)
        return Company(
            *(name, legal, family.country, (site, *others), build_site(dice, city)),
            (dice.digits(7), dice.digits(7)),
            f"{domain}.{family.country.domain}" if dice.happens(0.75) else "",
            family.registration if is_branch or member == 0 else own,
        )

    def write(self, item: Company, style: Style, dice: Dice, errors: TextErrors) -> dict[str, str]:
        """Write one record of a company."""
        is_other = len(item.sites) > 1 and dice.happens(0.4)
        site = dice.pick(item.sites[1:]) if is_other else item.sites[0]
        if dice.happens(0.5 * errors.change):
            site = item.earlier
        country, has = item.country, [dice.happens(rate) for rate in style.filled]
        rate = max(style.short_words, 0.5 * errors.abbreviate)
        number_last = country.trade_first
        street = write_street(site, number_last, dice.happens(0.7))
        phone = item.phones[1 if is_other or dice.happens(errors.change) else 0]
        countries = (country.name, country.codes[0], dice.pick(country.codes))
        form = dice.below(6) if dice.happens(errors.reformat) else style.phone
        record = {
            "name": _write_name(item, style, dice, errors),
            "street": abbreviate(street, ABBREVIATIONS, dice, rate),
            "city": site.city,
            "postcode": write_postcode(site, country.codes[0], style.postcode) if has[0] else "",
            "country": countries[style.country] if has[1] else "",
            "phone": write_phone(phone, site, country.prefix, form) if has[2] else "",
            "website": style.website.format(item.website) if item.website and has[3] else "",
            "registration_number": item.registration if has[4] else "",
        }
        for column in self.text:
            value = strip_accents(record[column]) if style.is_plain else record[column]
            record[column] = value.upper() if style.is_upper else value
        return record


def _build_name(country: Country, city: int, dice: Dice) -> tuple[str, str]:
    """Draw the distinctive words of a name, and a trade that may be empty."""
    trade = dice.pick(country.trades)
    kind = dice.unit()
    if kind < 0.4:
        names = build_given_names()
        first = "".join(map(chr, names.cells[dice.below(2 * GIVEN // 8)].tolist())).strip("\0")
        a, b = dice.pick_skewed(family_names()), dice.pick_skewed(family_names())
        root = dice.pick(country.founders).format(a=a, b=b, g=first, i=f"{first[0]}.")
        return root, trade if dice.happens(0.6) else ""
    if kind < 0.65:
        return dice.pick(coined_names()), trade if dice.happens(0.6) else ""
    if kind < 0.8:
        return city_names()[city], trade
    if kind < 0.9:
        return f"{dice.pick(ADJECTIVES)} {dice.pick(coined_names())}", trade
    return dice.letters(dice.between(2, 4)), trade


def _arrange(family: Family, trade: str) -> str:
    """Join name and trade in the order of the country."""
    words = (trade, family.root) if family.country.trade_first else (family.root, trade)
    return join_words(*words)


def _write_name(item: Company, style: Style, dice: Dice, errors: TextErrors) -> str:
    name, words = item.name, item.name.split()
    if len(words) > 2 and dice.happens(ACRONYM * errors.abbreviate):
        name = "".join(word[0] for word in words if word[0].isupper())
    rate = max(style.short_words, errors.abbreviate)
    name = change_words(abbreviate(name, ABBREVIATIONS, dice, rate), dice, errors)
    forms = LEGAL_FORMS[item.legal]
    form = dice.pick(forms) if dice.happens(errors.reformat) else forms[style.legal % len(forms)]
    if dice.happens(style.no_legal):
        return name
    return name + form if form.startswith(",") else f"{name} {form}"
