"""`partita warm`: compilation ahead of the first run."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from partita.cli.options import Json, Quiet
from partita.cli.shell import console, print_json
from partita.io import temporary_folder

__all__ = ["warm"]

PEOPLE, AUTHORS = 200, 400
"""Generated records of a run: few, since machine code does not depend on their number."""
BRIEF: dict[str, Any] = {"draws": 4, "tune": 1, "chains": 2, "seed": 1, "ignore": ("entity",)}


def warm(json: Json = False, quiet: Quiet = False) -> None:
    """Compile everything ahead of the first run.

    The machine code stays in the cache folder of the user (PARTITA_CACHE_DIR), so that the first
    real run starts at once.
    """
    from partita.progress import Bars, watch_compilation

    compiled = 0

    def count_compilation(compiling: bool) -> None:
        nonlocal compiled
        compiled += compiling

    began = time.perf_counter()
    runs = _runs()
    with watch_compilation(count_compilation), Bars(["compiling (once)"], not quiet) as bars:
        for number, (name, run) in enumerate(runs.items()):
            bars.show(0, number / len(runs), name)
            run()
    seconds = time.perf_counter() - began
    if json:
        print_json({"compiled": compiled, "seconds": seconds})
    elif not quiet:
        functions = "1 function" if compiled == 1 else f"{compiled} functions"
        console().print(f"compiled {functions} in {seconds:.1f} s; the cache has all others")


def _runs() -> dict[str, Callable[[], Any]]:
    """Small runs that together use every kernel of the commands."""
    import pyarrow as pa

    from partita.knowledge.linking import link
    from partita.linkage.authors.recipe import resolve_authors
    from partita.linkage.output.explain import explain
    from partita.linkage.resolve import resolve
    from partita.linkage.supervision.training import train
    from partita.synthetic import authors, people

    table = people(PEOPLE, seed=1).table()
    half = PEOPLE // 2
    source = pa.array(["a"] * half + ["b"] * (PEOPLE - half))
    linked = table.append_column("source", source)

    def resolve_file() -> None:
        # the bytes of a file are read-only, for which some kernels have machine code of their own
        with temporary_folder() as folder:
            path = folder / "people.csv"
            people(PEOPLE, seed=1).write(path)
            resolve(path, **BRIEF)

    def explained(model: str) -> None:
        resolution = resolve(table, model=model, **BRIEF)
        pairs = resolution.marginals.active.wide[:2]
        explain(
            resolution,
            *(resolution.names[int(resolution.first_rows[row])].as_py() for row in pairs),
        )

    return {
        "files": resolve_file,
        "entity model": lambda: explained("entities"),
        "pairwise model": lambda: explained("pairs"),
        "links": lambda: resolve(linked, source="source", mode="link", one_to_one=True, **BRIEF),
        "reference": lambda: link(table.slice(half), to=table.slice(0, half), **BRIEF),
        "full posterior": lambda: resolve(table, model="entities", posterior="full", **BRIEF),
        "training": lambda: train(table, truth_column="entity", seed=1),
        "authors": lambda: resolve_authors(authors(AUTHORS, seed=1).table(), seed=1),
    }
