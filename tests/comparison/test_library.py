"""Comparisons by name: the level of two values, files, and refusals."""

import json

import numpy as np
import pytest
from rapidfuzz.distance import Jaro, JaroWinkler, Levenshtein

from partita import comparison as cl
from partita.comparison.comparison import comparison_from
from partita.errors import InputError


def label(comparison, one, other, *more):
    find = comparison.prepare([one, other, *more]).find
    there, back = (find(np.array(pair[:1]), np.array(pair[1:])) for pair in ([0, 1], [1, 0]))
    assert there[0] == back[0], "a comparison has no direction"
    return comparison.labels[there[0]]


def vowels(left, right):
    """A user's own function, as a module would hold it."""
    count = [sum(letter in "aeiou" for letter in text) for text in (left, right)]
    return abs(count[0] - count[1])


NAMES = cl.ForenameSurnameComparison("surname")
SEP = "\x1f"


@pytest.mark.parametrize(
    ("comparison", "one", "other", "expected"),
    [
        (cl.ExactMatch(), "ann", "anne", "no agreement"),
        (cl.JaroWinklerAtThresholds(), "martha", "marhta", "Jaro-Winkler at least 0.9"),
        (cl.JaroAtThresholds(), "dixon", "dicksonx", "Jaro at least 0.7"),
        (cl.LevenshteinAtThresholds(), "kitten", "sitten", "Levenshtein distance at most 1"),
        (cl.LevenshteinAtThresholds([1]), "ab", "ba", "no agreement"),
        (
            cl.DamerauLevenshteinAtThresholds([1]),
            "abc",
            "bac",
            "Damerau-Levenshtein distance at most 1",
        ),
        (cl.JaccardAtThresholds([0.6]), "duck", "luck", "Jaccard of letters at least 0.6"),
        (
            cl.CosineSimilarityAtThresholds([0.5]),
            "old mill lane",
            "old mill lan",
            "cosine of 3-grams at least 0.5",
        ),
        (
            cl.CosineSimilarityAtThresholds([0.5], tokens="words"),
            "old mill",
            "mill old",
            "cosine of words at least 0.5",
        ),
        (cl.PhoneticMatch(), "stephen", "steven", "same metaphone"),
        (cl.PhoneticMatch("soundex"), "robert", "rupert", "same soundex"),
        (cl.AbsoluteDifferenceAtThresholds([5]), "-3.5", "1", "difference at most 5"),
        (cl.AbsoluteDifferenceAtThresholds([5]), "1.0", "1", "exact"),
        (
            cl.PercentageDifferenceAtThresholds([0.1]),
            "100",
            "95",
            "relative difference at most 0.1",
        ),
        (
            cl.AbsoluteDateDifferenceAtThresholds([2], ["day"]),
            "2000 02 28",
            "2000 03 01",
            "date difference at most 2 day",
        ),
        (cl.AbsoluteDateDifferenceAtThresholds([2], "day"), "2000 02", "2000 03", "no agreement"),
        (
            cl.DateOfBirthComparison(),
            "1990 01 02",
            "1990 01 03",
            "Damerau-Levenshtein distance at most 1",
        ),
        (cl.DateOfBirthComparison(), "1990 01 02", "1992 11 13", "date difference at most 10 year"),
        (
            cl.DistanceInKMAtThresholds([1, 50]),
            "51.5,-0.12",
            "51.75, -0.33",
            "distance at most 50 km",
        ),
        (cl.DistanceInKMAtThresholds([50]), "51.5,-0.12", "51.75, 0.93", "no agreement"),
        (cl.DistanceInKMAtThresholds([50]), "51.5", "nowhere", "no agreement"),
        (
            cl.ArrayIntersectAtSizes([2, 1]),
            "Red; blue",
            "blue; green; red",
            "common items at least 2",
        ),
        (cl.ArrayIntersectAtSizes([1]), "red; blue", "Blue; red", "exact"),
        (cl.NameComparison(), "martha", "marhta", "Jaro-Winkler at least 0.92"),
        (cl.NameComparison(phonetic="soundex"), "robert", "rupert", "same soundex"),
        (NAMES, f"ann{SEP}lee", f"lee{SEP}ann", "columns swapped"),
        (
            NAMES,
            f"martha{SEP}jones",
            f"marhta{SEP}jonse",
            "Jaro-Winkler of both columns at least 0.92",
        ),
        (NAMES, f"ann{SEP}lee", f"bob{SEP}lee", "same surname"),
        (NAMES, f"ann{SEP}lee", f"ann{SEP}orr", "same first column"),
        (NAMES, f"ann{SEP}lee", f"bob{SEP}orr", "no agreement"),
        (
            cl.DistanceFunctionAtThresholds(vowels, [0, 1], higher_is_more_similar=False),
            "lee",
            "lie",
            "vowels at most 0",
        ),
        (
            cl.DistanceFunctionAtThresholds("levenshtein", [1, 3]),
            "abcd",
            "xyzd",
            "Levenshtein distance at most 3",
        ),
        (
            cl.CustomComparison(
                [cl.Level("exact", form="domain", label="same host")], cleaned=False
            ),
            "a@x.org",
            "b@x.org",
            "same host",
        ),
        (
            cl.CustomComparison(
                [cl.Level("exact", form="postcode sector"), cl.Level("exact", form="postcode area")]
            ),
            "ab1 2cd",
            "ab1 2ce",
            "same postcode sector",
        ),
        (
            cl.CustomComparison(
                [cl.Level("exact", form="postcode sector"), cl.Level("exact", form="postcode area")]
            ),
            "ab1 2cd",
            "ab9 9zz",
            "same postcode area",
        ),
        (
            cl.CustomComparison([cl.Level("levenshtein", 1) & cl.Level("length", 4)]),
            "abc",
            "abd",
            "no agreement",
        ),
        (
            cl.CustomComparison([cl.Level("levenshtein", 1) | cl.Level("exact", form="soundex")]),
            "rupert",
            "robert",
            "Levenshtein distance at most 1 or same soundex",
        ),
    ],
)
def test_levels_by_comparison(comparison, one, other, expected):
    assert label(comparison, one, other, "2001 01 01", "something else", "9") == expected


@pytest.mark.parametrize(
    ("comparison", "function"),
    [
        (cl.JaroWinklerAtThresholds([0.9, 0.8, 0.6, 0.3]), JaroWinkler.similarity),
        (cl.JaroAtThresholds([0.9, 0.8, 0.6, 0.3]), Jaro.similarity),
        (cl.LevenshteinAtThresholds([1, 2, 5]), Levenshtein.distance),
    ],
)
def test_bounds_by_common_letters_change_no_level(comparison, function):
    rng = np.random.default_rng(1)
    words = sorted({"".join(rng.choice(list("abcde"), rng.integers(1, 9))) for _ in range(150)})
    left, right = np.triu_indices(len(words), 1)
    found = comparison.prepare(words).find(left, right)
    rises = comparison.levels[0].rises
    for k in range(len(left)):
        score = np.float32(function(words[left[k]], words[right[k]]))
        passed = [score >= np.float32(t) if rises else score <= t for t in comparison.thresholds]
        assert found[k] == (passed.index(True) if True in passed else len(passed)) + 1


EVERY = [
    *(cl.automatic_comparison(kind) for kind in cl.column_types()),
    *(kind() for kind in (
        cl.ExactMatch, cl.JaroWinklerAtThresholds, cl.JaroAtThresholds, cl.LevenshteinAtThresholds,
        cl.DamerauLevenshteinAtThresholds, cl.JaccardAtThresholds, cl.CosineSimilarityAtThresholds,
        cl.PhoneticMatch, cl.AbsoluteDifferenceAtThresholds, cl.PercentageDifferenceAtThresholds,
        cl.AbsoluteDateDifferenceAtThresholds, cl.DateOfBirthComparison,
        cl.DistanceInKMAtThresholds, cl.ArrayIntersectAtSizes, cl.NameComparison,
    )),
    NAMES,
    cl.DistanceInKMAtThresholds([5], long_col="lon", term_frequency_adjustments=False),
    cl.CustomComparison([
        cl.Level("exact", form="soundex") | cl.Level("levenshtein", 1),
        cl.And(cl.Level("jaro", 0.8), cl.Level("given_names", (1, 3)), label="x"),
        cl.Level(vowels, 2, higher_is_more_similar=False),
    ]),
    cl.DistanceFunctionAtThresholds(vowels, [0, 1], higher_is_more_similar=False, cleaned=False),
]  # fmt: skip


@pytest.mark.parametrize("comparison", EVERY, ids=lambda one: one.name)
def test_a_stored_comparison_is_read_back(comparison):
    stored = json.loads(json.dumps(comparison.as_dict()))
    assert comparison_from(stored, import_functions=True) == comparison
    assert comparison_from(stored).labels == comparison.labels


@pytest.mark.parametrize("comparison", EVERY, ids=lambda one: one.name)
def test_the_identity_of_a_value_has_the_first_level(comparison):
    values = ["a", "b 1", "2000 01 01", "x;y", "1.5, 2", f"p{SEP}q"]
    prepared = comparison.prepare(values)
    found = prepared.find(*np.triu_indices(len(values), 1))
    assert found.min() >= (0 if prepared.canonical is not None else 1)
    assert found.max() < len(comparison.labels)


def test_a_function_that_a_file_names_must_be_passed():
    named = comparison_from(cl.DistanceFunctionAtThresholds(vowels, [0]).as_dict())
    assert list(named.python_functions()) == [f"{__name__}:vowels"]
    with pytest.raises(InputError, match=r"names the Python function '.*:vowels'; pass"):
        named.prepare(["a", "b"])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: cl.JaroWinklerAtThresholds([0.7, 0.9]), "thresholds.*from strict to loose"),
        (lambda: cl.JaroWinklerAtThresholds([]), "give one or more"),
        (lambda: cl.LevenshteinAtThresholds([2, 1]), "from strict to loose"),
        (lambda: cl.JaroWinklerAtThresholds(["x"]), "the threshold 'x'; give one number"),
        (lambda: cl.Level("jaro_winkle"), "no comparison function 'jaro_winkle'; use one of"),
        (lambda: cl.Level("exact", form="sound"), "no form of values 'sound'"),
        (lambda: cl.Level(3), "3 is no comparison function"),
        (lambda: cl.PhoneticMatch("nysiis"), "algorithm is 'nysiis'; give one of soundex"),
        (lambda: cl.CosineSimilarityAtThresholds(tokens="x"), "tokens is 'x'"),
        (lambda: cl.AbsoluteDateDifferenceAtThresholds([1], ["week"]), "metric is 'week'"),
        (lambda: cl.AbsoluteDateDifferenceAtThresholds([1, 2], ["day"]), "2 thresholds and 1 metr"),
        (cl.ForenameSurnameComparison, "no surname_col_name"),
        (lambda: cl.CustomComparison([cl.Level("exact"), cl.Level("exact")]), "two levels 'same"),
        (lambda: cl.CustomComparison([3]), "a comparison level is 3"),
        (lambda: cl.CustomComparison([{"functon": "exact"}]), "no setting 'functon'"),
        (lambda: cl.CustomComparison([{"threshold": 1}]), "has no function"),
        (
            lambda: comparison_from({"comparison": "Exact"}),
            "no comparison 'Exact'; do you mean 'ExactMatch'",
        ),
        (lambda: comparison_from({"comparison": "qq"}), "no comparison 'qq'; use one of Absolute"),
        (lambda: comparison_from({"comparison": "ExactMatch", "x": 1}), "no setting 'x'"),
        (lambda: comparison_from({"comparison": "CustomComparison"}), "cannot be built"),
        (
            lambda: comparison_from(
                {"comparison": "DistanceFunctionAtThresholds", "distance_function": "no_such:f"},
                import_functions=True,
            ),
            "'no_such:f' cannot be imported",
        ),
        (
            lambda: (
                cl.DistanceFunctionAtThresholds(lambda a, b: "x")
                .prepare(["a", "b"])
                .find(np.array([0]), np.array([1]))
            ),
            "returns 'x' for 'a' and 'b'; return a number",
        ),
    ],
)
def test_mistakes_are_named(call, words):
    with pytest.raises(InputError, match=words):
        call()
