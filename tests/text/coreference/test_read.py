"""Readers of documents, and one sentence for each kind of bad input."""

import json

import pytest

from partita.errors import InputError
from partita.text.coreference.read import list_paths, read_documents

TEXT = "Ann Lee spoke. She left."
MENTIONS = [{"start": 0, "end": 7, "type": "PER"}, {"start": 15, "end": 18}]

CONLLU = """# newdoc id = one
# global.Entity = eid-etype-head-other
# sent_id = 1
1\tAnn\tAnn\tPROPN\t_\t_\t0\troot\t_\tEntity=(e1-person-1-
2\tLee\tLee\tPROPN\t_\t_\t1\tflat\t_\tEntity=e1)
3-4\tdoesn't\t_\t_\t_\t_\t_\t_\t_\t_
3\tdoes\tdo\tAUX\t_\t_\t5\taux\t_\t_
4\tn't\tnot\tPART\t_\t_\t5\tadvmod\t_\t_
5\tspeak\tspeak\tVERB\t_\t_\t0\troot\t_\tSpaceAfter=No
6\t.\t.\tPUNCT\t_\t_\t5\tpunct\t_\t_

1\tShe\tshe\tPRON\t_\t_\t2\tnsubj\t_\tEntity=(e1-person-1-)
2\tleft\tleave\tVERB\t_\t_\t0\troot\t_\t_
2.1\tleft\tleave\tVERB\t_\t_\t_\t_\t_\t_
3\tthe\tthe\tDET\t_\t_\t4\tdet\t_\tEntity=(e2-place-2-
4\troom\troom\tNOUN\t_\t_\t2\tobj\t_\tEntity=e2)
"""


def spans(document):
    return [(document.text[m.start : m.end], m.type, m.form) for m in document.mentions]


def test_json_objects_lists_and_lines(tmp_path):
    item = {"doc": "a", "text": TEXT, "mentions": MENTIONS}
    (tmp_path / "one.json").write_text(json.dumps(item))
    (tmp_path / "list.json").write_text(json.dumps([item, {**item, "doc": "b"}]))
    (tmp_path / "lines.jsonl").write_text(f"{json.dumps(item)}\n\n{json.dumps(item)}\n")
    found = read_documents([tmp_path / name for name in ("one.json", "list.json", "lines.jsonl")])
    assert [document.name for document in found] == ["a", "a", "b", "a", "a"]
    assert spans(found[0]) == [("Ann Lee", "PER", ""), ("She", "", "")]
    assert read_documents(item)[0] == found[0]


def test_conllu_with_multiword_tokens_and_empty_nodes(tmp_path):
    path = tmp_path / "d.conllu"
    path.write_text(CONLLU)
    (document,) = read_documents(path)
    assert document.name == "one"
    assert document.text == "Ann Lee doesn't speak. She left the room"
    assert spans(document) == [
        ("Ann Lee", "person", "PROP"),
        ("She", "person", "PRON"),
        ("the room", "place", "NOM"),
    ]
    assert [m.entity for m in document.mentions] == ["e1", "e1", "e2"]
    assert document.sentences == (0, 23)


def test_brat_documents(tmp_path):
    (tmp_path / "d.txt").write_text(TEXT)
    notes = "T1\tPerson 0 7\tAnn Lee\nR1\tCoref Arg1:T1 Arg2:T2\nT2\tPerson 15 18\tShe\n"
    (tmp_path / "d.ann").write_text(notes)
    for name in ("d.ann", "d.txt"):
        (document,) = read_documents(tmp_path / name)
        assert spans(document) == [("Ann Lee", "Person", ""), ("She", "Person", "")]
    both = [str(tmp_path / "d.ann"), str(tmp_path / "d.txt")]
    assert list_paths(both) == [tmp_path / "d.ann"]


def refuse(tmp_path, name, content, sentence):
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(InputError, match=sentence) as caught:
        read_documents(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("d.doc", "x", "unknown format"),
        ("d.json", "", "is empty"),
        ("d.json", "{", "no JSON"),
        ("d.json", '{"text": "Ann"}', "no list of mentions"),
        ("d.json", '{"mentions": []}', "no text"),
        ("d.json", '{"text": "Ann", "mentions": []}', "no mentions"),
        ("d.json", '{"text": "", "mentions": [{"start": 0, "end": 1}]}', "no text"),
        ("d.json", '{"text": "Ann", "mentions": [{"start": 0}]}', "start and end"),
        ("d.json", '{"text": "Ann", "mentions": [{"start": 0, "end": 9}]}', "outside the text"),
        (
            "d.json",
            '{"text": "Ann Lee", "mentions": [{"start": 0, "end": 5}, {"start": 4, "end": 7}]}',
            "overlap without one inside",
        ),
        ("d.txt", "Ann spoke.", "has no d.ann beside it"),
        ("d.conllu", "1\tAnn\n", "columns"),
        ("d.conllu", CONLLU.replace("Entity=(e1-person-1-\n", "_\n"), "which no word opens"),
        ("d.conllu", "\n".join(CONLLU.splitlines()[2:3]), "has no mentions"),
        ("d.conllu", CONLLU.replace("5\tspeak", "x\tspeak"), "the word number 'x'"),
        ("d.conllu", CONLLU.replace("3-4", "3-999999999"), "the word number '3-999999999'"),
        ("d.json", "[" * 100_000, "no JSON"),
        ("d.json", f'{{"text": "Ann", "mentions": [{{"start": {"9" * 5000}}}]}}', "no JSON"),
        ("d.json", '{"text": "\\ud800", "mentions": [{"start": 0, "end": 1}]}', "surrogate"),
    ],
)
def test_bad_files_are_refused_in_one_sentence(tmp_path, name, content, sentence):
    refuse(tmp_path, name, content, sentence)


def test_other_line_separators_are_part_of_a_text(tmp_path):
    path = tmp_path / "d.jsonl"
    item = {"text": "Ann\u2028 left.", "mentions": [{"start": 0, "end": 3}]}
    path.write_text(json.dumps(item, ensure_ascii=False) + "\n")
    assert read_documents(path)[0].text == item["text"]


def test_a_broken_annotation_is_named(tmp_path):
    (tmp_path / "d.txt").write_text(TEXT)
    refuse(tmp_path, "d.ann", "T1\tPerson zero 7\tAnn", "line 1: 'T1")
    refuse(tmp_path, "d.ann", "T1\tPerson 0 3;4\tAnn Lee", "line 1: 'T1")
    refuse(tmp_path, "d.ann", "T1\tPerson 0 700\tAnn", "outside the text")


def test_a_quotation_that_differs_from_the_text_is_refused(tmp_path):
    (tmp_path / "d.txt").write_text(TEXT)
    shifted = "T1\tPerson 0 7\tAnn Lee\nT2\tPerson 14 17\tShe\n"
    refuse(tmp_path, "d.ann", shifted, "d.ann, line 2: the annotation quotes 'She', but .* 'Sh'")
    refuse(tmp_path, "d.ann", "T1\tPerson 0 3;15 18\tAnn he", "quotes 'Ann he', .* 'Ann She'")
    refuse(tmp_path, "d.ann", "T1\tPerson 0 3\t", "quotes '', .* 'Ann'")


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("Ann\nLee left.", "T1\tPerson 0 7\tAnn Lee\n"),
        ("Ann\r\nLee left.", "T1\tPerson 0 8\tAnn  Lee\r\n"),
        ("Ann and Bo Lee left.", "T1\tPerson 0 3;11 14\tAnn Lee\n"),
        ("Ann\nLee left.", "T1\tPerson 0 3;4 7\tAnn Lee\n"),
        ("Ann\u00a0Lee left.", "T1\tPerson 0 7\tAnn\u00a0Lee\n"),
    ],
)
def test_a_quotation_has_spaces_for_line_breaks_and_between_parts(tmp_path, text, note):
    (tmp_path / "d.txt").write_bytes(text.encode())
    (tmp_path / "d.ann").write_bytes(note.encode())
    (document,) = read_documents(tmp_path / "d.ann")
    assert document.mentions[0].start == 0
    assert document.mentions[0].end == int(note.split("\t")[1].split()[-1])


def test_other_objects_are_refused():
    with pytest.raises(InputError, match="a int is no document"):
        read_documents([3])
    with pytest.raises(InputError, match="no document"):
        read_documents([])
