import io

import pytest
from rich.console import Console

from partita.walks import progress
from partita.walks.progress import Bars


def test_nothing_is_shown_without_a_terminal(capfd):
    with Bars(2, shown=True) as bars:
        bars.show(1, 0.5, {"log_score": 1.25})
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("shown", [True, False])
def test_a_terminal_sees_the_facts(monkeypatch, shown):
    screen = io.StringIO()

    def console(**settings):
        return Console(file=screen, force_terminal=True, width=100)

    monkeypatch.setattr(progress, "Console", console)
    with Bars(1, shown) as bars:
        bars.show(0, 0.5, {"log_score": 1234.5, "entities": 3.0})
    text = screen.getvalue()
    assert ("log_score 1,234.5" in text and "50%" in text) == shown
    assert bool(text) == shown
