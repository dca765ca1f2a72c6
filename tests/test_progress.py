"""Progress bars: on a terminal, on standard error, and nowhere else."""

import os
import pty
import re
import subprocess
import sys

import pytest

from partita.progress import Bars

PROGRAM = """
import sys
from partita.progress import Bars
with Bars(["chain 0", "chain 1"], sys.argv[1] == "shown") as bars:
    bars.show(0, 0.5, {"log_score": 1234.5, "entities": 3.0})
    bars.show(1, 0.25, "2/8 shards", "round 1")
print("rich" in sys.modules)
"""


def test_nothing_is_drawn_without_a_terminal(capfd):
    with Bars(["chain 0"], shown=True) as bars:
        bars.show(0, 0.5, {"log_score": 1.25})
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("shown", [True, False])
def test_a_terminal_shows_labels_and_facts(shown):
    screen, terminal = pty.openpty()
    command = [sys.executable, "-c", PROGRAM, "shown" if shown else "hidden"]
    environment = os.environ | {"COLUMNS": "120", "TERM": "xterm"}
    ended = subprocess.run(
        command,
        check=True,
        stdout=subprocess.PIPE,
        stderr=terminal,
        env=environment,
        text=True,
        timeout=60,
    )
    os.close(terminal)
    text = _read(screen)
    assert ended.stdout == f"{shown}\n"
    assert bool(text) == shown
    for part in ("chain 0", "50%  log_score 1,234.5  entities 3", "round 1", "2/8 shards"):
        assert (part in text) == shown


def _read(screen):
    """All that a terminal got, without its control sequences."""
    chunks = []
    try:
        while chunk := os.read(screen, 65536):
            chunks.append(chunk)
    except OSError:
        # Linux reports the end of a terminal without writers as an error
        pass
    os.close(screen)
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", b"".join(chunks).decode())
