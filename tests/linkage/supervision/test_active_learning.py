"""Questions: never twice, balanced, the same for the same answers, and an end."""

import numpy as np
import pytest

from partita.linkage.resolve import compare_records, read_compared, read_settings
from partita.linkage.supervision.active_learning import Answer, Questions
from partita.progress import Clock
from partita.synthetic import companies
from tests.linkage.made import persons

pytestmark = pytest.mark.compiled


@pytest.fixture(scope="module")
def ready():
    table, truth = persons(500, seed=3)
    found = compare_records(table, read_settings(None, {})[0], None, None, Clock(False))
    return found, truth[found.prepared.numbering.wide]


def asked(ready, many, seed=0, oracle=None):
    found, truth = ready
    questions, answers = Questions(found.scored, seed), []
    for _ in range(many):
        pair = questions.next(answers)
        if pair is None:
            break
        say = oracle(pair) if oracle else bool(truth[pair[0]] == truth[pair[1]])
        answers.append(Answer(*pair, say))
    return questions, answers


def test_questions_are_balanced_and_never_repeated(ready):
    _, answers = asked(ready, 80)
    assert len({one[:2] for one in answers}) == 80
    assert all(left < right for left, right, _ in answers)
    assert 15 <= sum(one.match for one in answers) <= 65


def test_most_are_where_the_model_doubts_and_some_where_it_is_sure(ready):
    found, _ = ready
    _, answers = asked(ready, 20)
    pairs = np.array([one[:2] for one in answers])
    p = found.scored.model.score(found.scored.comparisons, pairs).probability
    everywhere = found.scored.scores.probability
    doubt = p * (1 - p)
    assert doubt.mean() > 2 * (everywhere * (1 - everywhere)).mean()
    assert (doubt < 0.05).any()


def test_the_same_answers_give_the_same_question_after_an_undo_and_a_restart(ready):
    questions, answers = asked(ready, 30)
    following = questions.next(answers)
    assert questions.next(answers[:10]) == answers[10][:2]
    assert questions.next(answers) == following
    assert Questions(ready[0].scored).next(answers) == following


def test_answers_move_the_scores(ready):
    questions, _ = asked(ready, 19)
    assert np.array_equal(questions.scores, ready[0].scored.scores.total)
    questions, _ = asked(ready, 25)
    assert not np.array_equal(questions.scores, ready[0].scored.scores.total)


def test_unsure_answers_are_not_learned_from_but_not_asked_again(ready):
    questions, answers = asked(ready, 30, oracle=lambda _: None)
    assert questions.fitted == ()
    assert len({one[:2] for one in answers}) == 30


def test_there_is_an_end():
    rows = [{"name": "Ann Lee", "town": "Ely"}, {"name": "Anne Lee", "town": "Ely"}]
    rows += [{"name": "Bob Orr", "town": "Bath"}, {"name": "Cid Fox", "town": "York"}]
    found = compare_records(rows, read_settings(None, {})[0], None, None, Clock(False))
    _, answers = asked((found, np.arange(4)), 50)
    assert len(answers) == len(found.scored.pairs) < 50


def test_disputed_pairs_come_first_until_the_model_is_refitted():
    table = companies(500, 3).table()
    truth = np.asarray(table.column("entity"))
    settings = read_settings(None, {"reading": "pooled"})[0]
    compared = compare_records(table.drop_columns(["entity"]), settings, None, None, Clock(False))
    found = read_compared(compared, None, Clock(False))
    questions, answers = asked((found, truth[found.prepared.numbering.wide]), 40)
    is_disputed = questions.disputed[questions._places(answers)]
    assert 0 < questions.disputed.mean() < 0.2
    assert is_disputed[:20].mean() >= 0.3
    assert not Questions(compared.scored).disputed.any()
