"""Names and text in TeX."""

import pytest

from partita.data.tex import parse_name, split_names, strip_tex


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (
            r"Erd{\H o}s and G{\"o}del, \v{C}ech \c{c} {\ss} {\O}re {\AA}",
            "Erdős and Gödel, Čech ç ß Øre Å",
        ),
        (r"Mar{\'\i}a \'{\i} \~n", "María í ñ"),
        (r"a~b -- c \emph{d} $x$ \LaTeX", "a b - c d x LaTeX"),
        ("plain", "plain"),
        (r"50\% \& more", "50 % & more"),
    ],
)
def test_marks_become_letters(given, shown):
    assert strip_tex(given) == shown


@pytest.mark.parametrize(
    ("given", "parts"),
    [
        ("Lee", ("", "", "Lee")),
        ("Ann B. C. Lee", ("Ann", "B. C.", "Lee")),
        ("Lee, Ann B.", ("Ann", "B.", "Lee")),
        ("Lee, Jr., Ann", ("Ann", "", "Lee")),
        ("Ludwig van Beethoven", ("Ludwig", "", "van Beethoven")),
        ("de la Cruz, Ana", ("Ana", "", "de la Cruz")),
        ("matt w. mutka", ("matt", "w.", "mutka")),
        ("{Barnes and Noble}", ("", "", "Barnes and Noble")),
        ("J.R.R. Tolkien", ("J.", "R. R.", "Tolkien")),
        ("", ("", "", "")),
    ],
)
def test_parts_of_a_name(given, parts):
    assert parse_name(given) == parts


def test_a_list_is_cut_outside_braces_only():
    assert split_names("A. Lee AND {Barnes and Noble}\n and  others") == [
        "A. Lee",
        "{Barnes and Noble}",
    ]
    assert split_names("") == []
