"""Trust: one warning where readings disagree, and a range that widens with their disagreement."""

from dataclasses import replace

import numpy as np
import pytest

from partita import resolve
from partita.linkage.notes import Note, Severity
from partita.linkage.pairwise.fit import UNSEPARATED
from partita.linkage.readings.choice import NO_MATCH, Reading
from partita.linkage.readings.trust import count_range, judge_result, overall_agreement
from partita.synthetic import people

AGREEING = Reading("em", "", {"em-prior": 0.95})
DIVIDED = Reading("pooled", "", {"em-prior": 0.3, "em-columns": 0.3, "prior-columns": 0.9})


@pytest.mark.parametrize(
    ("reading", "columns", "level", "agreement"),
    [
        (AGREEING, 4, "agree", 0.95),
        (Reading("prior", "", {"em-prior": 0.95}), 1, "disagree", 0.5),
        (Reading("prior", "", {}), 1, "disagree", 0.5),
        (DIVIDED, 4, "disagree", 0.5),
        (Reading("mentions", "", {}), 4, "disagree", 0.5),
        (Reading("em", NO_MATCH, {}), 4, "disagree", 0.5),
        (Reading("em", "the settings require it", {}), 4, "unknown", 0.5),
        (Reading("trained", "", {}), 4, "trained", 0.5),
    ],
)
def test_levels(reading, columns, level, agreement):
    assert judge_result(reading, columns, 0.5, None, False).level == level
    assert overall_agreement(reading, columns) == pytest.approx(agreement)


def test_agreement_on_few_matches_is_no_evidence():
    few = judge_result(AGREEING, 4, 0.012, None, False)
    assert few.level == "few" and "only 1.2% of the records" in few.sentence
    assert judge_result(DIVIDED, 4, 0.012, None, False).level == "disagree"


def test_further_records_in_a_source_limit_the_trust():
    doubtful = judge_result(AGREEING, 4, 0.5, None, False, 0.2)
    assert doubtful.level == "duplicates" and "a rate of up to 20%" in doubtful.sentence
    assert "--reference" in doubtful.advice
    assert judge_result(AGREEING, 4, 0.5, None, False, 0.05).level == "agree"
    assert judge_result(DIVIDED, 4, 0.5, None, False, 0.2).level == "disagree"


def test_relatives_inside_entities_limit_the_trust():
    doubtful = judge_result(AGREEING, 4, 0.5, None, False, 0.0, 0.2)
    assert doubtful.level == "relatives" and "20% of the entities" in doubtful.sentence
    assert judge_result(AGREEING, 4, 0.5, None, False, 0.0, 0.01).level == "agree"
    assert judge_result(DIVIDED, 4, 0.5, None, False, 0.0, 0.2).level == "disagree"
    low, high = count_range(600, 1000, (600.0, 600.0), 0.95)
    least, most = count_range(600, 1000, (600.0, 600.0), 0.95, divided=0.2)
    assert least == low and most > high


def test_the_advice_fits_the_input():
    assert "--one-to-one" in judge_result(DIVIDED, 4, 0.5, None, True).advice
    advice = judge_result(DIVIDED, 4, 0.5, None, False).advice
    assert "--one-to-one" not in advice
    assert "--ignore" in advice and "partita label" in advice
    assert "--mentions" in judge_result(Reading("mentions", "", {}), 4, 0.5, None, False).advice
    assert (
        "partita label" not in judge_result(Reading("trained", "", {}), 4, 0.5, None, True).advice
    )


def test_the_chains_are_part_of_the_sentence():
    assert judge_result(AGREEING, 4, 0.5, None, False).sentence.endswith("the chains agree")
    assert (
        "the chains do not agree (R-hat 1.30)"
        in judge_result(AGREEING, 4, 0.5, 1.3, False).sentence
    )


def test_the_range_widens_with_disagreement():
    low, high = count_range(600, 1000, (600.0, 600.0), 1.0)
    wider = count_range(600, 1000, (600.0, 600.0), 0.3)
    assert wider[0] < low < 600 < high < wider[1] < 1000


def test_the_range_is_no_narrower_than_the_posterior():
    low, high = count_range(600, 1000, (200.0, 900.0), 1.0)
    assert high - low > 500


@pytest.mark.parametrize(("entities", "records"), [(1, 1), (1, 3), (60, 60), (2, 2)])
def test_the_range_at_the_limits(entities, records):
    low, high = count_range(entities, records, (float(entities),) * 2, 0.9)
    assert 1 <= low <= entities <= high <= records
    assert entities < records or low == high == entities


def test_records_without_any_match_have_a_warning():
    rng = np.random.default_rng(0)
    texts = rng.choice(list("abcdefghijklmnopqrstuvwxyz"), (2, 60, 9))
    rows = [{"name": "".join(a), "town": "".join(b)} for a, b in zip(*texts, strict=True)]
    found = resolve(rows, seed=1)
    assert len(set(found.labels)) == 60
    assert found.reading.why == NO_MATCH and found.trust.level == "disagree"
    assert NO_MATCH in found.summary()["warnings"][0]


@pytest.mark.compiled
def test_people_have_no_warning_and_other_readings_have_one():
    found = resolve(people(600, 3, truth=None).table(), seed=1)
    assert found.summary()["trust"]["level"] == "agree"
    assert not any(Note.of(text).severity is Severity.UNRELIABLE for text in found._cautions())
    divided = replace(found, reading=DIVIDED, warnings=[Note(UNSEPARATED), "EM stopped"])
    texts = divided.summary()["warnings"]
    assert [Note.of(text).severity for text in texts] == [Severity.UNRELIABLE, Severity.RESULTS]
    assert "disagree" in texts[0] and "partita label" in texts[0] and texts[1] == "EM stopped"
    _, low, high = found.entity_count
    _, lower, higher = divided.entity_count
    assert lower < low <= high < higher
    trained = replace(found, reading=Reading("trained", "", {}))
    assert trained.entity_count[1] >= low and "trained model" in repr(trained)
