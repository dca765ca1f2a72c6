"""Column types from values alone, on generated columns; column names are only a hint."""

import numpy as np
import pyarrow as pa
import pytest

from partita.data.clean import clean
from partita.data.column_types import (
    COLUMN_TYPES,
    FAMILY,
    GIVEN,
    Sample,
    infer_base_type,
    infer_type,
    infer_type_from_name,
)

RNG = np.random.default_rng(0)
FIRST, LAST = sorted(GIVEN - FAMILY), sorted(FAMILY - GIVEN)
N = 400


def word(rng, least=2, most=4):
    letters = rng.choice(list("bdfgklmnprstv"), most)
    vowels = rng.choice(list("aeiou"), most)
    pairs = zip(letters, vowels, strict=True)
    return "".join(a + b for a, b in list(pairs)[: rng.integers(least, most + 1)])


def made(make, n=N, seed=0):
    rng = np.random.default_rng(seed)
    return [make(rng) for _ in range(n)]


def digits(rng, n):
    return "".join(map(str, rng.integers(0, 10, n)))


def pick(rng, values):
    return values[rng.integers(0, len(values))]


def sample(values, hint=None):
    texts, counts = np.unique(np.array(values, object), return_counts=True)
    cleaned = clean(pa.array(list(texts)))
    kept = [at for at in range(len(texts)) if cleaned[at].is_valid]
    return Sample(
        [texts[at] for at in kept],
        [cleaned[at].as_py() for at in kept],
        counts[kept].astype(float),
        len(kept),
        int(counts[kept].sum()),
        hint,
    )


def day(rng):
    return rng.integers(1930, 2010), rng.integers(1, 13), rng.integers(1, 29)


def iso(rng):
    return "{}-{:02}-{:02}".format(*day(rng))


def european(rng):
    return "{2}.{1}.{0}".format(*day(rng))


def packed(rng):
    return "{}{:02}{:02}".format(*day(rng))


def spelled(rng):
    year, _, number = day(rng)
    return f"{number} {pick(rng, ['January', 'Mar', 'Sept.', 'December'])} {year}"


def british(rng):
    return f"{pick(rng, 'NSEW')}{rng.integers(1, 20)} {rng.integers(1, 9)}{pick(rng, 'ABD')}Q"


def words(rng, least, most):
    return " ".join(word(rng) for _ in range(rng.integers(least, most)))


COLUMNS = {
    "date": [iso, european, packed, spelled, lambda rng: iso(rng) + "T10:20:30"],
    "number": [
        lambda rng: f"{rng.lognormal(3):.2f}",
        lambda rng: f"${rng.integers(1, 99)},{digits(rng, 3)}.{digits(rng, 2)}",
        lambda rng: f"-{rng.random():.4f}",
    ],
    "email": [lambda rng: f"{word(rng)}.{word(rng)}@{word(rng)}.org"],
    "phone": [
        lambda rng: f"({digits(rng, 3)}) {digits(rng, 3)}-{digits(rng, 4)}",
        lambda rng: f"+49 {digits(rng, 3)} {digits(rng, 7)}",
        lambda rng: f"0{digits(rng, 9)}",
        lambda rng: f"{digits(rng, 3)}-{digits(rng, 3)}-{digits(rng, 4)}",
    ],
    "postcode": [
        british,
        lambda rng: f"{1000 * rng.integers(1, 10) + 37 * rng.integers(0, 9)}",
        lambda rng: f"{digits(rng, 5)}-{digits(rng, 4)}",
    ],
    "code": [
        lambda rng: f"{rng.integers(1000, 10**9)}",
        lambda rng: f"AB-{digits(rng, 5)}",
        lambda rng: f"{digits(rng, 3)}-{digits(rng, 2)}-{digits(rng, 4)}",
        lambda rng: f"{rng.integers(1930, 2010)}",
        lambda rng: f"{rng.integers(100, 999)}-{rng.integers(1000, 2000)}",
        lambda rng: f"978-3-{digits(rng, 5)}-{digits(rng, 3)}-{digits(rng, 1)}",
    ],
    "address": [
        lambda rng: f"{rng.integers(1, 300)} {word(rng).title()} {pick(rng, ['Street', 'Road'])}",
        lambda rng: f"{word(rng).title()}straße {rng.integers(1, 99)}",
        lambda rng: f"{rng.integers(1, 99)} rue {word(rng)}, {digits(rng, 5)} {word(rng)}",
    ],
    "given name": [lambda rng: pick(rng, FIRST) if rng.random() < 0.4 else word(rng)],
    "surname": [lambda rng: pick(rng, LAST).title() if rng.random() < 0.2 else word(rng)],
    "full name": [
        lambda rng: f"{pick(rng, FIRST)} {word(rng)}",
        lambda rng: f"{word(rng).title()}, {pick(rng, 'BCFGJKMPR')}.",
    ],
    "list": [
        lambda rng: "; ".join(word(rng) for _ in range(rng.integers(2, 6))),
        lambda rng: ", ".join(words(rng, 2, 3) for _ in range(rng.integers(1, 6))),
    ],
    "category": [
        lambda rng: pick(rng, ["male", "female"]),
        lambda rng: pick(rng, ["New South Wales", "Victoria", "South Australia"]),
        word,
    ],
    "long text": [lambda rng: words(rng, 3, 9), lambda rng: words(rng, 30, 90)],
}


@pytest.mark.parametrize(
    ("kind", "make"), [(kind, make) for kind, makes in COLUMNS.items() for make in makes]
)
def test_content_alone_decides_the_type(kind, make):
    assert kind in COLUMN_TYPES
    values = made(make)
    assert infer_type(sample(values)) == kind
    # one value in ten is wrong
    rng = np.random.default_rng(1)
    spoiled = [pick(rng, ["n/a", "zzz", "?"]) if rng.random() < 0.1 else text for text in values]
    assert infer_type(sample(spoiled)) == kind


def test_every_type_is_generated():
    assert set(COLUMNS) == set(COLUMN_TYPES)


def test_a_column_name_decides_only_ambiguous_values():
    strings = made(lambda rng: pick(rng, FIRST) if rng.random() < 0.08 else word(rng))
    assert infer_type(sample(strings)) == "category"
    assert infer_type(sample(strings, hint="given name")) == "given name"
    dates = made(iso)
    for hint in COLUMN_TYPES:
        assert infer_type(sample(dates, hint)) == "date"
        assert infer_type(sample(made(word), hint)) == "category"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("E-Mail", "email"),
        ("first_name", "given name"),
        ("lname", "surname"),
        ("date_of_birth", "date"),
        ("ZIP", "postcode"),
        ("mobile", "phone"),
        ("x17", None),
    ],
)
def test_hints(name, kind):
    assert infer_type_from_name(name) == kind


def test_base_types():
    wanted = {
        "date": made(iso),
        "number": made(lambda rng: f"{rng.random():.3f}"),
        "code": made(lambda rng: digits(rng, 6)),
        "text": made(lambda rng: words(rng, 3, 6)),
        "name": made(word),
    }
    assert {kind: infer_base_type(sample(values)) for kind, values in wanted.items()} == {
        kind: kind for kind in wanted
    }


def test_an_empty_column_is_a_category():
    assert infer_type(sample([""])) == "category"
