"""The command line: `partita` and `python -m partita`."""

from partita.cli.main import main
from partita.lazy import load_lazily

__getattr__, __dir__ = load_lazily(__name__, {"app": "partita.cli.commands:app"})

__all__ = ["app", "main"]
