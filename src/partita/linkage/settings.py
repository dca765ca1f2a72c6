"""Settings of a resolution: every key of partita.toml, with its default and its meaning."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from partita.comparison import Comparison, column_types
from partita.errors import InputError
from partita.linkage.supervision.predicates import PredicateSettings
from partita.states.checks import whole

__all__ = [
    "MENTIONS",
    "MODELS",
    "MODES",
    "POSTERIORS",
    "ROLES",
    "ColumnSettings",
    "Settings",
    "describe",
]

MODES = ("auto", "dedupe", "link", "both")
MODELS = ("auto", "entities", "pairs")
POSTERIORS = ("quick", "full")
MENTIONS = ("auto", "off")
READINGS = ("auto", "em", "prior", "pooled", "words")
ROLES = ("compare", "block", "ignore")
WORD_GROUPS = ("auto", "letters", "positions", "none")
CHOICES = {
    "mode": MODES,
    "mentions": MENTIONS,
    "model": MODELS,
    "reading": READINGS,
    "posterior": POSTERIORS,
}
"""The values that a setting can have."""


def _setting(default: Any, meaning: str, section: str = "", example: Any = None) -> Any:
    """A field with the text, section and example that partita.toml shows."""
    about = {"meaning": meaning, "section": section, "example": example}
    return field(default=default, metadata=about)


def describe(settings: type, name: str) -> dict[str, Any]:
    """The meaning, section and example of one setting of a class."""
    return next(dict(setting.metadata) for setting in fields(settings) if setting.name == name)


@dataclass(frozen=True)
class ColumnSettings:
    """How one column is used; a setting that is None is read from the data."""

    type: str | None = _setting(
        None, "what the column holds; it decides the comparison where none is named"
    )
    role: str = _setting(
        "compare",
        '"compare": compared, and used for blocking; "block": used for blocking alone; '
        '"ignore": not used',
    )
    comparison: Comparison | None = _setting(  # noqa: RUF009  a field, whatever its type
        None, "the comparison of `partita.comparison`; its settings follow it"
    )
    word_groups: str | None = _setting(
        None,
        'groups of words that are compared as columns of their own: "letters" (by first letter), '
        '"positions" (first, middle and last words), "auto" (chosen by the candidate pairs) or '
        '"none"',
    )
    weight: float | None = _setting(
        None,
        "by how much the evidence of the column counts, above 0 and up to 1; by default the "
        "relevance of the column decides",
    )

    def as_dict(self) -> dict[str, Any]:
        """The settings as TOML and JSON can hold them."""
        stored = {} if self.comparison is None else self.comparison.as_dict()
        groups = {} if self.word_groups is None else {"word_groups": self.word_groups}
        weight = {} if self.weight is None else {"weight": self.weight}
        return {"type": self.type, "role": self.role, **weight, **groups, **stored}

    def checked(self, name: str) -> ColumnSettings:
        """The settings themselves, or an InputError."""
        if self.type is not None and self.type not in column_types():
            raise InputError(
                f"column {name!r} has the type {self.type!r}; "
                f"give one of {', '.join(column_types())}"
            )
        if self.role not in ROLES:
            raise InputError(f"column {name!r} has the role {self.role!r}; give {_or(ROLES)}")
        if self.word_groups is not None and self.word_groups not in WORD_GROUPS:
            raise InputError(
                f"column {name!r} has word_groups {self.word_groups!r}; give {_or(WORD_GROUPS)}"
            )
        if self.weight is not None and not 0 < self.weight <= 1:
            raise InputError(
                f"column {name!r} has the weight {self.weight!r}; give a number above 0 and up to 1"
            )
        if self.comparison is not None and not isinstance(self.comparison, Comparison):
            raise InputError(
                f"column {name!r} has the comparison {self.comparison!r}; give one of "
                "partita.comparison, such as partita.comparison.ExactMatch()"
            )
        return self


def _or(words: tuple[str, ...]) -> str:
    return f"{', '.join(words[:-1])} or {words[-1]}"


@dataclass(frozen=True)
class Settings:
    """Settings of a resolution; the defaults need no configuration."""

    id: str | None = _setting(
        None,
        "The column of record ids; by default `unique_id` or `id`, else the row number.",
        "input",
        "unique_id",
    )
    source: str | None = _setting(
        None,
        "The column that names the source of a record; by default a column of few values that is "
        'named `source` or similar. "" compares it.',
        "input",
        "source_dataset",
    )
    ignore: tuple[str, ...] = _setting(
        (), "Columns that are copied to the output and not used.", "input"
    )
    compare: tuple[str, ...] = _setting(
        (),
        "Columns that are compared and count in full, however relevant they are.",
        "input",
    )
    header: bool | None = _setting(
        None,
        "Whether the first row of a CSV or Excel file names the columns; by default the content "
        "decides.",
        "input",
        True,
    )
    encoding: str | None = _setting(
        None,
        'The encoding of text files, such as "shift_jis"; by default the content decides.',
        "input",
        "cp1252",
    )
    delimiter: str | None = _setting(
        None,
        "The character between the fields of CSV files; by default the content decides.",
        "input",
        "^",
    )
    map: tuple[str, ...] = _setting(
        (),
        'Columns of two files with one meaning, such as ["shop.title=billing.name"]: the first '
        "gets the name of the second.",
        "input",
    )
    mode: str = _setting(
        "auto",
        '"dedupe" ignores sources, "link" compares records of different sources only, "both" '
        'compares all records; "auto" depends on the number of sources.',
        "input",
    )
    one_to_one: bool | None = _setting(
        None,
        "Whether no source holds two records of one entity; by default the number of such "
        "records is inferred, and false lets them cost nothing.",
        "input",
        True,
    )
    reference: str | None = _setting(
        None,
        "The source whose records are distinct entities: no two of them are merged, and their ids "
        "are the ids of entities.",
        "input",
        "master",
    )
    mentions: str = _setting(
        "auto",
        '"auto" reads a file of names beside lists of other persons as author mentions; "off" '
        "reads every file as records.",
        "input",
    )
    extract: str | None = _setting(
        None,
        "A schema, or the name of a ready one: the fields of a text column become columns, and "
        "their alternative readings are compared by their probability.",
        "input",
        "citation",
    )
    extract_column: str | None = _setting(
        None,
        "The column from which fields are extracted; by default the one with the longest values.",
        "input",
        "citation_text",
    )
    columns: Mapping[str, ColumnSettings] = field(default_factory=dict)
    neighbours: int = _setting(
        20,
        "Candidates per record of each blocking search; the searches for close numbers and in "
        "short columns keep a quarter of them.",
        "blocking",
    )
    rules: tuple[tuple[str, ...], ...] = _setting(
        (),
        "Lists of columns: records equal in all columns of a list are candidates as well.",
        "blocking",
    )
    largest_block: int = _setting(
        500, "Records of the largest block of a rule; larger blocks are skipped.", "blocking"
    )
    model: str = _setting(
        "auto",
        '"entities" have latent values, "pairs" of records are independent; "auto" chooses by the '
        "data.",
        "inference",
    )
    reading: str = _setting(
        "auto",
        '"em" scores pairs by EM, "prior" by the pretrained prior, "pooled" by the mean of the '
        'prior and cross-fitted weights, "words" (link) by the words of rows and records; "auto" '
        "keeps EM where another reading agrees with it.",
        "inference",
    )
    prior: str | None = _setting(
        None, "The file of a pretrained prior; by default the one that is shipped.", "inference"
    )
    predicates: tuple[PredicateSettings, ...] = ()
    posterior: str = _setting(
        "quick",
        '"quick" samples the uncertain records with fixed error rates; "full" samples all records '
        "that have candidates, the error rates of columns and the sizes of entities.",
        "inference",
    )
    false_merge_cost: float = _setting(
        0.5,
        "The cost of a false merge of two records; the cost of a false split is 1 minus it.",
        "inference",
    )
    chains: int = _setting(2, "Chains of the sampler, from different starts.", "inference")
    draws: int | None = _setting(
        None,
        "Kept draws of each chain; by default from 30, for large data, to 200, and twice as many "
        "where the chains do not agree.",
        "inference",
        100,
    )
    tune: int | None = _setting(
        None,
        "Discarded draws at the start of each chain; by default a quarter of the kept ones.",
        "inference",
        25,
    )
    survivorship: tuple[str, ...] = _setting(
        (),
        'Rules for the values of golden records, such as ["phone=recent:updated", "name=longest", '
        '"*=source:crm>web"]: probable, frequent, longest, recent:COLUMN or source:FIRST>SECOND; '
        "by default the most probable value.",
        "output",
    )
    seed: int = _setting(0, "The seed of all random numbers.", "run")
    threads: int | None = _setting(
        None, "Number of threads; the result does not depend on it.", "run", 2
    )
    memory: str | int | None = _setting(None, 'Upper limit of memory, such as "2GB".', "run", "2GB")

    def __post_init__(self) -> None:
        columns = {
            name: ColumnSettings(comparison=column) if isinstance(column, Comparison) else column
            for name, column in self.columns.items()
        }
        object.__setattr__(self, "columns", columns)

    def checked(self) -> Settings:
        """The settings themselves, or an InputError for the first invalid one."""
        for name, choices in CHOICES.items():
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
                "posterior is 'full' and model 'pairs', but only the entity model has error rates "
                "to sample; leave one of the two out"
            )
        if not 0 < self.false_merge_cost < 1:
            raise InputError(
                f"false_merge_cost is {self.false_merge_cost}; give a number between 0 and 1"
            )
        for name, column in self.columns.items():
            column.checked(name)
        return self

    @classmethod
    def names(cls) -> list[str]:
        """The names of all settings."""
        return [setting.name for setting in fields(cls)]

    def replaced(self, **changes: Any) -> Settings:
        """The settings with some changed; None leaves a setting as it is."""
        known = set(self.names())
        for name in changes:
            if name not in known:
                raise InputError(
                    f"there is no setting {name!r}; there are {', '.join(self.names())}"
                )
        values = {name: getattr(self, name) for name in known}
        values |= {name: value for name, value in changes.items() if value is not None}
        return Settings(**values)
