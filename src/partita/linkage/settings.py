"""Settings of a resolution: everything that partita.toml can say, with its defaults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from partita.comparison import column_types as kinds
from partita.errors import InputError
from partita.linkage.supervision.predicates import PredicateSettings
from partita.states.checks import whole

__all__ = ["MODELS", "MODES", "POSTERIORS", "USES", "ColumnSettings", "Settings"]

MODES = ("auto", "dedupe", "link", "both")
MODELS = ("auto", "entities", "pairs")
POSTERIORS = ("quick", "full")
USES = ("score", "block", "none")


@dataclass(frozen=True)
class ColumnSettings:
    """How one column is used."""

    kind: str
    """What is in it, which decides how it is compared."""
    use: str = "score"
    """"score": compared and searched; "block": only searched for candidates; "none": left out."""

    def checked(self, name: str) -> ColumnSettings:
        """Itself, or an InputError."""
        if self.kind not in kinds():
            raise InputError(
                f"column {name!r} has the kind {self.kind!r}; give one of {', '.join(kinds())}"
            )
        if self.use not in USES:
            raise InputError(f"column {name!r} has use {self.use!r}; give {' or '.join(USES)}")
        return self


@dataclass(frozen=True)
class Settings:
    """What a resolution does; the defaults need no configuration."""

    id: str | None = None
    """The column of ids; by default `unique_id` or `id`, else rows are numbered."""
    source: str | None = None
    """The column that says where a record comes from."""
    ignore: tuple[str, ...] = ()
    """Columns that go to the output but are not looked at."""
    mode: str = "auto"
    """"dedupe" ignores sources, "link" compares records of different sources only, "both" compares
    all; "auto" goes by the sources."""
    one_to_one: bool = False
    """Whether no source holds an entity twice."""
    columns: Mapping[str, ColumnSettings] = field(default_factory=dict)
    """Columns of which the user says more than the profile does."""
    neighbours: int = 20
    """Candidates that each of the two searches keeps per record."""
    rules: tuple[tuple[str, ...], ...] = ()
    """Lists of columns: records equal in all columns of a list are candidates as well."""
    largest_block: int = 500
    """Larger blocks of a rule are not paired."""
    model: str = "auto"
    """"entities" with latent values, "pairs" of records, or whichever the data favours."""
    predicates: tuple[PredicateSettings, ...] = ()
    """What speaks for or against whole entities, besides the evidence of pairs or fields."""
    posterior: str = "quick"
    """"quick" draws the records in doubt, with error rates as the pairs show them; "full" draws all
    records that may match, and with them the error rates of columns and the sizes of entities."""
    join: float = 0.5
    """The cost of joining two records wrongly, against 1 - join of leaving them apart wrongly."""
    chains: int = 2
    """Chains of the posterior, from different starts."""
    draws: int | None = None
    """Kept draws of each chain; by default from 30, for large data, to 200."""
    tune: int | None = None
    """Draws of each chain that are thrown away; by default a quarter of those that are kept."""
    seed: int = 0
    """One seed for everything."""
    threads: int | None = None
    """Threads; the result does not depend on them."""
    memory: str | int | None = None
    """The most memory to use, such as "2GB"."""

    def checked(self) -> Settings:
        """Itself, or an InputError for the first setting that cannot be."""
        for name, choices in (("mode", MODES), ("model", MODELS), ("posterior", POSTERIORS)):
            if getattr(self, name) not in choices:
                raise InputError(
                    f"{name} is {getattr(self, name)!r}; give one of {', '.join(choices)}"
                )
        least = {"neighbours": 0, "largest_block": 2, "chains": 1, "draws": 2, "tune": 0, "seed": 0}
        for name, smallest in (*least.items(), ("threads", 1)):
            if getattr(self, name) is not None:
                whole(getattr(self, name), name, smallest)
        if self.posterior == "full" and self.model == "pairs":
            raise InputError(
                "posterior is 'full' and model 'pairs', but only the model of entities has rates "
                "to draw; leave one of the two out"
            )
        if not 0 < self.join < 1:
            raise InputError(f"join is {self.join}; give a number between 0 and 1")
        for name, one in self.columns.items():
            one.checked(name)
        return self

    @classmethod
    def names(cls) -> list[str]:
        """The names of all settings."""
        return [one.name for one in fields(cls)]

    def replaced(self, **given: Any) -> Settings:
        """The same with some settings changed; None leaves one as it is."""
        known = set(self.names())
        for name in given:
            if name not in known:
                raise InputError(
                    f"there is no setting {name!r}; there are {', '.join(self.names())}"
                )
        own = {one: getattr(self, one) for one in known}
        own |= {name: value for name, value in given.items() if value is not None}
        return Settings(**own)
