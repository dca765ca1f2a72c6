"""`make demo`: resolve generated records of people by the command line."""

import shlex
from pathlib import Path

from rich.console import Console

from partita.cli import app


def run(*command):
    """Print a command and run it."""
    words = [str(word) for word in command]
    Console().print(f"\n[bold]$ partita {shlex.join(words)}[/bold]", soft_wrap=True)
    code = app(words, standalone_mode=False)
    if code:
        raise SystemExit(code)


def main(people=10_000, seed=1, folder="out/demo"):
    """Generate, resolve and evaluate; `resolve` does not read the file with the truth."""
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    records, truth = place / "people.csv", place / "people.truth.csv"
    result, pairs, report = place / "result.csv", place / "pairs.parquet", place / "report.html"
    run("generate", people, "--out", records, "--truth", "file", "--seed", seed, "--force")
    run(
        "resolve",
        records,
        "--out",
        result,
        "--pairs",
        pairs,
        "--report",
        report,
        "--seed",
        seed,
        "--force",
    )
    run("evaluate", result, "--truth", truth, "--truth-column", "entity", "--pairs", pairs)
    Console().print(f"\nOpen {report} in a browser.", soft_wrap=True)


if __name__ == "__main__":
    main()
