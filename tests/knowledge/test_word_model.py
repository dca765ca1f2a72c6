"""The model of words, on generated posts about generated shops."""

import math
from itertools import permutations

import numpy as np
import pytest

import partita
from partita.errors import InputError
from partita.knowledge import word_model
from partita.knowledge.word_cells import RecordWords, find_spellings, list_cells
from partita.knowledge.word_model import fit_word_model

# no kernels of its own: everything here is NumPy
pytestmark = pytest.mark.compiled

BRANDS = (
    *("arden", "bellow", "carver", "dorset", "eastman", "fulton"),
    *("garrick", "holmes", "ilford", "jarvis", "keswick"),
)
SIGNS = (
    *("anchor", "bell", "crown", "dragon", "eagle", "fountain"),
    *("gate", "hart", "lion", "mill", "oak", "plough"),
    *("rose", "star"),
)
TOWNS = {"northport": "nport", "redwater": "rw", "silverton": "silverton", "oakdale": "okdale"}
KINDS = ("bakery", "garage", "library")
CHATTER = (
    *("today", "cheap", "visit", "friend", "opened", "queue"),
    *("great", "never", "lunch", "parking", "sunday", "again"),
)


def write_posts(n=400, seed=3):
    """Shops with a name, a kind and a town, and posts that abbreviate and leave words out."""
    rng = np.random.default_rng(seed)
    towns = list(TOWNS)
    shops = [
        {
            "id": f"S{k}",
            "text": f"{BRANDS[k % 11]} {SIGNS[k * 5 % 14]} {KINDS[k % 3]} {towns[k % 4]}",
        }
        for k in range(40)
    ]
    rows, truth = [], []
    for _ in range(n):
        words = list(rng.choice(CHATTER, int(rng.integers(2, 5)), replace=False))
        shop = shops[int(rng.integers(len(shops)))] if rng.random() < 0.8 else None
        if shop is None:
            words += [str(rng.choice(list(TOWNS)))] if rng.random() < 0.5 else []
        else:
            brand, sign, kind, town = shop["text"].split()
            short = TOWNS[town] if rng.random() < 0.7 else town
            words += [brand, sign, short] + ([kind] if rng.random() < 0.3 else [])
        rows.append({"text": " ".join(rng.permutation(words))})
        truth.append(shop and shop["id"])
    return rows, shops, truth


@pytest.fixture(scope="module")
def posts():
    rows, shops, truth = write_posts()
    return partita.link(rows, to=shops, seed=1), rows, shops, truth


def test_posts_are_linked_by_their_words(posts):
    result, _, _, truth = posts
    links = [row["link"] for row in result.table()]
    right = np.array([a == b for a, b in zip(links, truth, strict=True)])
    assert result.reading.name == "words"
    assert right.mean() > 0.95
    nil = np.array([row["p_nil"] for row in result.table()])
    p = np.array([row["p_link"] or 0.0 for row in result.table()])
    assert abs(np.maximum(p, nil).mean() - right.mean()) < 0.04


def test_abbreviations_and_omissions_are_learned(posts):
    model = posts[0].words
    number = {text: k for k, text in enumerate(model.words.texts)}
    key = model.words.pair_keys(np.array([number["northport"]]), np.array([number["nport"]]))
    place = np.searchsorted(model.keys, key)
    assert model.rates.spelling[place][0] == pytest.approx(0.7, abs=0.15)
    mentions = model.rates.mentions
    assert mentions[number["arden"]] > 0.8
    assert mentions[number["bakery"]] == pytest.approx(0.3, abs=0.15)


def score_slowly(model, row, record):
    """s of one row and one record by the formula, word by word."""
    words, rates = model.words, model.rates
    size = len(words.texts)
    chance = dict(zip(model.keys.tolist(), rates.spelling.tolist(), strict=True))
    own = words.word[words.start[row] : words.start[row + 1]].tolist()
    other = words.word[words.start[record] : words.start[record + 1]].tolist()
    total = rates.nil.sum() - rates.free * model.rate.sum()
    total += sum(math.log(rates.free * model.rate[w] / rates.nil[w]) for w in own)
    for v in other:
        inside = 0.0
        for w in own:
            t = {u: chance.get(u * size + w, 0.0) for u in other}
            claims = sum(rates.mentions[u] * t[u] for u in other)
            share = rates.mentions[v] * t[v] / claims if claims else 0.0
            inside += share * t[v] / (rates.free * model.rate[w])
        total += math.log(1 - rates.mentions[v] + rates.mentions[v] * inside)
    return total + math.log(rates.popularity[record - model.first])


def test_scores_equal_the_formula(posts):
    model = posts[0].words
    rng = np.random.default_rng(0)
    records = model.words.start.size - 1
    pairs = np.stack(
        [rng.integers(0, model.first, 60), rng.integers(model.first, records, 60)], axis=1
    )
    slow = [score_slowly(model, *pair) for pair in pairs.tolist()]
    assert model.score(pairs) == pytest.approx(slow, abs=1e-9)


def test_the_words_explain_the_score(posts):
    result, _, _, truth = posts
    row = next(k for k, answer in enumerate(truth) if answer)
    found = result.explain(row)
    assert found.together
    assert sum(part.bits for part in found.rows) == pytest.approx(found.match_weight)
    assert sum(part.bits for part in found.entity_rows) == pytest.approx(found.match_weight)
    assert {part.level for part in found.rows[2:-1]} <= {"same", "spelling", "not mentioned"}


def test_slices_and_samples_change_little(posts, monkeypatch):
    result, rows, shops, truth = posts
    pairs = np.stack([np.arange(50), np.full(50, result.words.first)], axis=1)
    whole = result.words.score(pairs)
    monkeypatch.setattr(word_model, "SLICE_PAIRS", 7)
    monkeypatch.setattr("partita.knowledge.word_cells.SLICE_CELLS", 11)
    assert result.words.score(pairs) == pytest.approx(whole, abs=1e-12)
    monkeypatch.undo()
    monkeypatch.setattr(word_model, "MAX_PAIRS_FITTED", 8_000)
    sampled = [row["link"] for row in partita.link(rows, to=shops, seed=1).table()]
    assert np.mean([a == b for a, b in zip(sampled, truth, strict=True)]) > 0.9


def test_rows_without_words_have_no_link(posts):
    _, rows, shops, _ = posts
    result = partita.link([*rows, {"text": None}, {"text": "zzz"}], to=shops, seed=1)
    assert [row["link"] for row in result.table()][-2:] == [None, None]


def test_rows_and_records_without_words_have_no_candidates(posts):
    before, rows, shops, _ = posts
    empty = [{"text": None}, {"text": ""}, {"text": None}]
    result = partita.link([*rows, *empty], to=[*shops, {"id": "none", "text": None}], seed=1)
    table = result.table()
    assert [(row["link"], row["p_nil"]) for row in table[-3:]] == [(None, 1.0)] * 3
    assert not result.candidates.scores[:, [len(shops)]].nnz
    assert not result.explain(len(rows), "S0").compared
    # rows without words are left out of the fit
    assert result.words.rate == pytest.approx(before.words.rate)
    assert result.words.share == pytest.approx(before.words.share, abs=0.01)


def test_only_candidates_were_compared(posts, monkeypatch):
    _, rows, shops, _ = posts
    monkeypatch.setattr("partita.knowledge.linking.MAX_ALL_PAIRS", 0)
    result = partita.link(rows, to=shops, seed=1)
    blocked = set(map(tuple, result.blocking.pairs.tolist()))
    first, n = result.words.first, len(shops)
    row = int(result.distinct_ids[0])
    absent = [k for k in range(n) if (row, first + k) not in blocked]
    assert absent
    assert not result.explain(0, shops[absent[0]]["id"]).compared
    assert result.explain(0, shops[result.ranked.records[row, 0]]["id"]).compared


def test_spellings_of_a_word():
    texts = ["northport", "nport", "n", "northprt", "nothing", "n2", "port"]
    one = np.arange(len(texts))
    words = RecordWords(np.array([0, *(one + 1)]), one, texts)
    pairs = np.stack([one, np.zeros(len(texts), np.int64)], axis=1)
    keys = find_spellings(words, pairs)
    found = [texts[w] for v, w in zip(*np.divmod(keys, len(texts)), strict=True) if v == 0]
    assert found == ["northport", "nport", "n", "northprt"]
    cells = list_cells(words, keys, pairs)
    assert cells.pair.tolist() == [0, 1, 2, 3]


def test_a_reference_without_rows_in_common_links_nothing():
    texts = ["red", "blue"]
    words = RecordWords(np.array([0, 1, 2]), np.array([0, 1]), texts)
    model = fit_word_model(words, np.zeros((0, 2), np.int64), np.array([1]), np.array([0]))
    assert model.share < 0.9
    assert np.isfinite(model.score(np.array([[0, 1]]))).all()


def test_aliases_count_as_forms_of_a_record(posts):
    _, rows, shops, _ = posts
    aliases = [{"alias_of": "S0", "text": "quux emporium"}]
    result = partita.link([*rows, {"text": "quux emporium"}], to=shops, aliases=aliases, seed=1)
    assert result.table()[-1]["link"] == "S0"


def test_aliases_leave_the_popularity_of_a_record(posts):
    before, rows, shops, truth = posts
    # five more forms of half of the shops: the words in other orders, and one more word
    aliases = [
        {"alias_of": shop["id"], "text": " ".join([*np.roll(shop["text"].split(), k), *more])}
        for shop in shops[::2]
        for k, more in enumerate([(), (), (), ("street",), ("house",)])
    ]
    result = partita.link(rows, to=shops, aliases=aliases, seed=1)
    assert result.words.rates.popularity.size == len(shops)
    assert result.words.rates.popularity == pytest.approx(
        before.words.rates.popularity, rel=0.2, abs=0.002
    )
    known = {shop["id"] for shop in shops[::2]}
    table = result.table()
    for is_known in (True, False):
        part = [k for k, answer in enumerate(truth) if answer and (answer in known) == is_known]
        assert np.mean([table[k]["link"] == truth[k] for k in part]) > 0.95
    nil = [row["p_nil"] for row in table]
    assert np.mean(nil) == pytest.approx(np.mean([r["p_nil"] for r in before.table()]), abs=0.02)


def test_a_record_with_aliases_is_as_likely_as_one_without(posts):
    _, rows, shops, _ = posts
    twins = [
        {"id": f"T{k}", "text": f"quux emporium {town}"}
        for k, town in enumerate(("northport", "redwater"))
    ]
    named = [{"text": f"{word} {shop['text']}"} for shop in twins for word in CHATTER]
    open_rows = [{"text": f"{word} quux emporium"} for word in CHATTER]
    orders = list(permutations(twins[0]["text"].split()))[1:]
    aliases = [{"alias_of": "T0", "text": " ".join(words)} for words in orders]
    data, to = [*rows, *named, *open_rows], [*shops, *twins]
    without = partita.link(data, to=to, seed=1)
    result = partita.link(data, to=to, aliases=aliases, seed=1)
    for row in range(len(data) - len(open_rows), len(data)):
        assert 0.3 < without.p_link(row, "T0") < 0.7
        assert result.p_link(row, "T0") == pytest.approx(without.p_link(row, "T0"), abs=0.01)


def test_reading_by_words_can_be_required_for_links_only():
    rows, shops, truth = write_posts(200)
    columns = [dict(zip(("a", "b"), row["text"].split(" ", 1), strict=True)) for row in rows]
    to = [
        {"id": shop["id"], "a": shop["text"].split()[0], "b": shop["text"].split(" ", 1)[1]}
        for shop in shops
    ]
    result = partita.link(columns, to=to, reading="words", seed=1)
    assert result.summary()["why_reading"] == "the settings require it"
    links = [row["link"] for row in result.table()]
    assert np.mean([a == b for a, b in zip(links, truth, strict=True)]) > 0.85
    with pytest.raises(InputError, match="leave it out, or use link"):
        partita.resolve(rows, reading="words")


def test_few_rows_are_not_read_by_words():
    rows, shops, _ = write_posts(60)
    assert partita.link(rows, to=shops, seed=1).reading.name != "words"
