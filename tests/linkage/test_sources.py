"""Further records of an entity in a source: inferred rates, and one task in every form."""

import numpy as np
import pyarrow as pa
import pytest

from partita.linkage.pairwise.source_rates import find_links, infer_rates
from partita.linkage.resolve import resolve
from partita.metrics import pairwise
from partita.synthetic import Population, people

pytestmark = pytest.mark.compiled

BRIEF = {"draws": 4, "tune": 1, "chains": 2, "seed": 1, "threads": 1}
POPULATION = Population(repeat=0.8, largest=10, tail=0.0, household=0.3)
NONE = np.empty((0, 2), np.int64)


def make_sides(most, seed=1, n=3_000):
    """Two files in which an entity has 1 to most[side] records, and the truth of all rows."""
    table, rng = people(n, seed=seed, population=POPULATION).table(), np.random.default_rng(seed)
    entity = np.unique(table.column("entity").to_pylist(), return_inverse=True)[1].reshape(-1)
    side = np.full(len(entity), -1)
    for code in range(entity.max() + 1):
        rows = rng.permutation(np.flatnonzero(entity == code))
        sides = [(0,), (1,), (0, 1)][rng.choice(3, p=[0.15, 0.25, 0.6])]
        for place, own in enumerate(sides):
            taken = rows[place :: len(sides)]
            side[taken[: rng.integers(1, most[own] + 1)]] = own
    table = table.drop_columns(["entity", "unique_id"])
    files = {name: table.filter(pa.array(side == k)) for k, name in enumerate("ab")}
    return files, np.concatenate([entity[side == 0], entity[side == 1]])


@pytest.fixture(scope="module")
def clean():
    files, truth = make_sides((1, 1))
    return files, truth, resolve(files, **BRIEF)


def test_clean_files_have_hardly_a_further_record(clean):
    _, truth, found = clean
    assert found.scored.rates.further.max() < 0.02
    assert np.mean(np.bincount(found.labels) > 2) < 0.01
    assert pairwise(found.labels, truth).f1 > 0.85


def test_a_column_of_sources_is_the_same_task_as_files(clean):
    files, _, found = clean
    parts = (
        table.append_column("source", pa.array([name] * len(table)))
        for name, table in files.items()
    )
    rows = pa.concat_tables(list(parts))
    for given in ({"source": "source"}, {}):
        other = resolve(rows, **BRIEF, **given)
        assert (other.mode, other.settings.one_to_one) == (found.mode, found.settings.one_to_one)
        assert other.labels.tolist() == found.labels.tolist()
        assert np.array_equal(other.scored.scores.total, found.scored.scores.total)


def test_a_register_matches_several_listings(clean):
    files, truth = make_sides((1, 5))
    found = resolve(files, **BRIEF)
    assert found.scored.rates.further[0] < 0.02 < 0.4 < found.scored.rates.further[1]
    assert pairwise(found.labels, truth).recall > 0.7
    hard = resolve(files, one_to_one=True, **BRIEF)
    assert pairwise(hard.labels, truth).f1 < pairwise(found.labels, truth).f1 - 0.1


def test_a_reference_has_no_further_records(clean):
    files, _ = make_sides((1, 5))
    found = resolve(files, reference="a", **BRIEF)
    sources = found.records.sources
    assert found.scored.rates.further[0] == 0.0
    assert np.bincount(found.labels[sources == 0]).max() == 1


def scored_pairs(further):
    """100 links of two sources, and for some of them a second record of source 1."""
    rng = np.random.default_rng(0)
    links = np.stack([np.arange(100), 100 + np.arange(100)], 1)
    more = np.stack([np.arange(further), 200 + np.arange(further)], 1)
    pairs = np.concatenate([links, more])
    source = np.repeat([0, 1], [100, 100 + further])
    return pairs, rng.normal(12.0, 1.0, len(pairs)), source


def test_rates_follow_the_pairs_beside_the_links():
    rates = []
    for further in (0, 20, 60):
        pairs, scores, source = scored_pairs(further)
        links = find_links(pairs, scores, source, 2)
        assert links.linked.tolist() == [100, 100]
        rates.append(infer_rates(("a", "b"), source, links, NONE, 1.0))
    assert all(found.further[0] < 0.02 for found in rates)
    assert rates[0].further[1] < rates[1].further[1] < rates[2].further[1]
    assert rates[0].cost.min() > 3.0 and np.median(rates[2].cost[200:]) < 16.0


def test_pairs_that_nothing_confirms_show_no_further_record():
    pairs, scores, source = scored_pairs(60)
    links = find_links(pairs, scores, source, 2)
    sure, unsure = (infer_rates(("a", "b"), source, links, NONE, c) for c in (1.0, 0.1))
    assert unsure.further[1] < sure.further[1]
    assert (unsure.cost >= sure.cost).all()
