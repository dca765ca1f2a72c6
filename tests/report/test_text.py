import json

import numpy as np
import pytest

from partita.report.text import add_sign, count, embed, format_sentence, mark, percent, plain, short


def test_missing_values_are_none():
    assert [plain(first) for first in (None, float("nan"), "", "  ")] == [None] * 4
    assert plain(["a", "b"]) == "a; b"
    assert plain("two\n lines") == "two lines"
    assert plain(0) == "0"


def test_messages_are_escaped_and_name_commands_as_code():
    shown = format_sentence("a < b; run `partita label`, then `partita train`")
    assert shown == ("a &lt; b; run <code>partita label</code>, then <code>partita train</code>")


def test_a_missing_value_is_said_to_be_missing():
    assert "missing" in mark(None, "a")
    assert mark("a", None) == "<bdi>a</bdi>"


def test_the_character_that_differs_is_marked():
    assert mark("Smyth", "Smith") == "<bdi>Sm<mark>y</mark>th</bdi>"
    assert mark("SMITH", "smith") == "<bdi>SMITH</bdi>"


def test_a_character_that_is_not_there_leaves_a_mark():
    assert mark("Smth", "Smith") == "<bdi>Sm<mark></mark>th</bdi>"


def test_what_is_quite_different_is_marked_as_a_whole():
    assert mark("Charles", "Matthew") == "<bdi><mark>Charles</mark></bdi>"


def test_long_text_is_compared_by_words():
    first = "a survey of the learning of trees from very large sets"
    assert "<mark>forests</mark>" in mark(first.replace("trees", "forests"), first)


def test_text_is_escaped_whether_it_differs_or_not():
    for other in ("<b>", "<i>", None, "a & <b>"):
        shown = mark("<b>", other)
        assert "<b>" not in shown and "&lt;" in shown


def test_long_text_is_shortened_and_a_difference_beyond_it_is_marked():
    first, second = "x" * 10_000, "x" * 9_999 + "y"
    shown = mark(first, second)
    assert len(shown) < 400
    assert "10,000 characters" in shown and "<mark>…</mark>" in shown
    assert "<mark>" not in mark(first, first)
    assert short(first).endswith("…") and short("abc") == "abc"


def test_nothing_certain_is_claimed_that_is_not():
    assert percent(0.001) == "&lt;1%" and percent(0.999) == "&gt;99%"
    assert percent(1.0) == "100%" and percent(0.0) == "0%"
    assert percent(np.nan) == "unknown"


def test_numbers():
    assert count(1, "entity", "entities") == "1 entity"
    assert count(2000, "record") == "2,000 records"
    assert (add_sign(-2.34), add_sign(0.01), add_sign(-0.01), add_sign(3)) == (
        "−2.3",
        "0.0",
        "0.0",
        "+3.0",
    )


def test_embedded_data_cannot_end_its_element_and_comes_back():
    data = {"a": "</script><!--\u2028&", "שלום": [1.5, None]}
    text = embed(data)
    assert not set("<>&\u2028") & set(text)
    assert json.loads(text) == data


def test_embedded_data_holds_no_number_that_json_has_not():
    with pytest.raises(ValueError):
        embed(float("nan"))
