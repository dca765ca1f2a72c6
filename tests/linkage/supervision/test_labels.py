"""Labels of pairs: how they are read, and what is refused."""

import pytest

from partita.data import read
from partita.errors import InputError
from partita.linkage.supervision.labels import read_labels


@pytest.fixture
def records():
    return read([{"id": k, "name": f"name {k}"} for k in range(1, 9)])


def labels(*rows):
    return [dict(zip(("unique_id_l", "unique_id_r", "label"), row, strict=True)) for row in rows]


def test_words_numbers_and_doubts(records):
    given = [(3, 1, "match"), (2, 5, "non-match"), (6, 7, "unsure"), (4, 8, 1), (1, 2, "No")]
    found = read_labels(labels(*((a, b, str(word)) for a, b, word in given)), records)
    assert found.pairs.tolist() == [[0, 1], [0, 2], [1, 4], [3, 7]]
    assert found.match.tolist() == [False, True, False, True]
    assert found.unsure == 1


def test_the_same_label_twice_counts_once(records):
    assert len(read_labels(labels((1, 2, "match"), (2, 1, "yes")), records)) == 1


def test_sources_tell_equal_ids_apart():
    rows = [{"id": 1, "from": "a", "name": "x"}, {"id": 1, "from": "b", "name": "x"}]
    records = read([*rows, {"id": 2, "from": "b", "name": "y"}], source="from")
    where = {"source_dataset_l": "b", "source_dataset_r": "a"}
    found = read_labels([{**labels((1, 1, "match"))[0], **where}], records)
    assert found.pairs.tolist() == [[0, 1]]
    with pytest.raises(
        InputError, match="label 1 names the record '1', which is in several sources"
    ):
        read_labels(labels((1, 2, "match")), records)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([(1, 2, "match"), (2, 1, "non-match")], "records '1' and '2' are a match and a non-match"),
        (
            [(1, 2, "match"), (2, 3, "match"), (1, 3, "non-match")],
            "records '1' and '3' are a non-match, but other labels link them",
        ),
        ([(1, 99, "match")], "label 1 names the record '99', which the data does not have"),
        (
            [(1, 2, "perhaps")],
            "label 1 has the label 'perhaps'; write 'match', 'non-match' or 'unsure'",
        ),
        ([(1, 1, "match")], "label 1 pairs the record '1' with itself"),
    ],
)
def test_what_is_refused(records, rows, said):
    with pytest.raises(InputError, match=said):
        read_labels(labels(*rows), records)


def test_a_table_without_labels_is_refused(records):
    with pytest.raises(InputError, match="the labels have no column 'label'"):
        read_labels([{"unique_id_l": 1, "unique_id_r": 2, "verdict": "must"}], records)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([], "there are no labels; collect some with `partita label`"),
        ([(1, 2, "unsure")], "there are no labels except 1 that are unsure"),
        ([(1, 2, "match"), (3, 4, "match")], "all 2 labels are matches; label pairs of the other"),
        ([(1, 2, "no"), (3, 4, "no")], "all 2 labels are non-matches"),
        ([(1, 2, "no"), (3, 4, "no"), (5, 6, "yes")], "there is 1 match among 3 labels"),
    ],
)
def test_too_few_to_learn_from(records, rows, said):
    with pytest.raises(InputError, match=said):
        read_labels(labels(*rows), records).checked()
