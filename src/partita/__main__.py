"""`python -m partita` is the command `partita`."""

from partita.cli import main

__all__ = ["main"]

if __name__ == "__main__":
    main()
