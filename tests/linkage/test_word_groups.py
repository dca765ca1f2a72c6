"""A single column of texts is compared by groups of its words."""

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from pyarrow.csv import write_csv
from typer.testing import CliRunner

import partita
from partita.cli import app
from partita.data import read
from partita.errors import InputError
from partita.linkage.config import config_text
from partita.linkage.resolve import profile_columns
from partita.linkage.settings import ColumnSettings, Settings
from partita.linkage.word_groups import GROUP_TITLES, group_words, parse_group, split_column
from partita.metrics import pairwise
from partita.synthetic import Population, people, products

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


@pytest.fixture(scope="module")
def names():
    """People with name and town in one column, and their entities."""
    table = people(1500, seed=5, population=Population(household=0.0)).table()
    columns = [table.column(name).to_pylist() for name in ("given_name", "surname", "city")]
    text = [" ".join(filter(None, row)) for row in zip(*columns, strict=True)]
    records = pa.table({"id": table.column("unique_id"), "name": text})
    return records, table.column("entity").to_pylist()


@pytest.fixture(scope="module")
def shops():
    """Products of two shops with all values in one column, and their entities by id."""
    table = products(800, seed=3, sources=2).table()
    columns = [name for name in table.column_names if name not in ("unique_id", "entity", "source")]
    rows = table.select(columns).to_pylist()
    text = [" ".join(str(value) for value in row.values() if value) for row in rows]
    records = pa.table({"id": table.column("unique_id"), "line": text})
    source = table.column("source")
    files = [records.filter(pc.equal(source, name)) for name in sorted(source.unique().to_pylist())]
    entities = table.column("entity").to_pylist()
    return files, dict(zip(records.column("id").to_pylist(), entities, strict=True))


@pytest.mark.parametrize("kind", GROUP_TITLES)
def test_every_word_is_in_one_group(kind):
    column = read(pa.table({"text": TEXTS})).column("text")
    parts = split_column(column, kind)
    assert [part.name for part in parts] == [f"text ({title})" for title in GROUP_TITLES[kind]]
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
        groups = [group_words(text, "letters", k) for k in range(4)]
        assert sorted(groups) == ["", "", "", text]
    # letters beyond the Latin alphabet have a group as well
    assert "".join(group_words("улица", "letters", k) for k in range(4)) == "улица"


def test_names_of_groups():
    assert parse_group("text (2 of 4)") == ("text", "letters", 1)
    assert parse_group("text (last word)") == ("text", "positions", 2)
    assert parse_group("text (last word)", ["text (last word)"])[0] == "text (last word)"
    assert parse_group("text (old)") == ("text (old)", None, 0)


def test_lines_resolve_nearly_as_well_as_columns(lines, resolved):
    assert resolved.settings.columns["line"].word_groups == "letters"
    assert pairwise(resolved.labels, lines[1]).f1 > 0.9
    whole = partita.resolve(
        lines[0], id="id", seed=1, threads=1, columns={"line": ColumnSettings(word_groups="none")}
    )
    assert whole.settings.columns["line"].word_groups == "none"
    assert pairwise(whole.labels, lines[1]).f1 < pairwise(resolved.labels, lines[1]).f1


def test_positions_divide_names_where_readings_agree(names, tmp_path):
    divided = partita.resolve(names[0], id="id", seed=1, threads=1)
    assert divided.settings.columns["name"].word_groups == "positions"
    assert pairwise(divided.labels, names[1]).f1 > 0.8
    divided.save_model(tmp_path / "model.json")
    applied = partita.resolve(names[0], id="id", seed=1, model=tmp_path / "model.json")
    assert applied.settings.columns["name"].word_groups == "positions"
    assert applied.settings.columns["name"].type == "surname"


def test_settings_leave_the_groups_of_names_open(names, tmp_path):
    records = read(names[0], id="id")
    profiles, chosen = profile_columns(records, Settings())
    assert chosen.columns["name"].word_groups == "auto"
    path = tmp_path / "partita.toml"
    path.write_text(config_text(chosen, profiles))
    again = partita.resolve(names[0], id="id", seed=1, threads=1, config=path)
    assert again.settings.columns["name"].word_groups == "positions"


def test_a_choice_of_the_user_keeps_names_whole(names):
    table = names[0].append_column("town", pa.array(["Ely", "Bath"] * (len(names[0]) // 2)))
    auto = {"type": "full name", "word_groups": "auto"}
    for columns in (
        {"name": {**auto, "role": "block"}, "town": {"role": "compare"}},
        {"name": auto, "town": {"role": "compare"}},
        {"name": {**auto, "comparison": "ExactMatch"}, "town": {"role": "ignore"}},
    ):
        settings = partita.resolve(table, id="id", seed=1, threads=1, columns=columns).settings
        chosen = settings.columns["name"]
        assert chosen.word_groups == "none" and chosen.type == "full name"
        assert chosen.role == columns["name"].get("role", "compare")


def test_families_of_names_and_several_columns_stay_whole():
    colours, kinds = ("red", "blue", "grey", "green", "white", "black"), ("frog", "toad", "newt")
    species = [f"{a} {b} {kind}" for a in colours for b in colours for kind in kinds]
    resolved = partita.resolve(pa.table({"name": [*species, "gray blue newt"]}), seed=1)
    assert resolved.settings.columns["name"].word_groups == "none"
    texts = [f"{name} of {k} Long Road in the town of Ely" for k, name in enumerate(["A", "B"] * 4)]
    both = pa.table({"text": texts, "town": ["Ely", "Bath"] * 4})
    settings = partita.resolve(both, seed=1).settings
    assert {column.word_groups for column in settings.columns.values()} == {None}


def test_linked_texts_stay_whole_where_second_best_candidates_give_the_zero(shops):
    files, entity = shops
    scores = {}
    for groups in ("auto", "letters"):
        columns = None if groups == "auto" else {"line": {"word_groups": groups}}
        linked = partita.resolve(files, id="id", seed=1, threads=1, columns=columns)
        truth = [entity[name] for name in linked.records.ids.to_pylist()]
        scores[linked.settings.columns["line"].word_groups] = pairwise(linked.labels, truth).f1
        if groups == "auto":
            # a model of one column without the prior ranks links worse
            assert "label" not in linked.trust.advice
    assert scores["none"] > max(0.7, scores["letters"])


def test_settings_leave_the_groups_of_linked_texts_open(shops, tmp_path):
    paths = [str(tmp_path / f"{name}.csv") for name in "ab"]
    for path, table in zip(paths, shops[0], strict=True):
        write_csv(table, path)
    out = tmp_path / "partita.toml"
    run = CliRunner().invoke(app, ["init", *paths, "--id", "id", "--out", str(out)])
    assert run.exit_code == 0 and 'word_groups = "auto"' in out.read_text()
    linked = partita.resolve(paths, config=out, seed=1, threads=1)
    assert linked.settings.columns["line"].word_groups == "none"
    # EM does not score these pairs, so that its notes do not matter
    assert not any("EM" in note for note in linked.warnings)


def test_linked_texts_are_divided_where_a_file_is_too_small_for_a_zero(shops):
    files = [shops[0][0], shops[0][1].slice(0, 40)]
    linked = partita.resolve(files, id="id", seed=1, threads=1)
    assert linked.settings.columns["line"].word_groups == "letters"
    for given in ({"one_to_one": False}, {"reading": "pooled"}):
        several = partita.resolve(shops[0], id="id", seed=1, threads=1, **given)
        assert several.settings.columns["line"].word_groups == "letters"
    assert several.reading.name == "pooled"


def test_a_pair_is_explained_by_its_groups(resolved):
    pairs = resolved.record_pairs
    left, right = int(pairs.left[0]), int(pairs.right[0])
    ids = [resolved.names[row].as_py() for row in (left, right)]
    explained = resolved.explain(*ids)
    parts = [part for part in explained.rows if part.label.startswith("line (")]
    assert [part.label for part in parts] == [f"line ({k + 1} of 4)" for k in range(4)]
    shown = " ".join(part.left or "" for part in parts).split()
    text = resolved.records.column("line")
    assert sorted(shown) == sorted(text.values[text.codes[left]].as_py().split())


def test_settings_and_model_keep_the_groups(lines, resolved, tmp_path):
    path = tmp_path / "partita.toml"
    path.write_text(config_text(resolved.settings, resolved.profiles))
    assert 'word_groups = "letters"' in path.read_text()
    again = partita.resolve(lines[0], config=path)
    assert again.labels.tolist() == resolved.labels.tolist()
    resolved.save_model(tmp_path / "model.json")
    applied = partita.resolve(lines[0], id="id", seed=1, model=tmp_path / "model.json")
    assert applied.settings.columns["line"].word_groups == "letters"
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


def test_unknown_groups(lines):
    with pytest.raises(InputError, match="give auto, letters, positions or none"):
        partita.resolve(lines[0], columns={"line": ColumnSettings(word_groups="words")})
    with pytest.raises(InputError, match=r"word_groups is 'letter'; .* do you mean 'letters'"):
        partita.resolve(lines[0], columns={"line": {"word_groups": "letter"}})
