"""The Python Record Linkage Toolkit by its guides: blocks, comparisons, ECM without labels.

"Data deduplication" and "Classification algorithms" of its documentation: exact comparison, or
Jaro-Winkler with threshold 0.85; ECMClassifier(binarize=0.8); connected components, or one link a
record at most where two clean sources are linked. Missing values disagree, as its documentation
advises.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from benchmarks.peers.links import Found, components

__all__ = ["RECIPES", "Recipe", "load", "run"]


@dataclass(frozen=True)
class Recipe:
    """Columns to block on and to compare."""

    blocks: tuple[tuple[str, ...], ...]
    strings: tuple[str, ...]
    exact: tuple[str, ...]


RECIPES = {
    "historical_50k": Recipe(
        (("dob",), ("postcode_fake",), ("first_name", "surname")),
        ("first_name", "surname", "birth_place"),
        ("dob", "postcode_fake", "gender", "occupation"),
    ),
    "febrl3": Recipe(
        (("given_name",), ("surname",), ("date_of_birth",)),
        ("surname", "address_1"),
        ("given_name", "date_of_birth", "suburb", "state"),
    ),
    "RLdata10000": Recipe(
        (("fname_c1", "lname_c1"), ("by", "bm", "bd")),
        ("fname_c1", "lname_c1"),
        ("by", "bm", "bd"),
    ),
    "cora_hpi_1879": Recipe(
        (("title",), ("author",), ("pages", "volume")),
        ("title", "author", "journal", "booktitle"),
        ("year", "pages", "volume"),
    ),
    "musicbrainz_entity_embed": Recipe(
        (("title",), ("artist", "album"), ("album", "number")),
        ("title", "artist", "album"),
        ("year", "number", "language"),
    ),
    "dblp_acm": Recipe((("title",), ("authors",), ("year",)), ("title", "authors"), ("year",)),
    "fake_1000": Recipe(
        (("first_name",), ("surname",), ("dob",)),
        ("first_name", "surname"),
        ("dob", "city", "email"),
    ),
    "people": Recipe(
        (("given_name", "surname"), ("date_of_birth",), ("email",)),
        ("given_name", "surname", "street"),
        ("date_of_birth", "city", "postcode", "phone", "email"),
    ),
}


def load() -> str:
    """Import the tool; returns its version."""
    import recordlinkage

    return recordlinkage.__version__


def run(request: dict[str, Any]) -> Found:
    """Records and their clusters."""
    import pandas as pd
    import recordlinkage

    recipe = RECIPES[request["set"]]
    table = pd.read_parquet(request["path"])
    ids = table.pop(request["id"])
    frames = [table]
    if request["source"] is not None:
        source = table.pop(request["source"])
        frames = [table[source == part] for part in source.unique()]
    indexer = recordlinkage.Index()
    for block in recipe.blocks:
        indexer.block(list(block))
    pairs = indexer.index(*frames)
    compare = recordlinkage.Compare()
    for name in recipe.strings:
        compare.string(name, name, method="jarowinkler", threshold=0.85, label=name)
    for name in recipe.exact:
        compare.exact(name, name, label=name)
    features = compare.compute(pairs, *frames)
    links = recordlinkage.ECMClassifier(binarize=0.8).fit_predict(features)
    if request["source"] is not None:
        links = recordlinkage.OneToOneLinking().compute(links)
    return Found(ids, components(len(ids), links), {"pairs": len(pairs), "links": len(links)})
