"""A single column of long texts is compared by groups of its words."""

import pyarrow as pa
import pytest

import partita
from partita.data import read
from partita.errors import InputError
from partita.linkage.config import config_text
from partita.linkage.settings import ColumnSettings
from partita.linkage.word_groups import GROUPS, group_words, parse_group, split_column
from partita.metrics import pairwise
from partita.synthetic import Population, people

# no kernels of its own: those it calls are tested as plain Python where they stand
pytestmark = pytest.mark.compiled

TEXTS = ["Ann Lee, 12 Bath Road, Ely", "Bob Orr, 3 High Street, Bath", None, "Ann"]


@pytest.fixture(scope="module")
def lines():
    """People with all values in one column, and their entities."""
    table = people(400, seed=3, population=Population(household=0.0)).table()
    columns = [name for name in table.column_names if name not in ("unique_id", "entity")]
    rows = table.select(columns).to_pylist()
    text = [" ".join(str(value) for value in row.values() if value) for row in rows]
    records = pa.table({"id": table.column("unique_id"), "line": text})
    return records, table.column("entity").to_pylist()


@pytest.fixture(scope="module")
def resolved(lines):
    return partita.resolve(lines[0], id="id", seed=1, threads=1)


def test_every_word_is_in_one_group():
    column = read(pa.table({"text": TEXTS})).column("text")
    parts = split_column(column, 3)
    assert [part.name for part in parts] == [f"text ({k} of 3)" for k in (1, 2, 3)]
    for row, text in enumerate(TEXTS):
        words = [
            word
            for part in parts
            if part.codes[row] >= 0
            for word in part.values[part.codes[row]].as_py().split()
        ]
        assert sorted(words) == sorted((text or "").lower().replace(",", "").split())
    for part in parts:
        assert part.values.to_pylist() == sorted(part.values.to_pylist())
        assert part.counts.sum() == (part.codes >= 0).sum()


def test_words_of_one_first_letter_share_a_group():
    for text in ("j john johnson", "proc proceedings", "1998 1999 12"):
        groups = [group_words(text, k, GROUPS) for k in range(GROUPS)]
        assert sorted(groups) == [""] * (GROUPS - 1) + [text]
    # letters beyond the Latin alphabet have a group as well
    assert "".join(group_words("улица", k, GROUPS) for k in range(GROUPS)) == "улица"


def test_names_of_groups():
    assert parse_group("text (2 of 3)") == ("text", 1, 3)
    assert parse_group("text (old)") == ("text (old)", 0, 1)


def test_lines_resolve_nearly_as_well_as_columns(lines, resolved):
    assert resolved.settings.columns["line"].word_groups == GROUPS
    assert pairwise(resolved.labels, lines[1]).f1 > 0.9
    whole = partita.resolve(
        lines[0], id="id", seed=1, threads=1, columns={"line": ColumnSettings(word_groups=1)}
    )
    assert whole.settings.columns["line"].word_groups == 1
    assert pairwise(whole.labels, lines[1]).f1 < pairwise(resolved.labels, lines[1]).f1


def test_short_names_and_several_columns_stay_whole():
    names = pa.table({"name": ["Ann Lee", "Bob Orr", "Zoe Quist", "Ann  Lea"]})
    assert partita.resolve(names, seed=1).settings.columns["name"].word_groups is None
    texts = [f"{name} of {k} Long Road in the town of Ely" for k, name in enumerate(["A", "B"] * 4)]
    both = pa.table({"text": texts, "town": ["Ely", "Bath"] * 4})
    settings = partita.resolve(both, seed=1).settings
    assert {column.word_groups for column in settings.columns.values()} == {None}


def test_a_pair_is_explained_by_its_groups(resolved):
    pairs = resolved.record_pairs
    left, right = int(pairs.left[0]), int(pairs.right[0])
    ids = [resolved.names[row].as_py() for row in (left, right)]
    explained = resolved.explain(*ids)
    parts = [part for part in explained.rows if part.label.startswith("line (")]
    assert [part.label for part in parts] == [f"line ({k + 1} of {GROUPS})" for k in range(GROUPS)]
    shown = " ".join(part.left or "" for part in parts).split()
    text = resolved.records.column("line")
    assert sorted(shown) == sorted(text.values[text.codes[left]].as_py().split())


def test_settings_and_model_keep_the_groups(lines, resolved, tmp_path):
    path = tmp_path / "partita.toml"
    path.write_text(config_text(resolved.settings, resolved.profiles))
    assert f"word_groups = {GROUPS}" in path.read_text()
    again = partita.resolve(lines[0], config=path)
    assert again.labels.tolist() == resolved.labels.tolist()
    resolved.save_model(tmp_path / "model.json")
    applied = partita.resolve(lines[0], id="id", seed=1, model=tmp_path / "model.json")
    assert applied.settings.columns["line"].word_groups == GROUPS
    assert pairwise(applied.labels, lines[1]).f1 > 0.9


def test_a_store_compares_groups(lines, tmp_path):
    table, entities = lines
    first = partita.resolve(table.slice(0, 300), id="id", seed=1)
    store = partita.Store.create(first, tmp_path / "s.partita")
    store.add(table.slice(300))
    assert store.check() == []
    exported = store.export()
    label = dict(
        zip(
            exported.column("id").to_pylist(),
            exported.column("cluster_id").to_pylist(),
            strict=True,
        )
    )
    labels = [label[id] for id in table.column("id").to_pylist()]
    assert pairwise(labels, entities).f1 > 0.85
    store.close()


def test_a_wrong_number_of_groups(lines):
    with pytest.raises(InputError, match="0 word_groups; give 1 or more"):
        partita.resolve(lines[0], columns={"line": {"word_groups": 0}})
    with pytest.raises(InputError, match="word_groups is 'two'"):
        partita.resolve(lines[0], columns={"line": {"word_groups": "two"}})
