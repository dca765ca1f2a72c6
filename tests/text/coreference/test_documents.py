import pytest

from partita.errors import InputError
from partita.text.coreference.documents import Mention, build_document, join_tokens


def test_mentions_are_sorted_and_longer_ones_come_first():
    spans = [(4, 7), (0, 3), (0, 7)]
    mentions = [Mention(start, end, "x") for start, end in spans]
    found = build_document("d", "Ann Lee spoke", mentions).mentions
    assert [(m.start, m.end) for m in found] == [(0, 7), (0, 3), (4, 7)]


@pytest.mark.parametrize(
    ("text", "spans", "sentence"),
    [
        ("Ann", [(0, 4)], "outside the text of 3 characters"),
        ("Ann", [(-1, 2)], "outside the text"),
        ("Ann", [(2, 2)], "outside the text"),
        ("  ", [(0, 1)], "has no text"),
        ("Ann", [], "has no mentions"),
        ("Ann", [(0, 3), (0, 3)], "two mentions have the offsets 0-3"),
    ],
)
def test_bad_documents_are_refused_in_one_sentence(text, spans, sentence):
    with pytest.raises(InputError, match=sentence):
        build_document("d", text, [Mention(start, end, "x") for start, end in spans])


def test_tokens_are_joined_with_their_offsets():
    text, offsets, starts = join_tokens([["Ann", "spoke"], ["She", "left"]])
    assert text == "Ann spoke She left"
    assert [text[a:b] for a, b in offsets] == ["Ann", "spoke", "She", "left"]
    assert starts == [0, 10]
