"""Lines of text into fields: one function that contains every stage."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from partita.data import check_output
from partita.data.lines import read_text_records
from partita.data.table import to_text
from partita.errors import PartitaWarning
from partita.progress import Clock
from partita.states.checks import whole
from partita.text.extraction.columns import choose_columns
from partita.text.extraction.labels import LabelledLine, Labels, read_labels
from partita.text.extraction.rates import judge_rules, name_doubtful
from partita.text.extraction.result import Extraction, result_names
from partita.text.extraction.rules import Rules, compile_rules
from partita.text.extraction.schema import Schema, SchemaSource, load_schema
from partita.text.extraction.trainer import fit_segments

__all__ = ["choose_training", "extract", "name_unstated"]

MAX_TRAINING_LINES = 3_000
"""Lines of the input that the model learns from, at even distances; all lines are read with it."""


def extract(
    data: Any,
    schema: SchemaSource,
    *,
    column: str | None = None,
    labels: Labels | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    n_best: int = 0,
    fields: str | Sequence[str] | None = None,
    level: int | None = None,
    progress: bool = False,
) -> Extraction:
    """Extract fields from lines of text, from rules and few or no labels.

    Parameters
    ----------
    data
        A text file with one record for each line, a list of strings, or any input of
        `partita.read`, of which `column` names the column of text.
    schema
        A TOML file of fields and rules, the name of a ready schema (citation, us_address,
        person_name, product_title), or a dict.
    column
        The column of text; by default the column with the longest values.
    labels
        A file or list of labelled lines such as `<author>Lee</author> <date>1999</date>`.
    encoding, delimiter
        As for `partita.read`.
    n_best
        The number of readings of each line in the column `n_best`; 0 for none.
    fields
        The columns of the output: fields, or parents of the tree with all fields below them; by
        default all fields.
    level
        The level of the tree that the columns of the output have; 1 is the top. A field above the
        level keeps its column.
    progress
        Whether long work shows a bar.

    Examples
    --------
    >>> year = {"field": "date", "pattern": "(19|20)[0-9]{2}"}
    >>> name = {"field": "author", "place": "first"}
    >>> schema = {"fields": ["author", "date"], "rules": [year, name]}
    >>> result = extract(["Lee 1999", "Orr in 2001"], schema)
    >>> [row["date"] for row in result.table().to_pylist()]
    ['1999', '2001']
    """
    whole(n_best, "n_best", 0)
    clock = Clock(progress)
    with clock.stage("read", "reading lines"):
        loaded = load_schema(schema)
        records, name = read_text_records(data, column, encoding=encoding, delimiter=delimiter)
        columns = choose_columns(loaded, fields, level)
        check_output(records, result_names(loaded, n_best, columns))
        labelled = read_labels(labels, loaded)
    with clock.stage("match", "matching rules"):
        texts = to_text(records.table.column(name)).to_pylist()
        rules = compile_rules(loaded, texts)
    with clock.stage("learn", "learning from rules and labels"):
        model = fit_segments(*choose_training(rules, labelled))
    with clock.stage("decode", "reading the fields"):
        posterior = model.posterior(rules)
        judged = judge_rules(rules, posterior)
    result = Extraction(
        records=records,
        column=name,
        rules=rules,
        posterior=posterior,
        rates=tuple(judged),
        n_best=n_best,
        labelled=len(labelled),
        notes=(
            *records.notes,
            *rules.notes,
            *name_unstated(loaded, labelled),
            *name_doubtful(judged),
        ),
        seconds=clock.seconds,
        columns=columns,
    )
    for note in result.notes:
        warnings.warn(note, PartitaWarning, stacklevel=2)
    return result


def choose_training(
    rules: Rules, labelled: Sequence[LabelledLine]
) -> tuple[Rules, list[tuple[str, ...] | None] | None]:
    """Choose the lines to learn from: a sample of the input, and all labelled lines."""
    lines = rules.tokens.lines
    step = max(1, -(-len(lines) // MAX_TRAINING_LINES))
    if step == 1 and not labelled:
        return rules, None
    chosen = [*lines[::step], *(line.text for line in labelled)]
    known = [None] * len(lines[::step]) + [line.labels for line in labelled]
    return compile_rules(rules.schema, chosen), known if labelled else None


def name_unstated(schema: Schema, labelled: Sequence[LabelledLine]) -> list[str]:
    """Return a sentence about fields that neither a rule nor a labelled line states."""
    fields = schema.unstated(label for line in labelled for label in line.labels)
    if not fields:
        return []
    if len(fields) == len(schema.fields):
        return ["no rule and no labelled line states a field; add rules, or label some lines"]
    noun = "field" if len(fields) == 1 else "fields"
    return [
        f"no rule and no labelled line states the {noun} {', '.join(map(repr, fields))}; "
        f"add a rule or a labelled line, or remove the {noun}"
    ]
