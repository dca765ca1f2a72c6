"""The report in a real browser: charts are drawn, two records explained, and nothing is asked."""

import json
import shutil
import subprocess
from html.parser import HTMLParser
from urllib.parse import quote

import numpy as np
import pytest

from partita.report.shown import show
from partita.report.uncertain import list_uncertain

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
QUIET = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--enable-logging=stderr", "--virtual-time-budget=20000", "--window-size=1200,900"),
]
NO_ORIGIN = "not an origin"
BROWSER = next(filter(None, map(shutil.which, BROWSERS)), None)

pytestmark = pytest.mark.skipif(
    BROWSER is None, reason=f"no browser: install one of {', '.join(BROWSERS)}"
)


class Seen(HTMLParser):
    """What a browser made of a page: elements inside each place, and their text."""

    VOID = frozenset({"meta", "input", "br", "wbr", "img", "link", "hr"})

    def __init__(self, text):
        super().__init__()
        self.open, self.all = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        item = {"tag": tag, "text": "", "within": [o["key"] for o in self.open], **dict(attrs)}
        item["key"] = item.get("data-chart") or item.get("id") or ""
        self.all.append(item)
        if tag not in self.VOID:
            self.open.append(item)

    def handle_endtag(self, tag):
        if tag in {element["tag"] for element in self.open}:
            while self.open.pop()["tag"] != tag:
                pass

    def handle_data(self, data):
        for element in self.open:
            element["text"] += data

    def inside(self, key, tag):
        return [
            element for element in self.all if element["tag"] == tag and key in element["within"]
        ]


def browse(address, folder):
    """The page after its scripts ran, their messages, and the network requests of the browser."""
    log = folder / "net.json"
    profile = [f"--user-data-dir={folder / 'profile'}", f"--log-net-log={log}"]
    process = subprocess.run(
        [BROWSER, *QUIET, *profile, "--dump-dom", address],
        capture_output=True,
        check=True,
        timeout=240,
        text=True,
        encoding="utf-8",
    )
    messages = [line for line in process.stderr.splitlines() if "CONSOLE" in line]
    events = (event.get("params", {}) for event in json.loads(log.read_text())["events"])
    # requests of the browser itself have no origin
    requests = {
        parameters["url"]
        for parameters in events
        if parameters.get("initiator", NO_ORIGIN) != NO_ORIGIN
    }
    return Seen(process.stdout), messages, requests


@pytest.fixture(scope="module")
def pair(resolution):
    """The ids of two records that are shown in one cluster but not as a uncertain pair."""
    shown = show(resolution)
    k = shown.explained[shown.pairs.size]
    return [shown.id(int(r)) for r in resolution.scored.pairs[k]]


@pytest.fixture(scope="module")
def browsed(page, pair, tmp_path_factory):
    chosen = ",".join(quote(item, safe="") for item in pair)
    return browse(f"{page.as_uri()}#explain={chosen}", tmp_path_factory.mktemp("browser"))


def test_all_charts_are_drawn(browsed):
    seen = browsed[0]
    places = [element for element in seen.all if "data-chart" in element]
    assert len(places) == 6
    for place in places:
        assert len(seen.inside(place["key"], "svg")) == 1, place["key"]
        assert len(seen.inside(place["key"], "path")) > 4, place["key"]


def test_every_doubtful_pair_has_its_waterfall(browsed, resolution):
    falls = [element for element in browsed[0].all if element.get("class") == "falls"]
    # one for each pair and one for the two that are explained, and more for their entities
    assert len(falls) > show(resolution).pairs.size + 1


def test_two_records_are_explained(browsed, pair, resolution):
    seen = browsed[0]
    rows = [resolution.row(item) for item in pair]
    (title,) = seen.inside("explained", "h3")
    assert f"{100 * resolution.p_same(*pair):.1f}%" in title["text"]
    together = resolution.labels[rows[0]] == resolution.labels[rows[1]]
    assert ("in one entity" if together else "in two entities") in title["text"]
    headers = [item["text"] for item in seen.inside("explained", "th")]
    assert headers == ["", *pair]
    labels = [item for item in seen.inside("explained", "div") if item.get("class") == "label"]
    assert labels[0]["text"] == "prior"
    assert [item for item in labels if item["text"].startswith("sum")]
    assert np.isfinite(float(seen.inside("explained", "div")[-1]["text"].replace("−", "-")))


PAGER = """<script>
addEventListener("load", () => {
  const [list, next] = ["browse-list", "browse-next"].map((id) => document.getElementById(id));
  const ids = [], visit = () => list.querySelectorAll("article").forEach((card) => ids.push(
    card.querySelector("tbody tr:not(.near) bdi").textContent));
  visit();
  while (!next.disabled) { next.click(); visit(); }
  document.body.append(Object.assign(document.createElement("output"), {
    textContent: JSON.stringify(ids) }));
});
</script>"""
"""A script that turns to the last page and lists the first id of every entity on the way."""


@pytest.fixture(scope="module")
def uncertain(resolution):
    """The first id of each uncertain entity, in the order of the report."""
    data = list_uncertain(resolution)
    assert len(data["entities"]) == data["total"] == resolution.summary()["uncertain_entities"]
    return [data["records"][members[0]][0] for _, _, members, _ in data["entities"]]


def test_paging_reaches_every_uncertain_entity(page, uncertain, tmp_path):
    assert len(uncertain) > 100
    copy = tmp_path / "paged.html"
    copy.write_text(page.read_text(encoding="utf-8") + PAGER, encoding="utf-8")
    (output,) = [item for item in browse(copy.as_uri(), tmp_path)[0].all if item["tag"] == "output"]
    assert json.loads(output["text"]) == uncertain


def test_search_finds_the_last_uncertain_entity(page, uncertain, tmp_path):
    address = f"{page.as_uri()}#search={quote(uncertain[-1], safe='')}"
    seen = browse(address, tmp_path)[0]
    cards = seen.inside("browse-list", "article")
    assert len(cards) == 1
    assert uncertain[-1] in cards[0]["text"]


def test_the_page_logs_nothing_and_requests_nothing(browsed):
    _, said, requests = browsed
    assert said == []
    assert requests == set()


def test_data_makes_no_elements(browsed):
    tags = {element["tag"] for element in browsed[0].all}
    assert "img" not in tags
    assert sum(element["tag"] == "script" for element in browsed[0].all) == 3


def test_the_console_is_read(tmp_path):
    bad = tmp_path / "bad.html"
    bad.write_text("<script>console.error('ouch'); fetch('http://127.0.0.1:9/x')</script>")
    _, said, requests = browse(bad.as_uri(), tmp_path)
    assert any("ouch" in line for line in said)
    assert "http://127.0.0.1:9/x" in requests
