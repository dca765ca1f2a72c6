"""`partita train`."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from partita.cli.options import typed
from partita.cli.shell import console, refuse_overwriting, say_json, wrote
from partita.cli.show import facts
from partita.data.write import check_path
from partita.errors import InputError
from partita.linkage.supervision.trained_model import HeldOut
from partita.linkage.supervision.training import train

__all__ = ["run_train"]


def run_train(
    files: Sequence[str],
    out: Path,
    *,
    labels: Path | None,
    truth_column: str | None,
    model: Path | None,
    config: Path | None,
    settings: dict[str, Any],
    json: bool,
    quiet: bool,
) -> None:
    """Learn from labels, write the model, and say what it is worth."""
    check_path(out, (".json",))
    refuse_overwriting([out], [*files, *(one for one in (labels, config) if one is not None)])
    if (labels is None) == (truth_column is None):
        raise InputError("give either --labels or --truth-column to learn from")
    trained = train(
        list(files),
        labels,
        truth_column=truth_column,
        model=model,
        config=config,
        progress=not (quiet or json),
        **settings,
    )
    trained.save(out)
    wrote([out])
    found = trained.held_out
    if json:
        told = {**found._asdict(), "changed": found.changed, "weights": trained.named()}
        say_json({**told, "model": out})
    elif not quiet:
        if truth_column is not None:
            settings["ignore"] = (*settings.get("ignore", ()), truth_column)
        # what was said is kept, whatever the weights say
        again = typed(settings, config=config, model=out, constraints=labels)
        following = f"partita resolve {shlex.join(files)} {again} --out resolved.csv"
        console().print(facts([*_told(found, out), ("use it", following)]))


def _told(found: HeldOut, out: Path) -> list[tuple[str, str]]:
    """What was learned, in words."""
    held_out = (
        f"{found.wrong} of {found.labels} wrong instead of {found.wrong_before}; "
        f"log loss {found.loss:.3f} instead of {found.loss_before:.3f}"
    )
    if not found.changed:
        held_out = (
            f"no change of weights is better on them, so the weights stay: {found.wrong} of "
            f"{found.labels} wrong, log loss {found.loss:.3f}"
        )
    told = [
        ("labels", f"{found.labels:,}, of which {found.matches:,} are matches"),
        ("held-out labels", held_out),
    ]
    if found.gained or found.lost:
        told.append(("resolved", f"{found.gained} of them put right, {found.lost} put wrong"))
    return [*told, ("model", str(out))]
