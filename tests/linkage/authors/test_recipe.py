"""The recipe for authors: columns by name, one row for each mention, better than names alone."""

import numpy as np
import pyarrow as pa
import pytest

from partita.data import read
from partita.errors import InputError
from partita.linkage.authors.columns import roles_of
from partita.linkage.authors.mentions import author_mentions
from partita.linkage.authors.recipe import resolve_authors
from partita.metrics import labels_to_codes, pairwise
from partita.scale import Settings
from partita.synthetic import authors

# whole files: their kernels have tests of their own, which are run as plain Python too
pytestmark = pytest.mark.compiled


@pytest.fixture(scope="module")
def table():
    return authors(600, seed=4).table()


@pytest.fixture(scope="module")
def found(table):
    return resolve_authors(table, seed=1, threads=1)


def rows(*names, **others):
    return [{"last": last, "first": first, **others} for first, last in names]


def test_columns_are_known_by_their_names():
    data = [{"Last Name": "a", "given_name": "b", "Journal": "c", "author": 3, "Co-Authors": "d"}]
    roles = roles_of(read(data))
    assert roles == {
        **{"last": "Last Name", "first": "given_name"},
        **{"coauthors": "Co-Authors", "venue": "Journal"},
    }
    assert roles_of(read([{"name": "a b", "title": "c"}])) == {"name": "name", "title": "title"}


def test_without_a_last_name_it_is_said_which_column_is_missing():
    with pytest.raises(InputError, match=r"no column of last names \(last, .*first, title; rename"):
        resolve_authors([{"first": "Ann", "title": "x"}])


def keys_of(data):
    """By record, the keys of each group, as the words of the vocabulary number them."""
    found = author_mentions(read(data, id=False))
    mentions, words = found.mentions, found.mentions.vocabulary
    told = [None] * mentions.size
    for place, row in enumerate(found.row):
        key = mentions.key[mentions.start[place] : mentions.start[place + 1]]
        group = np.searchsorted(words.edges, key, side="right") - 1
        told[row] = {words.names[g]: set(key[group == g].tolist()) for g in np.unique(group)}
    return found, told


def test_names_become_first_initial_and_middle():
    data = [
        *({"name": one} for one in ("Jean-Pierre Roux", "Roux, J. P.", "Jean P. ROUX", "J Roux")),
        *({"name": one} for one in ("Karl Roux", "", None)),
    ]
    found, keys = keys_of(data)
    assert keys[0]["first"] == keys[2]["first"]
    assert "first" not in keys[1]
    assert "middle" in keys[0]
    assert keys[0]["middle_initial"] == keys[1]["middle_initial"] == keys[2]["middle_initial"]
    assert "middle" not in keys[1]
    assert keys[3] is None or keys[3] == {}
    # J Roux, K Roux, and two without a name
    assert sorted(np.diff(found.mentions.canopy).tolist()) == [1, 1, 1, 4]
    assert "2 of 7 mentions have no canopy label" in found.notes[0]


@pytest.mark.parametrize(
    "names", ["Bob Orr; Ann Lee", "Bob Orr and Lee, Ann", "bob q. orr,ann lee"]
)
def test_coauthors_are_keys_by_initial_and_the_mention_itself_is_none(names):
    data = [{"name": "Ann Lee", "authors": names}, {"name": "Cy Day", "authors": names}]
    _, keys = keys_of(data)
    assert len(keys[0]["coauthors"]) == 1
    assert len(keys[1]["coauthors"]) == 2
    assert keys[0]["coauthors"] < keys[1]["coauthors"]


def test_lists_and_missing_values_are_read():
    data = pa.table(
        {
            "last": ["Lee", "Lee", "Lee"],
            "coauthors": [["Bob Orr", "Cy Day"], None, ["B. Orr"]],
            "title": ["Sums of sums", None, "of"],
        }
    )
    _, keys = keys_of(data)
    assert len(keys[0]["coauthors"]) == 2
    assert keys[2]["coauthors"] < keys[0]["coauthors"]
    assert len(keys[0]["title"]) == 1
    assert keys[1] == {} or keys[1] is None
    assert "title" not in keys[2]


def test_first_names_share_out_the_base_measure_of_their_initial():
    data = rows(("Ann", "Lee"), ("Ann", "Lee"), ("Abe", "Lee"), ("Bob", "Lee"))
    words = author_mentions(read(data, id=False)).mentions.vocabulary
    first = slice(int(words.edges[0]), int(words.edges[1]))
    base = np.sort(words.base()[first])
    np.testing.assert_allclose(base / base[-1], [1 / 3, 2 / 3, 1], rtol=1e-3)
    # a name of a short file is rare elsewhere
    assert base[-1] < 0.001


def test_every_mention_is_in_the_result_in_order_without_made_up_probabilities(table, found):
    shown = found.table()
    assert shown.column_names == [*table.column_names, "cluster_id", "p_member", "p_cluster"]
    assert shown.select(table.column_names).equals(table)
    assert shown["p_member"].null_count == shown["p_cluster"].null_count == table.num_rows
    told = found.summary()
    assert told["entities"] == len(set(shown["cluster_id"].to_pylist()))
    assert "does not sample" in told["probabilities"]
    assert told["engine"] == "flat aggregated Dirichlet-multinomial"
    assert f"{told['canopies']} canopies" in told["why_engine"]


def test_it_is_better_than_the_name_alone():
    table = authors(3000, seed=6).table()
    found = resolve_authors(table, ignore="author", threads=1)
    truth = labels_to_codes(table["author"].to_pylist())
    canopy = np.empty(found.records.n, np.int64)
    cuts = found.encoded.mentions.canopy
    canopy[found.encoded.row] = np.repeat(np.arange(cuts.size - 1), np.diff(cuts))
    own, by_name = pairwise(found.labels, truth).f1, pairwise(canopy, truth).f1
    assert own > by_name


def test_threads_do_not_change_the_result(table, found):
    assert np.array_equal(resolve_authors(table, seed=1, threads=2).labels, found.labels)


@pytest.mark.long
def test_a_cluster_finds_what_one_machine_finds(table, found, tmp_path):
    pytest.importorskip("ray", reason="Ray is not installed: pip install partita[ray]")
    there = resolve_authors(table, seed=1, threads=2, engine="ray", folder=tmp_path)
    assert np.array_equal(there.labels, found.labels)
    assert "on Ray" in there.summary()["engine"]
    assert "chosen by the user" in there.summary()["why_engine"]
    assert list(tmp_path.iterdir()) == []


def test_a_canopy_above_the_limit_is_split_with_a_warning(monkeypatch, table):
    module = "partita.linkage.authors.recipe.search_settings"
    monkeypatch.setattr(module, lambda seed, threads: Settings(seed=seed, largest=50))
    everyone = table.append_column("pool", pa.array(["one"] * table.num_rows))
    shown = resolve_authors(everyone, canopies="pool", seed=1, threads=1)
    assert shown.labels.size == table.num_rows
    (told,) = [one for one in shown.summary()["warnings"] if "was split into" in one]
    assert "canopy 0 has 600 mentions" in told
    assert "use narrower canopies" in told


def test_entities_keep_to_a_column_of_canopies():
    data = rows(*[("Ann", "Lee")] * 4, title="the same title of all", venue="V")
    for at, row in enumerate(data):
        row["place"] = f"{at % 2}"
    assert resolve_authors(data, threads=1).labels.tolist() == [0, 0, 0, 0]
    assert resolve_authors(data, canopies="place", threads=1).labels.tolist() == [0, 1, 0, 1]


def test_mentions_without_a_name_stay_alone_and_it_is_said():
    data = rows((None, None), ("Ann", "Lee"), ("", ""), ("Ann", "Lee"), title="of one thing")
    found = resolve_authors(data, threads=1)
    assert found.labels.tolist() == [0, 1, 2, 1]
    warned = found.summary()["warnings"]
    assert any("2 of 4 mentions have no canopy label" in one for one in warned)
    assert any("no column of venue and coauthors" in one for one in warned)


def test_labels_of_some_mentions_teach(table):
    known = [one if at % 2 else None for at, one in enumerate(table["author"].to_pylist())]
    taught = table.append_column("known", pa.array(known))
    found = resolve_authors(taught, truth_column="known", ignore="author", threads=1)
    assert "300 labelled mentions" in found.summary()["engine"]
    again = resolve_authors(taught, truth_column="known", ignore="author", threads=1)
    assert np.array_equal(found.labels, again.labels)
    unlabelled = table.append_column("known", pa.nulls(table.num_rows, pa.string()))
    with pytest.raises(InputError, match="'known' labels no two mentions"):
        resolve_authors(unlabelled, truth_column="known", ignore="author")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"engine": "spark"}, "engine is 'spark'; give one of auto, flat, ray"),
        ({"engine": "flat", "address": "a:1"}, "not at a:1"),
        ({"threads": 0}, "threads"),
        ({"truth_column": "gone"}, "no column 'gone'"),
    ],
)
def test_what_cannot_be_is_refused(options, told):
    with pytest.raises(InputError, match=told):
        resolve_authors(rows(("Ann", "Lee")), **options)


def test_an_earlier_result_is_not_overwritten():
    with pytest.raises(InputError, match="cluster_id"):
        resolve_authors(rows(("Ann", "Lee"), cluster_id=1))
