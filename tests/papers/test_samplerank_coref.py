"""Table 1 of SAMPLERANK: mentions as read, features of moves against a naive count, a small run."""

from collections import Counter
from zlib import crc32

import numpy as np
import pytest

from papers.samplerank import coreference, table1
from papers.samplerank.mentions import corpus
from partita import Partition
from partita.estimators import exact
from partita.kernel import interpreted
from partita.proposals import move_to_entity, split_merge
from partita.proposals.canopies import one_canopy
from partita.walks import compile_chain, start_chain
from partita.walks.chain import total_statistics
from tests.papers.tiny_data import write_documents


def written(tmp_path, monkeypatch, documents=6):
    write_documents(tmp_path, documents)
    monkeypatch.setenv("PARTITA_DATA", str(tmp_path))


def test_mentions_are_read(tmp_path, monkeypatch):
    written(tmp_path, monkeypatch)
    novels, texts = corpus("litbank", None, 10), corpus("gum_coref", None, 10)
    assert len(novels) == len(texts) == 6 and all(len(one.mentions) == 10 for one in novels)
    by = {m.text: m for one in texts for m in one.mentions}
    assert by["she"].form == "PRON" and by["she"].gender == "f" and by["they"].number == "p"
    assert by["ada byron"].form == "PROP" and by["the old house"].form == "NOM"
    assert by["mr. black"].head == "black" and by["mr. black"].gender == "m"
    for one in novels:
        # the first mention has no entity: it is one of its own
        assert (one.entity == one.entity[0]).sum() == 1


def naive(document, entity):
    """Features of a partition, counted from scratch."""
    pairs, sets = np.zeros(coreference.BUCKETS), np.zeros(len(coreference.SET_FEATURES))
    names = list(coreference.SET_FEATURES)
    given = document.mentions
    for e in set(entity.tolist()):
        members = np.flatnonzero(entity == e)
        for x, i in enumerate(members):
            for j in members[x + 1 :]:
                for name in coreference.pair_features(given[i], given[j], j - i):
                    pairs[crc32(name.encode()) % coreference.BUCKETS] += 1
        found = [given[i] for i in members]
        n = len(found)
        size = next(k for k, most in enumerate((1, 2, 3, 6, 12, 10**9)) if n <= most)
        sets[size] += 1
        has = "with" if any(m.form == "PROP" for m in found) else "without"
        sets[names.index(f"{found[0].form}, {has} a name")] += 1
        genders = {m.gender for m in found}
        sets[names.index("masculine and feminine")] += {"m", "f"} <= genders
        sets[names.index("singular and plural")] += len({m.number for m in found}) == 2
        sets[names.index(f"types {min(3, len({m.type for m in found}))}")] += 1
        alike = total = 0
        for form, word in (("PROP", "names"), ("NOM", "nouns")):
            heads = Counter(m.head for m in found if m.form == form)
            sets[names.index(f"heads of {word} {min(3, len(heads))}")] += 1
            alike += sum(c * (c - 1) // 2 for c in heads.values())
            total += heads.total() * (heads.total() - 1) // 2
        if total:
            which = "most" if 2 * alike > total else "few"
            sets[names.index(f"{which} pairs of names and nouns have one head")] += 1
    return np.concatenate([pairs, sets])


@pytest.mark.skipif(interpreted(), reason="too slow without the compiler")
def test_features_of_moves_add_up_to_those_of_a_partition(tmp_path, monkeypatch):
    written(tmp_path, monkeypatch)
    document = corpus("gum_coref", 1, 14)[0]
    model, rng = coreference.model_of(document), np.random.default_rng(1)
    compiled = compile_chain(model, move_to_entity(), exact())
    alone = naive(document, np.arange(14))
    for _ in range(5):
        entity = rng.integers(0, 4, 14)
        found = total_statistics(model, exact(), compiled, Partition.of(entity))
        np.testing.assert_allclose(found, naive(document, entity) - alone)


@pytest.mark.skipif(interpreted(), reason="too slow without the compiler")
def test_blocks_change_what_single_moves_do(tmp_path, monkeypatch):
    from partita.kernel import generators
    from partita.walks.chain import total_score

    written(tmp_path, monkeypatch)
    document = corpus("gum_coref", 1, 14)[0]
    model = coreference.model_of(document)
    model.set_weights(np.random.default_rng(2).normal(size=model.weights.size) * 0.1)
    proposal = split_merge(one_canopy(14))
    compiled = compile_chain(model, proposal, exact())
    start = Partition.of(np.arange(14))
    chain = start_chain(model, start, proposal, rng=generators(0, 1)[0], compiled=compiled)
    chain.run(300)
    assert chain.score == pytest.approx(total_score(model, exact(), compiled, chain.state))


@pytest.mark.skipif(interpreted(), reason="too slow without the compiler")
def test_the_table_runs(tmp_path, monkeypatch):
    written(tmp_path, monkeypatch)
    some = (table1.MIRA, table1.METHODS[3], table1.SHORT)
    monkeypatch.setattr(table1, "METHODS", some)
    rows = table1.run(table1.Size(6, 10, 3, 2, 2, 100, 100), 0)
    assert [row.data for row in rows] == ["litbank"] * 3 + ["gum_coref"] * 3
    assert len(table1.claims(rows)) == 8
    assert rows[0].gap == 0 and all(0 < row.f1 <= 100 for row in rows)


def test_rates_are_chosen_without_the_fold_that_is_tested():
    class Known:
        size = table1.Size(loops=1, seeds=2)
        seeds = table1.Task.seeds

        def learn(self, learner, chosen, loops, seed):
            return (learner, int(chosen[0])), 0.0, 0.0

        def scores(self, weights, chosen, seed):
            learner, k = weights
            return np.array([learner + k + 10.0 * chosen[0] + seed - 2.5])

    method = table1.Method("x", lambda rate: rate, (0.0, 1.0))
    found = table1.Choice(Known(), method, [np.array([k]) for k in range(3)], 1)
    # learned on 1 and tested on 2: 1 + 20; the other way round: 2 + 10
    assert found.without(0) == (1650.0, 1750.0)
    assert found.without(2) == (550.0, 650.0)


def test_claims_are_read_from_the_rows():
    def row(method, f1, gap, seconds):
        return table1.Row(method, "x", f1, 1.0, gap, 0.5, seconds, (1.0,), 0.1)

    mira, short = row(table1.MIRA.name, 80, 0, 1.0), row(table1.SHORT.name, 81, 1, 0.3)
    good = [mira, row("PCD", 75, -5, 3.5), short]
    assert all(table1.claims(good).values())
    bad = [mira, row("PCD", 82, 2, 2.0), short]
    assert not any(table1.claims(bad).values())
