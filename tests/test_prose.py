"""The prose check finds banned phrases, across line breaks too, and can be silenced."""

from pathlib import Path

from tools.prose import RULES, compile_rule, find_hits, find_names


def phrases(text):
    return [hit.phrase for hit in find_hits(Path("page.md"), text)]


def test_a_banned_phrase_is_found_with_its_line():
    hits = list(find_hits(Path("page.md"), "Plain.\nThese pairs are hopeless.\n"))
    assert [(hit.line, hit.phrase) for hit in hits] == [(2, "hopeless")]
    assert hits[0].reason


def test_line_breaks_and_comment_marks_do_not_hide_a_phrase():
    assert phrases("# the function tells\n    # whether it is empty\n") == ["tells # whether"]


def test_names_count_as_prose():
    assert phrases("def knows_nothing(strangers): ...") == ["strangers", "knows_nothing"]


def test_variables_parameters_and_fields_need_nouns():
    text = "class Row:\n    found: int\n\n\ndef score(what, *, said=1):\n    _one = what\n"
    text += "    made = 1  # prose: ok\n    return row.found, [given for given in founds]\n"
    hits = [(hit.line, hit.phrase) for hit in find_names(Path("rows.py"), text)]
    assert sorted(hits) == [(2, "found"), (5, "said"), (5, "what"), (6, "_one"), (8, "given")]


def test_a_word_inside_another_is_no_hit():
    assert phrases("departed, kind, shopkeepers, crews' rarityless") == []


def test_a_hit_is_silenced_on_its_line_only():
    assert phrases("a vault  # prose: ok\n") == []
    assert phrases("a vault <!-- prose: ok -->\nanother vault\n") == ["vault"]


def test_every_rule_compiles_and_has_a_reason():
    assert all(compile_rule(pattern) and reason for pattern, reason in RULES.items())
