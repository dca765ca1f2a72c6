"""Records of composed entities: families of similar entities, sources, styles and errors.

A domain (products, companies, places, works) composes the text of an entity; this module assigns
rows to entities and sources and adds the errors that all domains share.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from partita.errors import InputError
from partita.states.checks import whole
from partita.synthetic.cells import arrow, encode
from partita.synthetic.dice import Dice
from partita.synthetic.draws import Draws, Ints
from partita.synthetic.noise import Noise
from partita.synthetic.plan import owner, plan_rows, start_groups
from partita.synthetic.settings import Catalogue, TextErrors, check_settings
from partita.synthetic.source import MAX_SOURCES, Source, Truth, name_source

__all__ = ["Domain", "list_records"]


class Domain(Protocol):
    """Composes families, their members, and records of a member."""

    required: str
    """The column that is never empty."""
    typed: Mapping[str, float]
    """Columns with typing errors, and the share of the errors in each."""
    text: Sequence[str]
    """Columns with errors of blanks and letter case."""

    def build_style(self, dice: Dice) -> Any:
        """Draw the conventions of a source."""

    def build_family(self, dice: Dice) -> Any:
        """Draw the traits that the members of a family share."""

    def build_member(self, family: Any, member: int, dice: Dice) -> Any:
        """Draw member number `member` of a family; members differ."""

    def write(self, item: Any, style: Any, dice: Dice, errors: TextErrors) -> dict[str, str]:
        """Write one record of a member; an empty text is a missing value."""


def list_records(
    domain: Domain,
    n: int,
    seed: int,
    *,
    sources: int,
    errors: TextErrors | None,
    catalogue: Catalogue | None,
    truth: Truth,
) -> Source:
    """Records of a domain, in random order."""
    n, seed, sources = whole(n, "n"), whole(seed, "seed", 0), whole(sources, "sources")
    if sources > MAX_SOURCES:
        raise InputError(f"sources is {sources}; give a number from 1 to {MAX_SOURCES}")
    errors = check_settings(errors, TextErrors, "errors")
    catalogue = check_settings(catalogue, Catalogue, "catalogue")
    maker = _Listing(domain, n, Draws(seed), sources, errors, catalogue)
    return Source(n, ("unique_id", "entity"), truth, maker.columns, maker.truth, sources)


class _Listing:
    """All records of a seed, generated on demand."""

    def __init__(
        self,
        domain: Domain,
        n: int,
        draws: Draws,
        sources: int,
        errors: TextErrors,
        catalogue: Catalogue,
    ) -> None:
        self.domain, self.draws, self.sources = domain, draws, sources
        self.errors, self.catalogue = errors, catalogue
        self.plan = plan_rows(n, draws, self._sizes)
        self.families = start_groups(self.plan.entities, self._family_sizes)
        self.styles = [
            domain.build_style(dice)
            for dice in self._dice("style", np.arange(max(catalogue.styles, sources)))
        ]

    def _dice(self, name: str, index: Ints) -> list[Dice]:
        return [Dice(state) for state in self.draws.bits(name, index).tolist()]

    def _sizes(self, index: Ints) -> Ints:
        """Records of each entity; a source contains an entity at most once."""
        largest = self.catalogue.largest if self.sources == 1 else self.sources
        sizes = self._draw_sizes("size", index, self.catalogue.repeat)
        return np.minimum(sizes, min(largest, self.catalogue.largest))

    def _family_sizes(self, index: Ints) -> Ints:
        sizes = self._draw_sizes("family size", index, self.catalogue.family)
        return np.minimum(sizes, self.catalogue.largest_family)

    def _draw_sizes(self, name: str, index: Ints, repeat: float) -> Ints:
        """Draw geometric sizes from 1."""
        ratio = np.clip(repeat, 1e-12, 1 - 1e-12)
        return (1 + np.log(self.draws.unit(name, index)) / np.log(ratio)).astype(np.int64)

    def truth(self, start: int, stop: int) -> Ints:
        """The entity behind each row."""
        return self.plan.rows(start, stop)[0]

    def columns(self, start: int, stop: int) -> dict[str, pa.Array]:
        """The rows from `start` to `stop`, without their truth."""
        entity, copy = self.plan.rows(start, stop)
        row = np.arange(start, stop)
        erring = ~self.draws.happens("clean", row, self.catalogue.clean)
        source = self._find_sources(entity, copy)
        records = self._write(entity, self._find_styles(row, source, erring), erring, row)
        cells = {}
        for name in records[0]:
            texts = [record[name] for record in records]
            cells[name] = encode(texts, max(1, *map(len, texts)))
        noise = Noise(self.draws, self.errors, row, erring)
        noise.spoil_text(cells, self.domain.typed, self.domain.text, self.domain.required)
        columns = {name: arrow(column) for name, column in cells.items()}
        if self.sources == 1:
            return columns
        return {"source": pa.array([name_source(place) for place in source.tolist()]), **columns}

    def _find_sources(self, entity: Ints, copy: Ints) -> Ints:
        """The source of each record: the records of an entity are in different sources."""
        if self.sources == 1:
            return np.zeros(entity.size, np.int64)
        slot = entity[:, None] * self.sources + np.arange(self.sources)
        order = np.argsort(self.draws.bits("source", slot), axis=1, kind="stable")
        return np.asarray(order[np.arange(entity.size), copy])

    def _find_styles(self, row: Ints, source: Ints, erring: Any) -> list[Any]:
        """The style of each record: that of its source, or of another one by error."""
        style = self.draws.below("style of row", row, len(self.styles))
        if self.sources > 1:
            other = erring & self.draws.happens("reformat", row, self.errors.reformat)
            style = np.where(other, style, source)
        return [self.styles[place] for place in style.tolist()]

    def _write(
        self, entity: Ints, styles: list[Any], erring: Any, row: Ints
    ) -> list[dict[str, str]]:
        items = self._build_items(np.unique(entity))
        none = TextErrors.only()
        return [
            self.domain.write(items[number], style, dice, self.errors if has_errors else none)
            for number, style, dice, has_errors in zip(
                entity.tolist(), styles, self._dice("row", row), erring.tolist(), strict=True
            )
        ]

    def _build_items(self, entity: Ints) -> dict[int, Any]:
        """Build the members behind some entities."""
        family = owner(self.families, entity)
        member = entity - self.families[family]
        dice = zip(self._dice("family", family), self._dice("member", entity), strict=True)
        return {
            number: self.domain.build_member(self.domain.build_family(first), place, second)
            for number, place, (first, second) in zip(
                entity.tolist(), member.tolist(), dice, strict=True
            )
        }
