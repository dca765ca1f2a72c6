"""List the kinds of files, or write files of them as labelled sets.

    python -m benchmarks.kinds [--list]
    python -m benchmarks.kinds --write FOLDER [--kinds a,b] [--seeds 2] [--split test]
                               [--records 2000] [--json]

`python -m benchmarks.panel --folder FOLDER` runs the sets that are written. Their names are
GROUP_KIND_SEED. `python -m benchmarks.kinds.check` prints how hard each kind is.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.kinds.folds import find_fold
from benchmarks.kinds.spec import KindError, list_kinds, load_kind
from benchmarks.kinds.words import SPLITS
from benchmarks.kinds.write import write_kind

__all__ = ["main"]


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.kinds",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--list", action="store_true", help="list the kinds (the default)")
    parser.add_argument("--write", type=Path, help="folder of the sets")
    parser.add_argument("--kinds", help="comma-separated; all by default")
    parser.add_argument("--seeds", type=int, default=1, help="files of each kind")
    parser.add_argument("--split", choices=SPLITS, default="test", help="words and ranges")
    parser.add_argument("--records", type=int, default=2_000, help="records of a file")
    parser.add_argument("--json", action="store_true", help="print one JSON object as last line")
    options = parser.parse_args(arguments)
    for name in ("seeds", "records"):
        if getattr(options, name) < 1:
            parser.error(f"--{name} is {getattr(options, name)}; give a number above 0")
    return options


def _describe(name: str) -> dict[str, Any]:
    kind = load_kind(name)
    return {"group": kind.group, "fold": find_fold(name), "about": kind.about}


def main(arguments: Sequence[str] | None = None) -> None:
    """List the kinds, or write their files."""
    options = _arguments(arguments)
    names = options.kinds.split(",") if options.kinds else list_kinds()
    begin, out = time.process_time(), sys.stderr if options.json else sys.stdout
    written: list[str] = []
    try:
        kinds = {name: _describe(name) for name in names}
        for name, row in kinds.items():
            print(f"{name:18} {row['fold']}  {row['group']:16} {row['about']}", file=out)
            for seed in range(options.seeds if options.write is not None else 0):
                kind = load_kind(name)
                written.append(
                    write_kind(kind, seed, options.split, options.records, options.write)
                )
    except KindError as error:
        raise SystemExit(f"error: {error}") from None
    if options.json:
        seconds = time.process_time() - begin
        print(json.dumps({"kinds": kinds, "written": written, "cpu_seconds": seconds}))


if __name__ == "__main__":
    main()
