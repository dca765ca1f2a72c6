"""Explanations on the terminal."""

import io

from rich.console import Console

from partita.cli.waterfall import HALF, bar, explanation_table
from partita.linkage.output.explain import Explanation, Part

ROWS = [Part("prior", -8.0), Part("given_name", 9.5, "ann", "anne", "fuzzy")]


def explained(**more):
    """An explanation of two records in one cluster."""
    values = {
        **{"left": "A1", "right": "B2", "together": True, "p_same": 0.75},
        **{"match_weight": 1.5, "match_probability": 0.74, "rows": ROWS},
        **{"entity_rows": [Part("size", 2.0)], "entity_question": "together, against alone"},
        **{"constraints": [], "identical": False, "compared": True},
        **{"p_member": (0.8, 0.8), "p_cluster": (0.7, 0.7)},
    }
    return Explanation(**values | more)


def printed(explanation, width=120):
    console = Console(file=io.StringIO(), width=width)
    console.print(explanation_table(explanation))
    return console.file.getvalue()


def test_the_pair_and_the_entity_have_a_waterfall():
    text = printed(explained())
    for word in ("one entity", "given_name", "anne", "match weight", "The entity:", "█"):
        assert word in text
    assert max(len(line) for line in printed(explained(), 80).splitlines()) <= 80


def test_notes_name_identical_and_uncompared_records():
    alone = {"entity_rows": [], "entity_question": "not sampled", "compared": False}
    text = printed(explained(identical=True, **alone))
    assert "identical in every used column; collapsed" in text
    assert "it was compared on request" in text and "not sampled" in text


def test_bars_are_signed():
    assert bar(2.0, 2.0).plain == " " * HALF + "│" + "█" * HALF
    assert bar(-2.0, 2.0).plain == "█" * HALF + "│"
    assert bar(-1.0, 2.0).plain == " " * (HALF // 2) + "█" * (HALF // 2) + "│"
    assert bar(0.0, 0.0).plain == " " * HALF + "│"
    assert len(bar(-0.01, 2.0).plain) == HALF + 1
