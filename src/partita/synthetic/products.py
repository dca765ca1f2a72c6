"""Generate records of products with known truth: model numbers in titles, near-identical models.

A family is a series of one brand. Its members differ in size, number, colour or generation, or are
accessories for another member. Sources differ in the order of a title, in how they write model
numbers, sizes and prices, and in the columns that they fill.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from partita.synthetic.dice import Dice
from partita.synthetic.listing import list_records
from partita.synthetic.model_codes import FORMS, Code, Stem, build_code, build_stem, write_code
from partita.synthetic.phrases import change_words, join_words
from partita.synthetic.product_words import (
    CATEGORIES,
    COLOURS,
    PHRASES,
    Category,
    brands,
    series_names,
)
from partita.synthetic.settings import Catalogue, TextErrors
from partita.synthetic.source import Source, Truth

__all__ = ["Products", "products"]

TITLES = (
    *(
        "{brand} {model} {size} {noun} {colour}",
        "{brand} {series} {size} {noun} - {model} {colour}",
    ),
    *(
        "{brand} {series} {noun} {size} ({model}, {colour})",
        "{series} {size} {noun} {colour} - {model}",
    ),
    *("{brand} {colour} {size} {noun} - {model}", "{noun} {brand} {model} {size} {colour}"),
    *("{brand} {series} {size} {noun} {colour}", "{model} {brand} {noun} {colour} {size}"),
    *("{brand} {model}", "{brand} {series} {model} {noun} with {feature}, {size}, {colour}"),
)
"""Orders of a title."""
PRICES = ("{:.2f}", "${:.2f}", "{:.2f} EUR", "{:.0f}", "USD {:.2f}")
"""Ways to write a price."""
TYPED = {"title": 0.5, "brand": 0.1, "model": 0.1, "description": 0.3}
"""Columns with typing errors, and the share of the errors in each."""
DIMENSIONS = ("size", "size", "number", "number", "colour", "generation")
"""How the members of a family differ; frequent ways appear twice."""
GENERATIONS = ("", " II", " III", " IV", " V", " VI", " VII", " VIII")
"""Marks behind the name of a series."""
ACCESSORY = 0.2
"""Share of accessories among the members of a family behind the first."""
HIDDEN_CODE = 0.15
"""Share of products whose title never shows a model number."""


class Style(NamedTuple):
    """Conventions of a shop."""

    title: str
    form: str
    unit: int
    noun: int
    price: str
    factor: float
    """Factor of the shop's prices."""
    described: float
    """Chance of a description."""
    length: int
    """Maximum sentences of a description."""
    coded: float
    """Chance that the model column is filled."""
    branded: float
    """Chance that the brand column is filled."""
    prefix: str
    """Word of the shop before each title."""


class Family(NamedTuple):
    """A series of one brand."""

    category: Category
    brand: str
    series: str
    stem: Stem
    dimension: str
    size: int
    colours: tuple[str, ...]
    has_one_number: bool
    """Whether codes differ in size or a letter for the colour only."""
    price: float


class Product(NamedTuple):
    """One product."""

    family: Family
    code: Code
    series: str
    size: str
    colour: str
    accessory: str
    """The accessory that the product is; empty for a main product."""
    features: tuple[str, ...]
    price: float
    is_hidden: bool
    """Whether titles leave the model number out."""


def products(
    n: int,
    seed: int = 0,
    *,
    sources: int = 1,
    errors: TextErrors | None = None,
    catalogue: Catalogue | None = None,
    truth: Truth = "column",
) -> Source:
    """Records of products in shops, in random order.

    Parameters
    ----------
    n
        Number of records.
    seed
        The same number gives the same records; every column depends on `n` and `seed` alone.
    sources
        Number of shops; with several, no shop lists a product twice, and a column names the shop.
    errors
        Error rates.
    catalogue
        Sizes of entities and families.
    truth
        Place of the true product of a record: the column `entity`, a separate file, or none.

    >>> products(100, seed=1).table().num_rows
    100
    """
    return list_records(
        Products(), n, seed, sources=sources, errors=errors, catalogue=catalogue, truth=truth
    )


class Products:
    """Composes products and their records."""

    required = "title"
    typed: Mapping[str, float] = MappingProxyType(TYPED)
    text: Sequence[str] = ("title", "brand", "description")

    def build_style(self, dice: Dice) -> Style:
        """Draw the conventions of a shop."""
        return Style(
            *(dice.pick(TITLES), dice.pick_skewed(FORMS), dice.below(3), dice.below(3)),
            *(dice.pick_skewed(PRICES), math.exp(0.1 * (dice.unit() - 0.5))),
            *(dice.pick((0.0, 0.5, 0.8, 0.95)), dice.between(1, 4)),
            *(dice.pick((0.0, 0.0, 0.4, 0.9)), dice.pick((0.1, 0.7, 0.95, 1.0))),
            dice.pick(("", "", "", "", "", "", "", "", "New ", "Genuine ")),
        )

    def build_family(self, dice: Dice) -> Family:
        """Draw a series."""
        category = dice.pick(CATEGORIES)
        return Family(
            *(category, dice.pick_skewed(brands()), dice.pick(series_names()), build_stem(dice)),
            *(dice.pick(DIMENSIONS), dice.below(len(category.sizes)), tuple(dice.shuffle(COLOURS))),
            dice.happens(0.5),
            category.price * math.exp(1.2 * (dice.unit() - 0.5)),
        )

    def build_member(self, family: Family, member: int, dice: Dice) -> Product:
        """Draw a product of a series, different from all its other members."""
        category, dimension, accessory, model = family.category, family.dimension, "", member
        if member > 0 and dice.happens(ACCESSORY):
            # every pair of accessory and model occurs once in a family
            model, kind = divmod(member, len(category.accessories))
            accessory = category.accessories[kind]
        moved = model if dimension == "size" else 0
        size = category.sizes[(family.size + moved) % len(category.sizes)]
        place = 0 if dimension == "colour" else model
        if "Z" in family.stem.pattern and dimension == "size" and family.has_one_number:
            place = model // len(category.sizes)
        is_colour = dimension == "colour"
        colour = family.colours[model if is_colour else 0] if is_colour or dice.happens(0.5) else ""
        suffix = colour[:1] if is_colour and family.has_one_number else ""
        step = {"generation": model, "size": moved // len(category.sizes)}.get(dimension, 0)
        return Product(
            family,
            build_code(family.stem, place, size, suffix),
            family.series + GENERATIONS[step % len(GENERATIONS)],
            size,
            colour,
            accessory,
            tuple(dice.shuffle(category.features)[:4]),
            family.price * (0.1 if accessory else 1.0) * (1 + 0.12 * model),
            not is_colour and dimension != "number" and dice.happens(HIDDEN_CODE),
        )

    def write(self, item: Product, style: Style, dice: Dice, errors: TextErrors) -> dict[str, str]:
        """Write one record of a product."""
        form = dice.pick(FORMS) if dice.happens(errors.reformat) else style.form
        words = _words(item, style, form, dice, errors)
        title = _write_title(item, style, words)
        return {
            "title": change_words(title, dice, errors),
            "brand": item.family.brand if dice.happens(style.branded) else "",
            "model": words["code"] if dice.happens(style.coded) else "",
            "description": _describe(item, style, words, dice),
            "price": _write_price(item, style, dice, errors),
        }


def _words(
    item: Product, style: Style, form: str, dice: Dice, errors: TextErrors
) -> dict[str, str]:
    """Words that fill titles and descriptions."""
    category = item.family.category
    noun = dice.pick(category.nouns) if dice.happens(errors.abbreviate) else ""
    code = write_code(item.code, form)
    features = dice.shuffle(item.features)
    return {
        "brand": item.family.brand,
        "series": item.series,
        "code": code,
        "model": "" if item.is_hidden else code,
        "noun": noun or category.nouns[style.noun % len(category.nouns)],
        "size": item.size + category.units[style.unit],
        "colour": item.colour,
        "feature": features[0],
        **dict(zip("abc", features, strict=False)),
    }


def _write_title(item: Product, style: Style, words: dict[str, str]) -> str:
    """The title without errors; the only distinguishing part is always present."""
    title = style.title
    if item.is_hidden and "{series}" not in title:
        title = title.replace("{brand}", "{brand} {series}") + " {size}" * ("{size}" not in title)
    needed = {"colour": " {colour}", "number": " {model}"}.get(item.family.dimension, "")
    if needed not in title:
        title += needed
    text = title.format(**words)
    for hole in (" (, )", "(, ", ", )", "()", " ,", ", ,"):
        text = text.replace(hole, {"(, ": "(", ", )": ")", " ,": ",", ", ,": ","}.get(hole, ""))
    text = " ".join(text.split()).strip(" -,")
    if item.accessory:
        text = f"{item.accessory} for {text}"
    return style.prefix + text


def _describe(item: Product, style: Style, words: dict[str, str], dice: Dice) -> str:
    if not dice.happens(style.described):
        return ""
    phrases = [
        phrase
        for phrase in PHRASES
        if (words["model"] or "{model}" not in phrase) and (item.colour or "{colour}" not in phrase)
    ]
    chosen = dice.shuffle(phrases)[: dice.between(1, style.length)]
    sentences = [phrase.format(**words) for phrase in chosen]
    if item.accessory:
        sentences.insert(0, join_words(item.accessory, "for", words["brand"], words["code"]))
    text = ". ".join(sentences)
    return text[:100] + "..." if dice.happens(0.15) and len(text) > 100 else text


def _write_price(item: Product, style: Style, dice: Dice, errors: TextErrors) -> str:
    if dice.happens(3 * errors.missing):
        return ""
    spread = 0.5 if dice.happens(errors.change) else 0.06
    price = item.price * style.factor * math.exp(spread * (dice.unit() - 0.5))
    return style.price.format(max(1.0, round(price) - dice.pick((0.0, 0.01, 0.05))))
