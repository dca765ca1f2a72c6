"""Requests of the examples of the W3C Reconciliation Service API 0.2, sent by HTTP.

https://www.w3.org/community/reports/reconciliation/CG-FINAL-specs-0.2-20230410/ gives the requests
and the shapes of the answers. The reference holds the people of these examples and invented ones.
"""

import json
import threading
from urllib.parse import quote, urlsplit

import pytest

from partita.knowledge.reconciliation import Reconciler
from partita.knowledge.reconciliation_http import ReconciliationServer
from partita.knowledge.reconciliation_service import ReconciliationService
from tests.knowledge.test_reconciliation import get, post, request

# no kernels of its own: those it calls are tested as plain Python where they stand
pytestmark = pytest.mark.compiled

PERSON, BODY = "DifferentiatedPerson", "CorporateBody"
PARTY = "http://d-nb.info/gnd/2022139-3"
GERMANY = "http://d-nb.info/standards/vocab/gnd/geographic-area-code#XA-DE"
COLUMNS = (
    "id",
    "name",
    "type",
    "professionOrOccupation",
    "affiliation",
    "variantName",
    "geographicAreaCode",
    "wikidataId",
)
PEOPLE = [
    ("h1", "Hanewinckel, Christel", PERSON, "Politikerin", PARTY, None, GERMANY, None),
    ("t1", "Thönnes, Franz", PERSON, "Politiker", PARTY, None, GERMANY, None),
    ("u1", "Urbaniak, Hans-Eberhard", PERSON, "Politiker", PARTY, None, GERMANY, None),
    ("120333937", "Urbaniak, Regina", PERSON, "Mathematikerin", None, None, None, None),
    ("1127147390", "Urbaniak, Jan", PERSON, "Philologe", None, None, None, None),
    ("123064325", "Schwanhold, Ernst", PERSON, "Politiker", PARTY, None, GERMANY, None),
    ("116362988X", "Schwanhold, Nadine", PERSON, "Chemikerin", None, None, None, None),
    (
        "10662041X",
        "Leitgeb, Gerda",
        PERSON,
        "Malerin",
        None,
        "Stryi-Leitgeb, Gerda",
        GERMANY,
        "Q3874347",
    ),
    ("1064905412", "Architekt, Otto", PERSON, "Architekt", None, None, GERMANY, None),
    ("b1", "Hanewinckel-Stiftung", BODY, None, None, None, GERMANY, None),
]
FAMILIES = ("Abel", "Brandt", "Cramer", "Dorn", "Ehlers", "Frank", "Giese", "Hübner")
GIVEN = ("Anna", "Bernd", "Clara", "Dieter", "Elke")
TRADES = ("Lehrer", "Arzt", "Richter", "Maler", "Drucker", "Musiker", "Geologe")


def read_people():
    """The people of the examples, and forty others."""
    others = [
        (f"x{k}", f"{family}, {given}", PERSON, TRADES[k % 7], None, None, GERMANY, None)
        for k, (family, given) in enumerate((a, b) for a in FAMILIES for b in GIVEN)
    ]
    return [dict(zip(COLUMNS, row, strict=True)) for row in PEOPLE + others]


@pytest.fixture(scope="module")
def address():
    reconciler = Reconciler.of(read_people(), type_column="type", seed=1)
    with ReconciliationServer(ReconciliationService(reconciler, "GND")) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join()


def ask(name, *properties):
    """One query of the full example: a name, a type and properties."""
    return {
        "query": name,
        "type": PERSON,
        "limit": 5,
        "properties": [{"pid": pid, "v": value} for pid, value in properties],
        "type_strict": "should",
    }


SOUGHT = (("professionOrOccupation", "Politik*"), ("affiliation", PARTY))
MINIMAL = {"q1": {"query": "Hans-Eberhard Urbaniak"}, "q2": {"query": "Ernst Schwanhold"}}
FULL = {"q0": ask("Christel Hanewinckel", *SOUGHT), "q1": ask("Franz Thönnes", *SOUGHT)}
SEVERAL_VALUES = {
    "q0": ask(
        "Christel Hanewinckel",
        (
            "professionOrOccupation",
            ["Politik*", {"id": "wissenschaftler", "name": "Wissenschaftler(in)"}],
        ),
    )
}
EXTEND = {
    "ids": ["10662041X", "1064905412"],
    "properties": [
        {"id": "variantName", "settings": {"limit": "5"}},
        {"id": "geographicAreaCode", "settings": {"limit": "1", "content": "id"}},
        {"id": "professionOrOccupation"},
        {"id": "wikidataId"},
    ],
}


def check_text(entry, *names):
    """The named fields are texts."""
    assert all(isinstance(entry[name], str) for name in names), entry


def check_results(found, batch):
    """A reconciliation result batch has the shape of its schema."""
    assert list(found) == list(batch)
    for key, answer in found.items():
        candidates = answer["result"]
        assert len(candidates) <= batch[key].get("limit", len(candidates))
        scores = [one["score"] for one in candidates]
        assert scores == sorted(scores, reverse=True)
        for one in candidates:
            check_text(one, "id", "name", "description")
            assert type(one["score"]) in (int, float) and type(one["match"]) is bool
            for kind in one["type"]:
                check_text(kind, "id", "name")
            features = [feature["id"] for feature in one["features"]]
            assert len(set(features)) == len(features)
            assert all(type(f["value"]) in (int, float, bool) for f in one["features"])


@pytest.mark.parametrize(
    ("batch", "ids"),
    [
        (MINIMAL, ["u1", "123064325"]),
        (FULL, ["h1", "t1"]),
        (SEVERAL_VALUES, ["h1"]),
    ],
)
def test_query_batches(address, batch, ids):
    found = post(address, queries=json.dumps(batch))
    check_results(found, batch)
    assert [answer["result"][0]["id"] for answer in found.values()] == ids
    assert found == get(address, "/", queries=json.dumps(batch))
    # the specification asks that queries of a batch are scored independently
    for key, query in batch.items():
        assert post(address, queries=json.dumps({key: query}))[key] == found[key]


def test_a_type_restricts_the_candidates(address):
    found = post(address, queries=json.dumps(FULL))
    assert {kind["id"] for one in found["q0"]["result"] for kind in one["type"]} == {PERSON}


def test_the_manifest(address):
    manifest = get(address, "/")
    assert "0.2" in manifest["versions"]
    check_text(manifest, "name", "identifierSpace", "schemaSpace")
    for kind in manifest["defaultTypes"]:
        check_text(kind, "id", "name")
    assert {kind["id"] for kind in manifest["defaultTypes"]} == {PERSON, BODY}
    assert "{{id}}" in manifest["view"]["url"]
    for place in (*manifest["suggest"].values(), manifest["extend"]["propose_properties"]):
        check_text(place, "service_url", "service_path")
    assert set(manifest["suggest"]) == {"entity", "property", "type"}


def test_a_preview(address):
    preview = get(address, "/")["preview"]
    assert type(preview["width"]) is int and type(preview["height"]) is int
    parts = urlsplit(preview["url"].replace("{{id}}", quote("10662041X", safe="")))
    status, headers, page = request(address, "GET", f"{parts.path}?{parts.query}")
    assert status == 200 and headers["Content-Type"].startswith("text/html")
    assert "Leitgeb, Gerda" in page and "Malerin" in page


def test_data_extension(address):
    found = post(address, extend=json.dumps(EXTEND))
    assert found == get(address, "/", extend=json.dumps(EXTEND))
    names = [one["id"] for one in EXTEND["properties"]]
    assert [one["id"] for one in found["meta"]] == names
    for one in found["meta"]:
        check_text(one, "id", "name")
    assert list(found["rows"]) == EXTEND["ids"]
    for row in found["rows"].values():
        assert list(row) == names
        assert all(set(value) == {"str"} for values in row.values() for value in values)
    assert found["rows"]["10662041X"]["variantName"] == [{"str": "Stryi-Leitgeb, Gerda"}]
    assert found["rows"]["1064905412"] == {
        "variantName": [],
        "geographicAreaCode": [{"str": GERMANY}],
        "professionOrOccupation": [{"str": "Architekt"}],
        "wikidataId": [],
    }


def test_property_proposals(address):
    found = get(address, "/properties", type=PERSON, limit=3)
    assert found["type"] == PERSON and len(found["properties"]) == 3
    for one in found["properties"]:
        check_text(one, "id", "name")


@pytest.mark.parametrize(
    ("kind", "prefix", "id"),
    [
        ("entity", "Schwanhold, E", "123064325"),
        ("entity", "10662041X", "10662041X"),
        ("property", "profession", "professionOrOccupation"),
        ("type", "Differ", PERSON),
    ],
)
def test_suggestions(address, kind, prefix, id):
    place = get(address, "/")["suggest"][kind]
    path = urlsplit(place["service_url"] + place["service_path"]).path
    found = get(address, path, prefix=prefix)["result"]
    assert found[0]["id"] == id
    for one in found:
        check_text(one, "id", "name")
        for notable in one.get("notable", []):
            check_text(notable, "id", "name")
    rest = get(address, path, prefix=prefix, cursor=1)["result"]
    assert rest[: len(found) - 1] == found[1:]
    assert get(address, path, prefix=prefix, cursor=1000)["result"] == []


@pytest.mark.parametrize("cursor", ["x", "-1", "1.5"])
def test_a_bad_cursor_is_refused(address, cursor):
    status, _, text = request(address, "GET", f"/suggest/type?prefix=D&cursor={cursor}")
    assert status == 400 and "cursor is" in json.loads(text)["message"]
