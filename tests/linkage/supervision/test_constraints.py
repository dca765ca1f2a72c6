"""Constraints: what is refused, and that every draw obeys."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from partita import sample
from partita.data import read
from partita.errors import InputError
from partita.factors import Model, affinity
from partita.linkage.numbering import Numbering
from partita.linkage.pairwise.source_rates import SourceRates
from partita.linkage.supervision.constraints import (
    FORBIDDEN,
    Constraints,
    limit_further,
    read_constraints,
)
from partita.proposals import gibbs_neighbour, mixture, split_merge_neighbour
from partita.states import Partition

HEADER = "id_l,id_r,constraint,weight\n"


@pytest.fixture
def records():
    return read([{"id": k, "name": f"name {k}"} for k in range(1, 9)])


def given(tmp_path, *lines, header=HEADER):
    path = tmp_path / "constraints.csv"
    path.write_text(header + "".join(f"{line}\n" for line in lines))
    return path


def stated(*rows, **more):
    return [dict(zip(("id_l", "id_r", "constraint"), row, strict=True), **more) for row in rows]


def test_a_file_of_hard_and_soft_constraints(tmp_path, records):
    found = read_constraints(given(tmp_path, "3,1,must,", "2, 5,cannot,1.5"), records)
    assert found.pairs.tolist() == [[0, 2], [1, 4]]
    assert found.must.tolist() == [True, False]
    assert found.weight.tolist() == [np.inf, 1.5]
    assert found.rows.tolist() == [0, 1, 2, 4]


@pytest.mark.parametrize("suffix", ["parquet", "jsonl"])
def test_other_files_and_other_names_of_the_ids(tmp_path, records, suffix):
    table = pa.table({"unique_id_l": [1], "unique_id_r": [2], "constraint": ["same"]})
    path = tmp_path / f"constraints.{suffix}"
    if suffix == "parquet":
        pq.write_table(table, path)
    else:
        path.write_text('{"unique_id_l": 1, "unique_id_r": 2, "constraint": "same"}\n')
    found = read_constraints(path, records)
    assert found.pairs.tolist() == [[0, 1]] and found.must.all() and found.hard.all()


@pytest.mark.parametrize(
    ("word", "must"),
    [("must-link", True), ("must_link", True), ("Must", True), ("different", False)],
)
def test_words_that_mean_the_same(records, word, must):
    assert read_constraints(stated((1, 2, word)), records).must.tolist() == [must]


def test_a_frame_with_empty_weights(records):
    frame = pd.DataFrame(stated((1, 2, "must"), (3, 4, "cannot"))).assign(weight=[2.0, np.nan])
    assert read_constraints(frame, records).weight.tolist() == [2.0, np.inf]


def test_nothing_is_no_constraint(tmp_path, records):
    empty, none = tmp_path / "empty.csv", tmp_path / "none.parquet"
    empty.write_text("")
    pq.write_table(pa.table({"id_l": pa.array([], pa.string())}), none)
    for one in (None, [], empty, none, given(tmp_path)):
        found = read_constraints(one, records)
        assert len(found) == 0 and found.rows.size == 0
        assert found.on(Numbering.by_key(np.arange(8), np.arange(8))) == ((), found.pairs)
        assert found.broken(np.zeros(8, int)) == []
        assert found.feasible(np.array([3, 3, 1])).tolist() == [1, 1, 0]


def test_a_file_of_labels_will_do(tmp_path, records):
    lines = ("3,1,match", "2,5,unsure", "4,2,non-match", "5,6,0")
    header = "unique_id_l,unique_id_r,label\n"
    found = read_constraints(given(tmp_path, *lines, header=header), records)
    assert found.pairs.tolist() == [[0, 2], [1, 3], [4, 5]]
    assert found.must.tolist() == [True, False, False] and found.hard.all()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("1,99,must,", "line 2 of .*constraints.csv names the record '99', which the data"),
        ("4,4,must,", "pairs the record '4' with itself"),
        ("1,2,maybe,", "line 2 of .*constraints.csv has the label 'maybe'; write 'must' or"),
        ("1,2,,", "line 2 .* has the label ''"),
        ("1,2,must,0", "the weight '0'"),
        ("1,2,must,-1", "the weight '-1'"),
        ("1,2,must,nan", "the weight 'nan'"),
        ("1,2,must,much", "the weight 'much'"),
        (",2,must,", "line 2 .* has no id_l; fill it in"),
    ],
)
def test_what_cannot_be_is_refused(tmp_path, records, line, message):
    with pytest.raises(InputError, match=message) as error:
        read_constraints(given(tmp_path, line), records)
    assert "\n" not in str(error.value)


def test_a_missing_column_and_a_missing_file(tmp_path, records):
    with pytest.raises(InputError, match=r"no column 'label' or .*; there are id_l, id_r"):
        read_constraints(given(tmp_path, "1,2", header="id_l,id_r\n"), records)
    with pytest.raises(InputError, match="there is no file"):
        read_constraints(tmp_path / "none.csv", records)


def test_a_contradiction_through_others_is_refused(records):
    with pytest.raises(InputError, match="records '1' and '4' cannot be one entity"):
        read_constraints(
            stated((1, 2, "must"), (4, 1, "cannot"), (3, 2, "must"), (3, 4, "must")), records
        )
    with pytest.raises(InputError, match="records '1' and '2' cannot"):
        read_constraints(stated((1, 2, "must"), (2, 1, "cannot")), records)


def test_soft_constraints_may_disagree_and_add_up(records):
    soft = stated((1, 2, "must"), (2, 1, "must"), (1, 2, "cannot"), weight=2.0)
    found = read_constraints(soft, records)
    assert found.pairs.tolist() == [[0, 1]]
    assert found.must.tolist() == [True] and found.weight.tolist() == [2.0]
    settled = read_constraints(soft + stated((1, 2, "cannot")), records)
    assert settled.must.tolist() == [False] and settled.hard.tolist() == [True]
    assert len(read_constraints(soft[1:], records)) == 0


@pytest.fixture
def two_sources():
    names = [{"id": k, "name": f"name {k}"} for k in range(3)]
    return read({"left": names, "right": names})


def test_sources_that_share_ids(two_sources):
    pair = {"id_l": 1, "id_r": 1, "constraint": "must"}
    found = read_constraints([{**pair, "source_l": "left", "source_r": "right"}], two_sources)
    assert found.pairs.tolist() == [[1, 4]]
    with pytest.raises(InputError, match="constraint 1 names the record '1', which is in several"):
        read_constraints([pair], two_sources)
    with pytest.raises(InputError, match="names the source 'middle'"):
        read_constraints([{**pair, "source_l": "middle", "source_r": "left"}], two_sources)


def test_a_must_inside_a_source_contradicts_one_to_one(two_sources):
    sides = {"source_l": "left", "source_r": "right"}
    musts = [{"id_l": k, "id_r": 2, "constraint": "must", **sides} for k in (0, 1)]
    assert len(read_constraints(musts, two_sources)) == 2
    assert len(read_constraints(musts[:1], two_sources, two_sources.sources)) == 1
    with pytest.raises(InputError, match="'0' and '1' must be one entity, but both are"):
        read_constraints(musts, two_sources, two_sources.sources)


def of(must=(), cannot=(), weight=np.inf):
    pairs = np.array([*must, *cannot], np.int64).reshape(-1, 2)
    return Constraints(pairs, np.arange(len(pairs)) < len(must), np.full(len(pairs), weight, float))


def test_broken_names_the_hard_ones():
    found = of([(0, 1)], [(2, 3)])
    assert found.broken(np.array([0, 1, 2, 2])) == [(0, 1, "must"), (2, 3, "cannot")]
    assert found.broken(np.array([0, 0, 1, 2])) == []
    assert of([(0, 1)], weight=3.0).broken(np.array([0, 1])) == []


def test_feasible_merges_and_takes_apart():
    rng = np.random.default_rng(5)
    source = rng.integers(0, 6, 60)
    for _ in range(20):
        # a hidden partition that obeys gives constraints that can be met
        hidden = rng.integers(0, 25, 60)
        _, first = np.unique(np.stack([hidden, source], 1), axis=0, return_index=True)
        hidden[np.setdiff1d(np.arange(60), first)] = 100 + np.setdiff1d(np.arange(60), first)
        pairs = rng.integers(0, 60, (60, 2))
        pairs = pairs[pairs[:, 0] != pairs[:, 1]]
        same = hidden[pairs[:, 0]] == hidden[pairs[:, 1]]
        ruled = of(pairs[same], pairs[~same])
        labels = rng.integers(0, 8, 60)
        found = ruled.feasible(labels)
        assert ruled.broken(found) == []
        apart = ruled.feasible(labels, source=source)
        assert ruled.broken(apart) == []
        kept = np.unique(np.stack([apart, source], 1), axis=0)
        assert len(kept) == 60
        assert np.array_equal(ruled.feasible(hidden), np.unique(hidden, return_inverse=True)[1])


def test_feasible_in_another_numbering():
    place = Numbering(np.array([-1, 1, 0, -1, 2]), np.array([2, 1, 4]))
    found = of([(1, 2)], [(2, 4)]).feasible(np.array([0, 1, 0]), place)
    assert found[0] == found[1] != found[2]


def problem(n=12, seed=3):
    """Pairs that draw together whatever is allowed."""
    rng = np.random.default_rng(seed)
    pairs = np.stack(np.triu_indices(n, 1), 1)
    return pairs, rng.normal(0.2, 0.8, len(pairs))


def drawn(model, start, pairs, n, seed=1):
    proposal = mixture([gibbs_neighbour(pairs, n), split_merge_neighbour(pairs, n)], [0.6, 0.4])
    found = sample(
        model,
        start,
        proposal=proposal,
        draws=300,
        tune=0,
        chains=2,
        random_seed=seed,
        progressbar=False,
    )
    return found.draws.reshape(-1, n)


@pytest.mark.compiled
def test_no_draw_breaks_a_hard_constraint():
    pairs, scores = problem()
    ruled = of([(0, 1), (1, 2), (5, 6)], [(2, 3), (3, 4), (7, 0)])
    templates, required = ruled.on(Numbering.by_key(np.arange(12), np.arange(12)))
    assert required.tolist() == [[0, 1], [1, 2], [5, 6]]
    start = ruled.feasible(np.zeros(12, int))
    draws = drawn(Model(affinity(pairs, scores, 12), *templates), Partition.of(start), pairs, 12)
    assert all(ruled.broken(draw) == [] for draw in draws)
    assert len(np.unique(draws, axis=0)) > 20
    free = drawn(Model(affinity(pairs, scores, 12)), Partition.of(start), pairs, 12)
    assert any(ruled.broken(draw) for draw in free)


@pytest.mark.compiled
@pytest.mark.parametrize("sources", [3, 12])
def test_no_draw_has_a_source_twice(sources):
    pairs, scores = problem()
    source = np.arange(12) % sources if sources < 12 else np.array([0, 0, *range(1, 11)])
    start = Partition.of(of().feasible(np.zeros(12, int), source=source))
    model = Model(affinity(pairs, scores, 12), limit_further(None, source, np.arange(12)))
    draws = drawn(model, start, pairs, 12)
    for draw in draws:
        assert len(np.unique(np.stack([draw, source], 1), axis=0)) == 12
    assert len(np.unique(draws, axis=0)) > 20


def test_further_records_cost_all_but_the_dearest():
    source, exclusive = np.array([0, 0, 1, 1]), np.array([0, 0, -1, -1])
    none = np.zeros(4)
    rates = SourceRates(("a", "b"), source, none[:2], none[:2], np.array([1.0, 1.0, 2.0, 0.5]))
    assert limit_further(None, None, np.arange(4)) is None
    found = limit_further(rates, exclusive, np.arange(4))
    assert found.table.cost.tolist() == [FORBIDDEN, FORBIDDEN, 2.0, 0.5]
    assert found.table.source.tolist() == [0, 0, 1, 1]


@pytest.mark.compiled
@pytest.mark.parametrize(("must", "score"), [(True, -1.0), (False, 0.7)])
def test_a_soft_constraint_shifts_the_log_odds_by_its_weight(must, score):
    pair = [(0, 1)]
    ruled = of(pair, weight=1.3) if must else of((), pair, weight=1.3)
    templates, _ = ruled.on(Numbering.by_key(np.arange(2), np.arange(2)))
    found = sample(
        Model(affinity(pair, [score], 2), *templates),
        Partition.singletons(2),
        draws=20_000,
        tune=10,
        chains=1,
        random_seed=4,
        progressbar=False,
    )
    expected = 1 / (1 + np.exp(-(score + (1.3 if must else -1.3))))
    assert found.p_same(pair)[0] == pytest.approx(expected, abs=0.015)
