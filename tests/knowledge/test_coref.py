"""`partita.coref`: results, probabilities and evaluation."""

import numpy as np
import pytest

import partita
from partita.errors import InputError
from partita.kernel import interpreted
from partita.knowledge.base_files import read_name_table
from tests.text.coreference.generated import make_documents

TEXT = "Ann Lee spoke. Lee left."
ITEM = {"text": TEXT, "mentions": [{"start": 0, "end": 7}, {"start": 15, "end": 18}]}


@pytest.mark.skipif(interpreted(), reason="whole runs are compiled only")
def test_the_result_has_probabilities_and_an_evaluation():
    result = partita.coref(make_documents(4), draws=20, seed=1)
    table = result.table().to_pylist()
    assert [row["start"] for row in table][:2] == [0, table[1]["start"]]
    assert (result.p_entity >= 0).all() and (result.p_entity <= 1 + 1e-9).all()
    assert result.evaluate().bcubed.f1 > 0.6
    assert "48 mentions of 4 documents" in repr(result)
    again = partita.coref(make_documents(4), draws=20, seed=1)
    assert np.array_equal(again.p_entity, result.p_entity)


@pytest.mark.skipif(interpreted(), reason="whole runs are compiled only")
def test_a_linked_name_links_its_short_form():
    base = [{"id": "a", "name": "Ann Lee"}, {"id": "b", "name": "Bob Orr"}]
    result = partita.coref(ITEM, to=base, draws=20)
    rows = result.table().to_pylist()
    assert rows[0]["link"] == "a" and rows[0]["entity"] == rows[1]["entity"]
    assert all(0 <= row["p_nil"] <= 1 for row in rows)
    with pytest.raises(InputError, match="no mention has an annotated entity"):
        result.evaluate()


@pytest.mark.skipif(interpreted(), reason="whole runs are compiled only")
def test_a_pronoun_has_the_link_of_its_entity():
    text = "Ann Lee spoke. She left."
    mentions = [{"start": 0, "end": 7}, {"start": 15, "end": 18}]
    base = [{"id": "a", "name": "Ann Lee"}, {"id": "b", "name": "Bob Orr"}]
    result = partita.coref({"text": text, "mentions": mentions}, to=base, draws=20)
    rows = result.table().to_pylist()
    assert rows[0]["entity"] == rows[1]["entity"]
    assert (rows[0]["link"], rows[0]["p_link"]) == (rows[1]["link"], rows[1]["p_link"])


def test_names_and_counts_of_a_base_are_read():
    reference = [{"id": 1, "title": "Ann Lee", "popularity": 3}, {"id": 2, "title": "Bob"}]
    aliases = [{"alias_of": 1, "title": "Annie", "count": 5}]
    table = read_name_table(reference, aliases=aliases)
    (meaning,) = table.look_up("Annie")
    assert (table.ids[meaning.record], meaning.times) == ("1", 5.0)
    assert table.popularity == [3.0, 0.0]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"to": [{"id": 1, "name": "x", "popularity": "many"}]}, "popularity is 'many'"),
        ({"to": [{"id": 1, "name": "x"}], "name": "label"}, "no column 'label'"),
        ({"to": [{"id": 1, "name": "x"}], "aliases": [{"alias_of": 1, "nick": "y"}]}, "no column"),
        ({"to": [{"name": "x"}]}, "no column unique_id or id"),
        ({"aliases": [{"alias_of": 1, "name": "y"}]}, "no knowledge base"),
        ({"draws": 0}, "draws is 0"),
        ({"model": "absent.json"}, "no choice model"),
    ],
)
def test_bad_options_are_refused_in_one_sentence(options, sentence):
    with pytest.raises(InputError, match=sentence):
        partita.coref(ITEM, **options)
