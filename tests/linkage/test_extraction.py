"""Fields extracted before resolution: readings of text enter the comparison by probability."""

import itertools

import numpy as np
import pyarrow as pa
import pytest

import partita
from partita.comparison.comparisons import Comparisons
from partita.data import read
from partita.errors import InputError
from partita.linkage import extraction as stage
from partita.linkage.compare import block_records, score_candidates
from partita.linkage.extraction import Readings, extract_fields, mix_readings
from partita.linkage.prepare import prepare
from partita.linkage.resolve import (
    profile_columns,
    read_input,
    resolve,
)
from partita.linkage.settings import Settings
from partita.metrics import pairwise

PAPERS = (
    ("Ann Lee", "Sampling large partitions", "1999"),
    ("Bob Orr", "Merging noisy records", "2001"),
    ("Eve Fox", "Learning with constraints", "2004"),
    ("Ida Kay", "Ranking small samples", "2007"),
    ("Max Poe", "Reading free text", "2010"),
)


def citations(n=60, seed=0):
    """Lines `author . title . year .` of few papers, some with two parts exchanged."""
    rng = np.random.default_rng(seed)
    lines, truth = [], []
    for _ in range(n):
        paper = int(rng.integers(len(PAPERS)))
        author, title, year = PAPERS[paper]
        parts = [author, title, year] if rng.random() < 0.7 else [author, f"({year})", title]
        lines.append(". ".join(parts) + ".")
        truth.append(paper)
    return lines, np.array(truth)


SCHEMA = """
fields = ["author", "title", "date"]

[[rules]]
field = "date"
pattern = '\\d{4}'

[[rules]]
field = "author"
place = "first"

[[rules]]
field = "title"
words = ["sampling", "merging", "learning", "ranking", "reading", "with", "text", "records"]
match = "tokens"

[[rules]]
boundary = "punctuation"
"""


@pytest.fixture
def schema(tmp_path):
    path = tmp_path / "paper.toml"
    path.write_text(SCHEMA)
    return str(path)


def people_with_readings():
    """Records of people, of which every third has a second reading, and their readings."""
    rng = np.random.default_rng(1)
    names = [f"{first} {last}" for first in ("ann", "bob", "eve", "ida") for last in ("lee", "orr")]
    towns = ["ely", "bath", "york"]
    rows = [
        {"name": str(rng.choice(names)), "town": str(rng.choice(towns)), "age": str(k % 7 + 20)}
        for k in range(40)
    ]
    values, owner, p = [], [], []
    for k, row in enumerate(rows):
        values.append(row)
        owner.append(k)
        p.append(0.6 if k % 3 == 0 else 1.0)
        if k % 3 == 0:
            values.append({**row, "name": row["town"], "town": row["name"]})
            owner.append(k)
            p.append(0.4)
    records = read(pa.Table.from_pylist(rows), id=False)
    again = read(pa.Table.from_pylist(values), id=False)
    return records, Readings(again, np.array(owner), np.log(p))


def test_the_score_of_a_pair_is_the_log_of_the_mean_bayes_factor():
    records, readings = people_with_readings()
    _, task, _ = read_input(records.table, Settings(id=""), None)
    _, chosen = profile_columns(records, task)
    prepared = prepare(records, chosen)
    candidates = block_records(prepared, chosen)
    scored = score_candidates(prepared, candidates, chosen)
    mixed = mix_readings(scored, readings, prepared, candidates.pairs, chosen)
    expanded = prepare(readings.records, chosen)
    comparisons = Comparisons(expanded.compared, prepared.column_types, prepared.comparisons)
    row_of, start = prepared.numbering.wide, readings.start
    pairs = candidates.pairs[:40].astype(np.int64)
    before, after = scored.score(pairs).total, mixed.score(pairs).total
    for (i, j), old, new in zip(pairs.tolist(), before, after, strict=True):
        sides = [range(start[row_of[k]], start[row_of[k] + 1]) for k in (i, j)]
        terms, best = [], None
        for a, b in itertools.product(*sides):
            pair = expanded.numbering.narrow[[a, b]][None]
            score = scored.model.score(comparisons, pair).total[0]
            best = score if best is None else best
            terms.append(score + readings.log_p[a] + readings.log_p[b])
        assert new - old == pytest.approx(np.logaddexp.reduce(terms) - best, abs=1e-9)


def test_one_reading_each_leaves_the_scores():
    records, _ = people_with_readings()
    _, task, _ = read_input(records.table, Settings(id=""), None)
    _, chosen = profile_columns(records, task)
    prepared = prepare(records, chosen)
    candidates = block_records(prepared, chosen)
    scored = score_candidates(prepared, candidates, chosen)
    single = Readings(records, np.arange(records.n), np.zeros(records.n))
    assert mix_readings(scored, single, prepared, candidates.pairs, chosen) is scored
    assert mix_readings(scored, None, prepared, candidates.pairs, chosen) is scored


def test_fields_become_columns_and_text_serves_blocking(schema):
    lines, _ = citations(20)
    records = read([{"shelf": "A", "line": line} for line in lines])
    extracted, settings, readings = extract_fields(records, Settings(extract=schema))
    assert {"author", "title", "date"} <= set(extracted.names)
    assert settings.columns["line"].role == "block"
    assert readings.owner[0] == 0 and np.array_equal(np.unique(readings.owner), np.arange(20))
    for k, start in enumerate(readings.start[:-1]):
        part = slice(start, readings.start[k + 1])
        assert np.exp(readings.log_p[part]).sum() == pytest.approx(1.0)
        assert readings.start[k + 1] - start <= stage.N_DRAWS + 1
    first = readings.records.original(readings.start[:-1])
    for name in ("author", "title", "date"):
        assert first.column(name).to_pylist() == extracted.table.column(name).to_pylist()


def test_lines_of_one_cluster_are_read_together_in_any_order(schema):
    lines, truth = citations(40)
    rows = [{"line": line} for line in lines]
    seen = []

    def read_again(places):
        def cluster(records, settings, readings):
            seen.append((records.n, settings.columns["line"].role, readings.start[-1]))
            return truth[places]

        records = read([rows[k] for k in places], id=False)
        extracted, _, _ = extract_fields(records, Settings(extract=schema), cluster)
        return extracted.table.column("title").to_pylist()

    alone = extract_fields(read(rows, id=False), Settings(extract=schema))[0]
    together = read_again(np.arange(40))
    right = [PAPERS[paper][1] for paper in truth]
    hits = [
        sum(a == b for a, b in zip(titles, right, strict=True))
        for titles in (alone.table.column("title").to_pylist(), together)
    ]
    assert hits[1] >= hits[0]
    assert seen[0][:2] == (40, "block") and seen[0][2] >= 40
    order = np.random.default_rng(1).permutation(40)
    assert read_again(order) == [together[k] for k in order]


def test_without_a_schema_records_stay():
    records = read([{"name": "Ann Lee"}, {"name": "Bob Orr"}])
    assert extract_fields(records, Settings()) == (records, Settings(), None)


@pytest.mark.compiled
def test_lines_resolve_to_papers(schema):
    lines, truth = citations()
    result = resolve([{"line": line} for line in lines], extract=schema, seed=0)
    assert pairwise(result.labels, truth).f1 > 0.9
    rows = result.table()
    assert {"line", "author", "title", "date", "cluster_id"} <= set(rows[0])


def test_bad_input_is_named(schema):
    rows = [{"line": "Ann Lee. 1999.", "title": "x"}, {"line": "Bob Orr. 2001.", "title": "y"}]
    with pytest.raises(InputError, match="has a column 'title', which the schema extracts as well"):
        resolve(rows, extract=schema)
    with pytest.raises(InputError, match="no column 'text' to extract from; there are line"):
        resolve([{"line": "a"}, {"line": "b"}], extract=schema, extract_column="text")
    with pytest.raises(InputError, match="missing"):
        resolve([{"line": "a"}, {"line": "b"}], extract="missing.toml")


def test_a_single_line_is_text_and_no_path():
    found = partita.resolve([{"text": "Lee, A. (1999). Trees."}], extract="citation", seed=1)
    assert found.labels.tolist() == [0]
