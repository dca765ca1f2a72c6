"""Lines of text into fields: one function that contains every stage."""

from __future__ import annotations

import warnings
from typing import Any

from partita.data import check_output
from partita.data.lines import read_text_records
from partita.data.table import to_text
from partita.errors import PartitaWarning
from partita.progress import Clock
from partita.states.checks import whole
from partita.text.extraction.decoding import decode
from partita.text.extraction.rates import estimate_rates, judge_rules, name_doubtful
from partita.text.extraction.result import Extraction, result_names
from partita.text.extraction.rule_scores import fit_segments
from partita.text.extraction.rules import compile_rules
from partita.text.extraction.schema import SchemaSource, load_schema

__all__ = ["extract"]


def extract(
    data: Any,
    schema: SchemaSource,
    *,
    column: str | None = None,
    n_best: int = 0,
    progress: bool = False,
) -> Extraction:
    """Extract fields from lines of text, from rules and few or no labels.

    Parameters
    ----------
    data
        A text file with one record for each line, a list of strings, or whatever
        `partita.data.read` takes: then `column` names the column of text.
    schema
        A TOML file of fields and rules, the name of a ready schema (citation, us_address,
        person_name, product_title), or a dict.
    column
        The column of text; by default the column with the longest values.
    n_best
        The number of readings of each line in the column `n_best`; 0 for none.
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
        records, name = read_text_records(data, column)
        check_output(records, result_names(loaded, n_best))
    with clock.stage("match", "matching rules"):
        rules = compile_rules(loaded, to_text(records.table.column(name)).to_pylist())
    with clock.stage("rates", "estimating rates of rules"):
        _, probabilities = estimate_rates(rules)
    with clock.stage("learn", "learning the segments"):
        model = fit_segments(rules, probabilities)
    with clock.stage("decode", "reading the fields") as report:
        sizes = rules.tokens.start, len(loaded.labels), model.lengths
        decoded = decode(*sizes, model.segmenter, n_best, report)
    with clock.stage("judge", "judging the rules"):
        judged = judge_rules(rules, decoded)
    result = Extraction(
        records=records,
        column=name,
        rules=rules,
        decoded=decoded,
        rates=tuple(judged),
        n_best=n_best,
        labelled=0,
        notes=(*records.notes, *rules.notes, *name_doubtful(judged)),
        seconds=clock.seconds,
    )
    for note in result.notes:
        warnings.warn(note, PartitaWarning, stacklevel=2)
    return result
