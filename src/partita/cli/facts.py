"""`partita facts`: completed facts with probabilities, rated rules and conflicts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from partita.cli.options import Force, Json, Quiet, SeedNumber
from partita.cli.outputs import TABLES, check_outputs, is_stdout, write_outputs
from partita.cli.shell import console, print_json
from partita.errors import InputError

__all__ = ["facts"]

SHOWN = 10
"""Facts, rules and conflicts that the summary prints."""


TriplesFile = Annotated[
    str,
    typer.Argument(
        metavar="TRIPLES",
        help="Facts: head, relation and tail, in this order or in columns of these names; a "
        "fourth column `truth` holds 1 or 0.",
        show_default=False,
    ),
]
FactsOut = Annotated[
    Path,
    typer.Option(
        "--out",
        "-o",
        metavar="FILE",
        help="Output: facts that are not in TRIPLES, with their probabilities.",
        show_default=False,
    ),
]
RulesFile = Annotated[
    Path | None,
    typer.Option(
        "--rules",
        metavar="FILE",
        help="Rules, one a line: worksFor(x,y) :- profAt(x,y). Also .pl files and mined lists.",
        show_default="no rules",
    ),
]
AskFile = Annotated[
    str | None,
    typer.Option(
        "--ask",
        metavar="FILE",
        help="Further facts to judge, in the form of TRIPLES; ? stands for every entity.",
        show_default="facts that rules derive",
    ),
]
Explained = Annotated[
    list[str] | None,
    typer.Option(
        "--explain",
        metavar="'HEAD RELATION TAIL'",
        help="Print the evidence for a fact, its parts separated by tabs or spaces; repeatable.",
        show_default="no fact",
    ),
]
RatedOut = Annotated[
    Path | None,
    typer.Option("--rated", metavar="FILE", help="Output: each rule rated against the facts."),
]
ConflictsOut = Annotated[
    Path | None,
    typer.Option("--conflicts", metavar="FILE", help="Output: facts that violate a rule."),
]
Rank = Annotated[
    int, typer.Option("--rank", metavar="N", help="Size of the embedding; 0 for none.")
]
Epochs = Annotated[int, typer.Option("--epochs", metavar="N", help="Epochs of the embedding.")]
Learn = Annotated[
    bool,
    typer.Option(
        "--learn/--no-learn",
        help="Learn the weights of rules on hidden facts, or use their confidence.",
    ),
]
Missing = Annotated[
    float,
    typer.Option("--missing", metavar="SHARE", help="Share of all true facts that TRIPLES lacks."),
]
Depth = Annotated[
    int, typer.Option("--depth", metavar="N", help="Rounds in which rules apply to heads.")
]
NewRelations = Annotated[
    bool, typer.Option("--new-relations", help="Allow heads of a relation without facts.")
]


def facts(
    triples: TriplesFile,
    out: FactsOut,
    rules: RulesFile = None,
    ask: AskFile = None,
    explain: Explained = None,
    rated: RatedOut = None,
    conflicts: ConflictsOut = None,
    rank: Rank = 100,
    epochs: Epochs = 40,
    learn: Learn = True,
    missing: Missing = 0.2,
    depth: Depth = 2,
    new_relations: NewRelations = False,
    seed: SeedNumber = 0,
    force: Force = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Complete facts by rules and an embedding.

    Each fact that a rule derives gets a probability that respects all rules jointly; each rule is
    rated against the facts, and facts that violate a rule are listed.
    """
    outputs = {"out": (out, TABLES), "rated": (rated, TABLES), "conflicts": (conflicts, TABLES)}
    check_outputs(outputs, [triples, rules, ask], force=force, json=json)
    explained = [_split_fact(text) for text in explain or ()]
    from partita.data.write import write_table
    from partita.knowledge.embeddings import EmbeddingSettings
    from partita.knowledge.facts import FactSettings, complete, read_facts

    embedding = EmbeddingSettings(rank=rank, epochs=epochs) if rank else None
    progress = not (quiet or json)
    settings = FactSettings(embedding, learn, missing, depth, seed=seed, progress=progress)
    source = read_facts(triples, rules, ask, new_relations=new_relations)
    for fact in explained:
        # a wrong name is refused before the run
        source.observed.find_latent(*fact)
    completed = complete(source.observed, source.rules, settings, source.queries)
    write_outputs(
        {
            "out": (out, lambda path: write_table(completed.table(), path)),
            "rated": (rated, lambda path: write_table(completed.rules(), path)),
            "conflicts": (conflicts, lambda path: write_table(completed.conflicts(), path)),
        }
    )
    explanations = [completed.explain(*fact) for fact in explained]
    if json:
        content = {**completed.summary(), "rules": completed.rules().to_pylist()}
        content["conflicting"] = completed.conflicts().to_pylist()
        content["explained"] = [
            {**vars(explanation), "pulls": [vars(pull) for pull in explanation.pulls]}
            for explanation in explanations
        ]
        print_json(content)
    elif not quiet:
        from partita.cli.fact_tables import print_facts

        print_facts(console(stderr=is_stdout(out)), completed, explanations, SHOWN)


def _split_fact(text: str) -> tuple[str, str, str]:
    parts = text.split("\t") if "\t" in text else text.split()
    if len(parts) != 3:
        raise InputError(
            f"--explain is {text!r}; give head, relation and tail, separated by tabs or spaces"
        )
    head, relation, tail = (part.strip() for part in parts)
    return head, relation, tail
