"""The task: the mode by the sources, however they are given."""

import numpy as np
import pytest

from partita import InputError, read
from partita.linkage.pairwise.source_rates import SourceRates
from partita.linkage.settings import Settings
from partita.linkage.task import choose_task, exclusive_sources, explain_mode

ROWS = [{"name": f"name {k}", "town": f"town {k % 7}"} for k in range(40)]
TWINS = ROWS + ROWS[:20]


def task(data, **given):
    chosen = choose_task(read(data, source=given.get("source")), Settings(**given))
    return chosen.mode, chosen.one_to_one


def test_one_source_is_searched_for_duplicates():
    assert task(ROWS) == ("dedupe", None)


def test_sources_in_any_form_are_one_task():
    rows = [{**row, "from": "ab"[k % 2]} for k, row in enumerate(ROWS)]
    three = {"a": ROWS, "b": ROWS, "c": TWINS}
    for data, given in (({"a": ROWS, "b": TWINS}, {}), (rows, {"source": "from"}), (three, {})):
        assert task(data, **given) == ("both", None)


def test_the_user_decides():
    files = {"a": ROWS, "b": TWINS}
    assert task(files, mode="link") == ("link", None)
    assert task(files, one_to_one=False) == ("both", False)
    assert task(files, one_to_one=True) == ("link", True)
    assert task(files, mode="dedupe") == ("dedupe", None)


def test_a_reference_is_one_source_of_both():
    assert task({"a": ROWS, "b": ROWS}, reference="a") == ("both", None)
    records = read({"a": ROWS, "b": TWINS})
    chosen = choose_task(records, Settings(reference="b"))
    sources = exclusive_sources(records, chosen)
    assert sources.tolist() == [-1] * len(ROWS) + [1] * len(TWINS)
    assert exclusive_sources(records, choose_task(records, Settings())) is None
    with pytest.raises(InputError, match="which is no source"):
        task({"a": ROWS, "b": ROWS}, reference="c")


def test_the_reason_names_the_rates_and_the_flag():
    records, asked = read({"a": ROWS, "b": ROWS}), Settings()
    none, further = np.zeros(80), np.array([0.25, 0.002])
    rates = SourceRates(("a", "b"), none.astype(int), further, further, none)
    why = explain_mode(records, choose_task(records, asked), asked, rates)
    assert "a 25.0%, b 0.2%" in why and "--one-to-one" in why
    many = Settings(one_to_one=False)
    assert "--one-to-one" in explain_mode(records, choose_task(records, many), many, rates)
    clean = Settings(one_to_one=True)
    assert "require" in explain_mode(records, choose_task(records, clean), clean, rates)


@pytest.mark.parametrize(
    ("data", "given", "message"),
    [
        (ROWS, {"mode": "link"}, "mode is 'link' but there is one source"),
        (ROWS, {"one_to_one": True}, "one_to_one needs several sources"),
        (
            {"a": ROWS, "b": ROWS},
            {"one_to_one": True, "mode": "both"},
            "one_to_one requires sources without duplicates",
        ),
    ],
)
def test_contradictions_are_errors(data, given, message):
    with pytest.raises(InputError, match=message):
        task(data, **given)


def test_too_many_sources_are_refused(monkeypatch):
    monkeypatch.setattr("partita.linkage.task.MAX_CELLS", 10)
    rows = [{"name": f"person {k}", "source": "ab"[k % 2]} for k in range(20)]
    with pytest.raises(InputError, match="2 sources of 20 records"):
        task(rows, source="source")
    assert task(rows, source="source", mode="dedupe") == ("dedupe", None)
