import pytest

from partita.errors import InputError
from partita.knowledge.rules import Atom, Constant, load_rules, parse_rule, parse_rules


@pytest.mark.parametrize(
    ("text", "shown", "confidence"),
    [
        ("worksFor(x,y) :- profAt(x,y)", "worksFor(x, y) :- profAt(x, y)", None),
        ("worksFor(X, Y) :- profAt(X, Y).", "worksFor(X, Y) :- profAt(X, Y)", None),
        ("0.9 :: a(x,z) :- b(x,y), c(y,z)", "a(x, z) :- b(x, y), c(y, z)", 0.9),
        ("0.9\ta(x,z) :- b(x,y), c(y,z)", "a(x, z) :- b(x, y), c(y, z)", 0.9),
        ("b(x,y) & c(y,z) ==> a(x,z)\t0.8", "a(x, z) :- b(x, y), c(y, z)", 0.8),
        ("b(x,y) => a(y,x) [0.75]", "a(y, x) :- b(x, y)", 0.75),
        ("?a b ?c  ?c d ?e   => ?a f ?e\t0.5\t0.25", "f(a, e) :- b(a, c), d(c, e)", 0.5),
        ("path#nn|->x:INV => REL$/a/b", "REL$/a/b(x, y) :- path#nn|->x(y, x)", None),
        (
            "0.62\tfather\thusband\tmother_v",
            "father(x0, x2) :- husband(x0, x1), mother(x2, x1)",
            0.62,
        ),
        ("/a/b./c(X0, X1) :- /d/e(X1, X0)", "/a/b./c(X0, X1) :- /d/e(X1, X0)", None),
        ('"lives in"(x,y) :- b(x,y)', '"lives in"(x, y) :- b(x, y)', None),
        ("not a(x,z) :- a(x,y), b(z,z), y != z", "not a(x, z) :- a(x, y), b(z, z), y != z", None),
        (r"\+ a(x,y) :- b(x,y)", "not a(x, y) :- b(x, y)", None),
        ("a(x, 'New York') :- b(x, \"NY\")", 'a(x, "New York") :- b(x, "NY")', None),
    ],
)
def test_forms(text, shown, confidence):
    rule = parse_rule(text)
    assert str(rule) == shown
    assert rule.confidence == confidence
    assert str(parse_rule(str(rule))) == shown


def test_a_quoted_term_is_an_entity():
    rule = parse_rule("a(x, 'UCL') :- b(x, y)")
    assert rule.head == Atom("a", "x", Constant("UCL"))
    assert rule.head.variables == ("x",)
    assert rule.relations == ("a", "b")


def test_lines_are_counted_and_comments_skipped():
    rules = parse_rules("% facts\n\n// 1\na(x,y) :- b(x,y)\n# c\na(x,y) :- c(y,x)\n")
    assert [rule.line for rule in rules] == [4, 6]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a(x,y)", "line 1 of rules is 'a(x,y)', which is no rule"),
        ("a(x,z) :- b(x,y)", "leaves the variable 'z' of its head a(x, z) unbound"),
        ("a(x,y) :- ", "without a body"),
        ("a(x,y), c(x,y) :- b(x,y)", "with 2 heads"),
        ("a(x,y) :- b(x)", "the atom 'b(x)'; give it two terms"),
        ("a(x,y) :- b(x,y), ", None),
        ("a(x,y) :- b(x,y) oops", "'oops' is no atom"),
        ("a(x,y) :- not b(x,y)", "negates an atom of its body"),
        ("1.5 :: a(x,y) :- b(x,y)", "the confidence 1.5"),
        ("a(x,y) :- b(x,y), x != w", "compares the unbound variable 'w'"),
        ("a b => c", "'a b' is no atom"),
        ("% nothing", "holds no rule"),
        ("a(x,y) :- " + "b" * 3000, "has 3,010 characters"),
        ("a(x,y) :- b(x,y), c(u,v), c(v,w)", "the atom c(u, v), which shares no variable"),
    ],
)
def test_bad_rules_are_refused_in_one_sentence(text, words):
    if words is None:
        assert len(parse_rules(text)) == 1
        return
    with pytest.raises(InputError) as caught:
        parse_rules(text)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_rules_load_from_a_path_a_text_and_a_list(tmp_path):
    path = tmp_path / "rules.pl"
    path.write_text("a(x,y) :- b(x,y)\n", "utf-8")
    texts = [str(load_rules(source)[0]) for source in (path, str(path), "b(x,y) => a(x,y)")]
    assert set(texts) == {"a(x, y) :- b(x, y)"}
    listed = load_rules(["a(x,y) :- b(x,y)", parse_rule("c(x,y) :- b(x,y)")])
    assert [rule.line for rule in listed] == [1, 2]
    with pytest.raises(InputError, match="cannot be read as rules"):
        load_rules(tmp_path / "absent.pl")
