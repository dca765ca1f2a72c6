import json
import re
import sys
from html.parser import HTMLParser

import numpy as np
import pyarrow as pa
import pytest

import partita
from partita.errors import InputError
from partita.linkage.notes import Note, Severity
from partita.linkage.output.explain import explain
from partita.linkage.resolve import resolve
from partita.metrics import calibration
from partita.report import charts, check_report, report, write_report
from partita.report.shown import MAX_MEMBERS, Shown, show
from partita.report.waterfall import as_data
from partita.synthetic import people
from tests.report.conftest import COLUMN, COMMAND, DATE, LONG, RIGHT_TO_LEFT

SECTIONS = [
    *("summary", "sizes", "certainty", "clusters", "pairs", "why"),
    *("blocking", "weights", "chains"),
]


class Elements(HTMLParser):
    """The elements of a page, their attributes, and the text of each script."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.found, self.text, self.scripts = [], [], []
        self.inside = ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))
        self.inside = tag
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag):
        self.inside = ""

    def handle_data(self, data):
        if self.inside == "script":
            self.scripts[-1] += data
        else:
            self.text.append(data)

    @property
    def data(self):
        return json.loads(self.scripts[0])


@pytest.fixture(scope="module")
def text(page):
    return page.read_text("utf-8")


@pytest.fixture(scope="module")
def elements(text):
    return Elements(text)


def test_every_section_is_there_and_linked(elements):
    result = [element["id"] for tag, element in elements.found if tag == "section"]
    assert result == SECTIONS
    links = [element["href"] for tag, element in elements.found if tag == "a"]
    assert links == [f"#{name}" for name in SECTIONS]


def test_every_chart_has_its_data(elements):
    places = {element["data-chart"] for _, element in elements.found if "data-chart" in element}
    assert places == set(elements.data["charts"])
    assert places == {
        *("sizes", "p_cluster", "p_member", "reliability", "trace_log_score", "trace_entities"),
    }


def test_nothing_is_loaded(elements, text):
    for tag, element in elements.found:
        assert tag not in ("link", "img", "iframe", "base")
        assert "src" not in element and not any(name.startswith("on") for name in element)
    assert "@import" not in text.split("<script")[0] and "url(" not in text.split("<script")[0]


def test_data_is_text_and_nothing_else(elements, text):
    assert len(elements.scripts) == 3
    shown = "".join(elements.text)
    assert "<script>alert(1)</script>" in shown and "onerror=alert(2)" in shown
    assert RIGHT_TO_LEFT in shown and COLUMN in shown
    assert re.search(r'<b>\d+</b>,"&', shown)
    # what comes before the scripts is made of the data
    before = text.split('<script id="data"')[0]
    assert "<script" not in before and "<img" not in before
    assert not re.search(r'<b>\d+</b>,"', before)
    assert not set("<>&") & set(elements.scripts[0])


def test_long_cells_are_shortened(text):
    assert LONG[:500] not in text
    assert "10,0" in text and "of which 160 are shown" in text


def test_the_file_is_small(page):
    assert page.stat().st_size < 3_000_000


def test_the_summary_states_the_result(resolution, elements):
    shown = re.sub(r"\s+", " ", " ".join(elements.text))
    facts = resolution.summary()
    assert f"{facts['entities']} entities" in shown
    assert f"{facts['uncertain_entities']} entities are uncertain" in shown
    assert facts["why_model"] in shown
    for text in facts["warnings"]:
        assert (text in shown) == (Note.of(text).severity is Severity.RESULTS)
    said = "The chains agree" in shown or "The chains never moved" in shown
    assert said == facts["converged"]


def test_the_most_doubtful_come_first(resolution):
    shown = show(resolution)
    chances = [
        resolution.p_cluster[resolution.first_rows[cluster.members[0]]]
        for cluster in shown.clusters
    ]
    assert chances == sorted(chances) and chances[-1] < 0.95
    assert all(len(cluster.members) <= min(cluster.size, MAX_MEMBERS) for cluster in shown.clusters)
    p = resolution.record_pairs.p_same[shown.pairs]
    assert (np.diff(np.abs(p - 0.5)) >= 0).all()
    assert p.size and np.abs(p - 0.5).max() < 0.45


def test_the_parts_of_a_pair_add_up_to_its_weight(resolution, elements):
    shown, data = show(resolution), elements.data
    assert len(data["pairs"]) == shown.explained.size
    for k, pair in zip(shown.explained, data["pairs"], strict=True):
        weights = data["prior"] + sum(pair["weights"]) + sum(pair["term_frequency"])
        parts = weights + pair["dependence"] + pair["reading"]
        assert parts == pytest.approx(resolution.record_pairs.scores.match_weight[k], abs=0.2)
    listed = data["pairs"][: shown.pairs.size]
    assert all("entity" in pair or pair["notes"] for pair in listed)
    assert any("entity" in pair for pair in listed)


def test_identical_records_are_named_with_the_one_that_is_shown(resolution, elements):
    shown = {id for record in elements.data["records"] for id in record["ids"]}
    first = set(resolution.records.ids.take(resolution.first_rows).to_pylist())
    assert len(shown - first) > 0


def test_calibration_is_that_of_near_pairs(resolution, data, text):
    codes = np.array([-1 if item is None else item for item in data[1]])
    pairs = resolution.record_pairs
    near = (pairs.p_same >= 0.01) | (pairs.scores.probability >= 0.01)
    near &= (codes[pairs.left] >= 0) & (codes[pairs.right] >= 0)
    same = codes[pairs.left] == codes[pairs.right]
    score = calibration(pairs.p_same[near], same[near])
    assert f"Expected calibration error {score.ece_width:.3f}" in text
    assert f"{score.pairs:,} labelled pairs" in text


def test_without_truth_nothing_is_said_of_it(resolution, tmp_path):
    result = Elements(write_report(resolution, tmp_path / "r.html").read_text("utf-8"))
    assert "reliability" not in result.data["charts"]
    assert "calibration" not in " ".join(result.text)


def test_truth_of_another_length_is_refused(resolution, tmp_path):
    with pytest.raises(InputError, match="one of each per record"):
        write_report(resolution, tmp_path / "r.html", truth=["a", "b"])
    assert not list(tmp_path.iterdir())


def test_records_that_are_all_different_have_a_report_too(tmp_path):
    names = ["Ann Lee", "Bob Orr", "Cyd Fox", "Dee Day", "Eve Ash", "Flo Kay"]
    towns = ["Ely", "Bath", "York", "Hull", "Deal", "Rye"]
    rows = [{"name": name, "town": town} for name, town in zip(names, towns, strict=True)]
    result = write_report(resolve(rows, seed=1), tmp_path / "r.html").read_text("utf-8")
    assert "No pair is uncertain." in result or "uncertain pair" in result
    assert [
        element["id"] for tag, element in Elements(result).found if tag == "section"
    ] == SECTIONS


def test_sources_that_share_ids_are_distinguished(tmp_path):
    table = people(200, seed=5).table().drop(["entity", "unique_id"])
    place = [row % 100 for row in range(200)]
    source = ["north" if row < 100 else "south" for row in range(200)]
    table = table.append_column("id", pa.array(place)).append_column("source", pa.array(source))
    resolution = resolve(table, source="source", seed=1, draws=10, tune=2)
    across = np.flatnonzero(
        (resolution.record_pairs.left < 100) & (resolution.record_pairs.right >= 100)
    )[:1]
    result = as_data(Shown(resolution, [], across))
    north, south = (
        int(resolution.record_pairs.left[across[0]]),
        int(resolution.record_pairs.right[across[0]]) - 100,
    )
    ids = [record["ids"][0] for record in result["records"]]
    assert sorted(ids) == [f"north:{north}", f"south:{south}"]
    # an id alone would name another record, and that must not be explained instead
    explanation = explain(resolution, *sorted(ids))
    (pair,) = result["pairs"]
    assert pair["entity"] == [[row.label, round(row.bits, 2)] for row in explanation.entity_rows]
    assert "of 2 sources" in write_report(resolution, tmp_path / "r.html").read_text("utf-8")


def test_the_path_is_checked_before_any_work(tmp_path):
    with pytest.raises(InputError, match=r"must end in \.html"):
        write_report(None, tmp_path / "report.txt")
    with pytest.raises(InputError, match="there is no folder"):
        check_report(tmp_path / "nowhere" / "report.html")


def test_an_older_file_stays_when_the_disk_is_full(tmp_path, monkeypatch):
    target = tmp_path / "r.html"
    target.write_text("old")

    def full(self, *given, **named):
        self.touch()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(report, "_page", lambda *anything: "new")
    monkeypatch.setattr(report, "_describe_run", lambda *anything: "")
    monkeypatch.setattr(type(target), "write_text", full)
    with pytest.raises(InputError, match="No space left"):
        write_report(None, target)
    assert [path.name for path in tmp_path.iterdir()] == ["r.html"]
    assert target.read_text() == "old"


def test_no_plotting_library_is_needed(resolution, tmp_path, monkeypatch):
    for name in ("altair", "matplotlib"):
        monkeypatch.setitem(sys.modules, name, None)
    assert write_report(resolution, tmp_path / "r.html").exists()


def test_every_chart_is_valid_vega_lite(elements):
    altair = pytest.importorskip("altair")
    for spec in elements.data["charts"].values():
        altair.Chart.from_dict(spec, validate=True)


def test_bars_of_the_size_chart_are_equally_wide():
    for many in (1, 7, 30, 31, 1_000):
        labels = np.concatenate([np.arange(5), np.full(many, 5)])
        rows = charts.sizes(labels)["data"]["values"]
        assert len({row["high"] - row["low"] for row in rows}) == 1
        assert len(rows) <= charts.MAX_SIZE_BINS
        assert sum(row["count"] for row in rows) == 6
        assert rows[-1]["low"] < many < rows[-1]["high"]


def test_the_same_result_gives_the_same_file(resolution, data, page, tmp_path):
    words = {"truth": data[1], "command": COMMAND, "date": DATE}
    again = write_report(resolution, tmp_path / "r.html", **words)
    assert again.read_bytes() == page.read_bytes()


def test_the_head_names_command_date_version_and_file(elements, tmp_path):
    shown = "".join(elements.text)
    assert COMMAND in shown and "2026-03-04 15:16" in shown
    assert f"Partita {partita.__version__}" in shown
    people(60, seed=1, truth=None).write(tmp_path / "some people.csv")
    resolution = resolve(str(tmp_path / "some people.csv"), seed=1, draws=4, tune=1)
    page = write_report(resolution, tmp_path / "r.html").read_text("utf-8")
    assert "some people.csv" in "".join(Elements(page).text)


def test_every_uncertain_entity_is_in_the_data(resolution, elements):
    data = elements.data["uncertain"]
    assert data["total"] == len(data["entities"]) == resolution.summary()["uncertain_entities"]
    chances = [entity[0] for entity in data["entities"]]
    assert chances == sorted(chances)
    ids = {str(item) for item in resolution.records.ids.to_pylist()}
    for p, size, members, near in data["entities"]:
        assert p < 0.95 and len(members) == min(size, MAX_MEMBERS)
        assert len({data["records"][r][0] for r in members} & ids) == len(members)
        assert all(0.01 <= same <= 1 for _, same in near)


def test_the_data_has_a_limit_that_the_page_states(resolution, tmp_path, monkeypatch):
    monkeypatch.setattr("partita.report.uncertain.MAX_ENTITIES", 7)
    monkeypatch.setattr("partita.report.doubts.MAX_ENTITIES", 7)
    result = Elements(write_report(resolution, tmp_path / "r.html").read_text("utf-8"))
    assert len(result.data["uncertain"]["entities"]) == 7
    assert "the 7 most uncertain" in "".join(result.text)
