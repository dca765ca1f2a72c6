"""The task: the mode by the sources, and links one to one for two clean files."""

import pytest

from partita import InputError, read
from partita.linkage.settings import Settings
from partita.linkage.task import choose_task, exclusive_sources, explain_mode

ROWS = [{"name": f"name {k}", "town": f"town {k % 7}"} for k in range(40)]
TWINS = ROWS + ROWS[:20]


def task(data, **given):
    chosen = choose_task(read(data), Settings(**given))
    return chosen.mode, chosen.one_to_one


def test_one_source_is_searched_for_duplicates():
    assert task(ROWS) == ("dedupe", False)


def test_two_files_are_linked_one_to_one():
    assert task({"a": ROWS, "b": ROWS}) == ("link", True)
    assert task({"a": ROWS, "b": ROWS}, mode="link") == ("link", True)


def test_identical_records_in_one_file_speak_against_one_to_one():
    assert task({"a": ROWS, "b": TWINS}) == ("both", False)


def test_the_user_decides():
    assert task({"a": ROWS, "b": ROWS}, one_to_one=False) == ("both", False)
    assert task({"a": ROWS, "b": TWINS}, one_to_one=True) == ("link", True)
    assert task({"a": ROWS, "b": ROWS}, mode="dedupe") == ("dedupe", False)
    assert task({"a": ROWS, "b": ROWS}, mode="both") == ("both", False)


def test_a_reference_is_one_source_of_both():
    assert task({"a": ROWS, "b": ROWS}, reference="a") == ("both", False)
    records = read({"a": ROWS, "b": TWINS})
    chosen = choose_task(records, Settings(reference="b"))
    sources = exclusive_sources(records, chosen)
    assert sources.tolist() == [-1] * len(ROWS) + [1] * len(TWINS)
    assert exclusive_sources(records, choose_task(records, Settings())) is None
    with pytest.raises(InputError, match="which is no source"):
        task({"a": ROWS, "b": ROWS}, reference="c")


def test_three_files_or_a_source_column_may_hold_duplicates():
    assert task({"a": ROWS, "b": ROWS, "c": ROWS}) == ("both", False)
    rows = [{**row, "from": "ab"[k % 2]} for k, row in enumerate(ROWS)]
    chosen = choose_task(read(rows, source="from"), Settings(source="from"))
    assert (chosen.mode, chosen.one_to_one) == ("both", False)


def test_the_reason_names_the_flag():
    records, asked = read({"a": ROWS, "b": ROWS}), Settings()
    why = explain_mode(records, choose_task(records, asked), asked)
    assert why.startswith("a and b are linked one to one") and "--no-one-to-one" in why
    both = Settings(one_to_one=False)
    assert "--one-to-one" in explain_mode(records, choose_task(records, both), both)


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
