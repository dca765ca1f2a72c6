"""Properties that all composed domains share."""

from collections import Counter
from functools import cache

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from partita.errors import InputError
from partita.synthetic import Catalogue, TextErrors, albums, companies, films, places, products

DOMAINS = {
    **{products: "title", companies: "name", places: "name"},
    **{films: "title", albums: "title"},
}
"""Generators, and the column that is never empty."""
MAKERS = pytest.mark.parametrize("make", DOMAINS)


@cache
def table(make, sources=1):
    return make(3000, seed=5, sources=sources).table()


@MAKERS
@pytest.mark.parametrize("n", [1, 2, 99, 1000])
def test_the_number_of_records_is_exact(make, n):
    result = make(n, seed=1).table()
    assert result.num_rows == n
    assert result["unique_id"].to_pylist() == list(range(n))
    result.validate(full=True)


@MAKERS
def test_the_seed_decides_and_nothing_else(make):
    again = make(1000, seed=3).table()
    assert again.equals(make(1000, seed=3).table())
    other = make(1000, seed=4).table()
    assert not any(again[name].equals(other[name]) for name in again.column_names[1:])


@MAKERS
@pytest.mark.parametrize(("n", "size"), [(40, 1), (500, 7), (500, 10**6)])
def test_the_batch_size_does_not_matter(make, n, size):
    source = make(n, seed=3, sources=2)
    batches = pa.Table.from_batches(source.batches(size)).combine_chunks()
    assert batches.equals(source.table().combine_chunks())


@MAKERS
def test_entities_have_few_records(make):
    sizes = Counter(table(make)["entity"].to_pylist())
    assert max(sizes.values()) <= Catalogue().largest
    assert 1.5 < 3000 / len(sizes) < 2.1
    assert set(sizes) == set(range(len(sizes)))
    single = make(500, seed=2, catalogue=Catalogue(repeat=0.0)).table()
    assert len(set(single["entity"].to_pylist())) == 500


@MAKERS
def test_a_source_has_no_duplicates(make):
    for sources in (2, 4):
        result = table(make, sources)
        pairs = list(zip(*(result[name].to_pylist() for name in ("source", "entity")), strict=True))
        assert len(set(pairs)) == len(pairs)
        assert {source for source, _ in pairs} == set("abcd"[:sources])
        assert len({entity for _, entity in pairs}) < 0.8 * len(pairs)
    assert "source" not in table(make).column_names


@MAKERS
def test_names_are_present_and_mostly_distinct(make):
    names = table(make)[DOMAINS[make]].to_pylist()
    assert all(names)
    assert len(set(names)) > 1200
    others = [name for name in table(make).column_names if name not in ("unique_id", "entity")]
    missing = [table(make)[name].null_count for name in others]
    assert sum(count > 60 for count in missing) > len(others) / 2


@MAKERS
def test_errors_change_records_with_errors_only(make):
    loud = make(1000, seed=6, errors=TextErrors().scaled(3)).table()
    quiet = make(1000, seed=6, errors=TextErrors.only()).table()
    assert loud["entity"].equals(quiet["entity"])
    name = DOMAINS[make]
    same = pc.mean(pc.equal(loud[name], quiet[name]).cast(pa.int8())).as_py()
    assert 0.25 < same < 0.8
    free = make(1000, seed=6, errors=TextErrors().scaled(3), catalogue=Catalogue(clean=1.0)).table()
    assert free[name].equals(make(1000, seed=6, catalogue=Catalogue(clean=1.0)).table()[name])


@MAKERS
def test_wrong_settings(make):
    for words, match in (
        ({"sources": 27}, "sources is 27; give a number from 1 to 26"),
        ({"sources": 0}, "sources is 0"),
        ({"errors": 3}, r"errors is 3; give TextErrors\(...\)"),
        ({"catalogue": 3}, r"catalogue is 3; give Catalogue\(...\)"),
        ({"truth": "here"}, "truth is 'here'"),
    ):
        with pytest.raises(InputError, match=match):
            make(10, **words)
