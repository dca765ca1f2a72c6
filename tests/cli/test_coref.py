"""`partita coref` on generated documents."""

import csv
import json

import pytest

from partita.kernel import interpreted
from tests.cli.running import refused, told
from tests.text.coreference.generated import FIRST, LAST, make_documents

pytestmark = pytest.mark.skipif(interpreted(), reason="whole runs are compiled only")


def write_documents(folder):
    path = folder / "documents.jsonl"
    with path.open("w") as file:
        for document in make_documents(4):
            mentions = [
                {"start": m.start, "end": m.end, "type": m.type, "entity": m.entity}
                for m in document.mentions
            ]
            item = {"doc": document.name, "text": document.text, "mentions": mentions}
            file.write(json.dumps(item) + "\n")
    return path


def write_base(folder):
    base, aliases = folder / "people.csv", folder / "aliases.csv"
    people = [(f"{a}_{b}", a, b) for a in FIRST for b in LAST]
    rows = [["id", "name"], *([id, f"{a} {b}"] for id, a, b in people)]
    more = [["alias_of", "name"], *([id, b] for id, a, b in people)]
    for path, table in ((base, rows), (aliases, more)):
        with path.open("w", newline="") as file:
            csv.writer(file).writerows(table)
    return base, aliases


def test_mentions_get_entities_and_links(tmp_path):
    documents, (base, aliases) = write_documents(tmp_path), write_base(tmp_path)
    out = tmp_path / "entities.csv"
    summary = told(
        *("coref", documents, "--out", out, "--to", base, "--aliases", aliases, "--draws", 10)
    )
    assert (summary["documents"], summary["mentions"]) == (4, 48)
    assert 4 < summary["entities"] < 30 and summary["linked"] > 0
    with out.open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 48
    assert rows[0]["entity"] == "made 0:1" and 0 <= float(rows[0]["p_entity"]) <= 1
    full = [row for row in rows if " " in row["text"]]
    right = [row["link"] == row["text"].replace(" ", "_") for row in full]
    assert sum(right) > 0.8 * len(right)


def test_entities_are_found_without_a_knowledge_base(tmp_path):
    out = tmp_path / "entities.csv"
    summary = told("coref", write_documents(tmp_path), "--out", out, "--draws", 10)
    assert "linked" not in summary
    assert "link" not in out.read_text().splitlines()[0].split(",")


def test_bad_input_is_one_sentence(tmp_path):
    documents, (base, aliases) = write_documents(tmp_path), write_base(tmp_path)
    out = tmp_path / "entities.csv"
    outside = tmp_path / "outside.json"
    outside.write_text('{"text": "Ann", "mentions": [{"start": 0, "end": 40}]}')
    assert "outside the text" in refused("coref", outside, "--out", out)
    (tmp_path / "shifted.txt").write_text("Ann Lee spoke. She left.")
    notes = tmp_path / "shifted.ann"
    notes.write_text("T1\tPerson 1 8\tAnn Lee\n")
    assert "quotes 'Ann Lee'" in refused("coref", notes, "--out", out)
    assert "unknown format" in refused("coref", tmp_path / "a.pdf", "--out", out)
    assert "--to" in refused("coref", documents, "--out", out, "--aliases", aliases)
    no_id = tmp_path / "no_id.csv"
    no_id.write_text("name\nAnn Lee\n")
    assert "--to-id" in refused("coref", documents, "--out", out, "--to", no_id)
    no_name = tmp_path / "no_name.csv"
    no_name.write_text("id,colour\n1,red\n2,blue\n")
    assert "--name" in refused("coref", documents, "--out", out, "--to", no_name)
    cycle = tmp_path / "cycle.csv"
    cycle.write_text("id,alias_of,name\nx,y,Ann\ny,x,Anna\n")
    text = refused("coref", documents, "--out", out, "--to", base, "--aliases", cycle)
    assert "form a cycle" in text
    assert not out.exists()
