"""Mention files are detected by their values; other files are not."""

import numpy as np
import pyarrow as pa
import pytest

from partita.data import profile, read
from partita.linkage.authors.detection import find_mentions, key_of_person, split_items
from partita.synthetic import authors, people
from partita.synthetic.companies import companies
from partita.synthetic.products import products


def detect(table):
    records = read(table)
    return find_mentions(records, profile(records))


def whole_names(n=800, seed=1):
    """Generated mentions with one column of whole names."""
    table = authors(n, seed=seed, truth=None).table()
    parts = zip(*(table.column(name).to_pylist() for name in ("first", "last")), strict=True)
    names = [" ".join(filter(None, row)) for row in parts]
    kept = table.drop_columns(["mention_id", "first", "middle", "last"])
    return kept.append_column("name", pa.array(names))


def test_finds_whole_names_and_lists():
    found = detect(whole_names())
    assert found.parts == ("name",)
    assert found.persons == {"coauthors": ";"}
    assert "--mentions off" in found.why


def test_finds_the_parts_of_names():
    found = detect(authors(800, seed=1, truth=None).table().drop_columns(["mention_id"]))
    assert found.parts == ("first", "middle", "last")


def test_does_not_depend_on_the_names_of_columns():
    table = whole_names()
    renamed = table.rename_columns([f"c{k}" for k in range(table.num_columns)])
    assert detect(renamed).parts == (f"c{table.num_columns - 1}",)


def test_prefers_full_names_to_initials():
    table = whole_names()
    names = [name.split() for name in table.column("name").to_pylist()]
    short = pa.array([f"{words[0][0]} {words[-1]}" for words in names])
    assert detect(table.add_column(0, "short", short)).parts == ("name",)


@pytest.mark.parametrize("generate", [people, companies, products])
def test_other_files_are_no_mentions(generate):
    assert detect(generate(400, seed=2).table()) is None


def test_publications_are_no_mentions():
    table = whole_names()
    lists = [
        f"{name}; {others}" if others else name
        for name, others in zip(
            table.column("name").to_pylist(), table.column("coauthors").to_pylist(), strict=True
        )
    ]
    papers = table.drop_columns(["name", "coauthors"]).append_column("authors", pa.array(lists))
    assert detect(papers) is None


def test_duplicate_records_are_no_mentions():
    table = whole_names()
    assert detect(table.take(np.repeat(np.arange(200), 3))) is None


def test_few_records_are_no_mentions():
    assert detect(whole_names().slice(0, 10)) is None


def test_keys_of_persons_ignore_the_order_of_a_name():
    texts = ("Lee, Ann B.", "Ann B. Lee", "ann lee", "LEE A B")
    assert {key_of_person(text) for text in texts} == {"a_lee"}
    assert key_of_person("Plato") == "plato"
    assert key_of_person(" . ") == ""


def test_an_underscore_separates_the_words_of_a_name():
    assert key_of_person("Ann_B._Lee") == key_of_person("ann b lee")


def test_items_are_split_at_the_separator_only():
    assert split_items("Lee, A; ; Orr,  B", ";") == ["Lee, A", "Orr, B"]


def test_names_titles_and_venues_without_lists_are_mentions_by_their_header():
    table = whole_names().drop_columns(["coauthors"])
    found = detect(table)
    assert found.parts == ("name",) and found.persons == {}
    assert "a title in title" in found.why
    assert detect(table.rename_columns([f"c{k}" for k in range(table.num_columns)])) is None


def test_lists_that_share_no_word_with_the_names_need_a_header():
    table = whole_names().drop_columns(["venue"])
    # few names, none of which is in a list
    names = pa.array([f"Zoltan {'Quark' if k % 2 else 'Xylo'}" for k in range(len(table))])
    table = table.set_column(table.column_names.index("name"), "author", names)
    found = detect(table)
    assert found.parts == ("author",)
    assert found.persons == {"coauthors": ";"}
    assert detect(table.rename_columns([f"c{k}" for k in range(table.num_columns)])) is None
    # subjects of books are no persons
    renamed = ["subjects" if name == "coauthors" else name for name in table.column_names]
    assert detect(table.rename_columns(renamed)) is None


def test_mentions_without_titles_are_found():
    assert detect(whole_names().drop_columns(["title"])).persons == {"coauthors": ";"}


def test_venues_are_no_names_even_if_some_lists_have_their_words():
    table = whole_names().drop_columns(["name"])
    venues = pa.array([("Very Large Data", "Data Engineering")[k % 2] for k in range(len(table))])
    lists = table.column("coauthors").to_pylist()
    lists[0], lists[1] = "Very Large Data; Ann Lee", "Data Engineering; Bob Orr"
    papers = table.select(["title"]).append_column("venue", venues)
    assert detect(papers.append_column("authors", pa.array(lists))) is None


def test_titles_of_tracks_are_no_persons():
    random = np.random.default_rng(1)
    words = np.array(
        [
            "the",
            "of",
            "love",
            "night",
            "river",
            "blue",
            "road",
            "dance",
            "heart",
            "fire",
            "rain",
            "sea",
        ]
    )
    artists = [f"{words[k % 12]} {words[k % 11]}" for k in range(40)]
    titles = [" ".join(random.choice(words, random.integers(1, 6))) for _ in range(2000)]
    rows = [
        {
            "artist": artists[random.integers(40)],
            "album": titles[random.integers(2000)],
            "tracks": " | ".join(titles[k] for k in random.integers(0, 2000, 8)),
        }
        for _ in range(400)
    ]
    assert detect(pa.Table.from_pylist(rows)) is None
