"""The reconciliation API by HTTP: shapes of the specification 0.2, on data of our own."""

import http.client
import json
import threading
from urllib.parse import urlencode

import numpy as np
import pyarrow as pa
import pytest

from partita.errors import InputError
from partita.knowledge.reconciliation import Query, Reconciler
from partita.knowledge.reconciliation_http import ReconciliationServer
from partita.knowledge.reconciliation_service import ReconciliationService
from partita.synthetic import people
from partita.synthetic.spoil import spoil_rows

# no kernels of its own: those it calls are tested as plain Python where they stand
pytestmark = pytest.mark.compiled

TOWNS = ["Ely", "Bath", "Leeds", "York", "Derby"]
FORMS = ["Brewery", "Printing Works", "Bakery", "Boatyard", "Foundry", "Cooperage"]
FAMILIES = ["Harrow", "Quist", "Lindqvist", "Okafor", "Tremaine", "Vasquez", "Baptiste", "Nowak"]


def firms():
    """A register of firms: an id, a name, a town, a type, and one name with markup."""
    rows = [
        {
            "id": f"F{k}",
            "name": f"{family} {form}",
            "town": TOWNS[k % 5],
            "kind": "food" if form in ("Brewery", "Bakery") else "works",
            "founded": str(1850 + k),
        }
        for k, (family, form) in enumerate((a, b) for a in FAMILIES for b in FORMS)
    ]
    rows[0]["name"] = 'Harrow <script>alert("x")</script> & Sons'
    return rows


@pytest.fixture(scope="module")
def address():
    reconciler = Reconciler.of(firms(), type_column="kind", seed=1)
    with ReconciliationServer(ReconciliationService(reconciler, "firms")) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join()


def request(port, method, path, body=None, **headers):
    """Status, headers and text of a response."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    kept = {name.replace("_", "-"): value for name, value in headers.items()}
    if body is not None:
        kept.setdefault("Content-Type", "application/x-www-form-urlencoded")
    connection.request(method, path, body, kept)
    response = connection.getresponse()
    text = response.read().decode()
    connection.close()
    return response.status, dict(response.getheaders()), text


def get(port, path, **parameters):
    status, _, text = request(port, "GET", f"{path}?{urlencode(parameters)}")
    assert status == 200, text
    return json.loads(text)


def post(port, **parameters):
    status, _, text = request(port, "POST", "/", urlencode(parameters))
    assert status == 200, text
    return json.loads(text)


def test_the_manifest_describes_the_service(address):
    manifest = json.loads(request(address, "GET", "/")[2])
    assert "0.2" in manifest["versions"]
    assert {"name", "identifierSpace", "schemaSpace"} <= set(manifest)
    assert {one["id"] for one in manifest["defaultTypes"]} == {"food", "works"}
    assert "{{id}}" in manifest["preview"]["url"] and "{{id}}" in manifest["view"]["url"]
    assert {"width", "height"} <= set(manifest["preview"])
    for kind in ("entity", "property", "type"):
        place = manifest["suggest"][kind]
        path = place["service_path"]
        assert place["service_url"] == f"http://127.0.0.1:{address}"
        assert "result" in get(address, path, prefix="")
    assert manifest["extend"]["propose_properties"]["service_path"] == "/properties"


def test_a_batch_is_answered_by_get_and_by_post(address):
    batch = {
        "q0": {"query": "Quist Bakery"},
        "q1": {"query": "Lindqvst Printing Wroks", "limit": 3, "type": "works"},
        "q2": {"query": "Nothing of the Kind Anywhere"},
    }
    found = post(address, queries=json.dumps(batch))
    assert found == get(address, "/", queries=json.dumps(batch))
    assert list(found) == ["q0", "q1", "q2"]
    first = found["q0"]["result"][0]
    assert (first["name"], first["match"]) == ("Quist Bakery", True)
    assert {"id", "name", "score", "match", "type", "features", "description"} <= set(first)
    assert 95 <= first["score"] <= 100
    assert found["q1"]["result"][0]["name"] == "Lindqvist Printing Works"
    assert len(found["q1"]["result"]) <= 3
    assert all(not one["match"] for one in found["q2"]["result"])


def test_candidates_are_ordered_and_their_scores_are_probabilities(address):
    found = post(address, queries=json.dumps({"q": {"query": "Okafor Bakery"}}))["q"]["result"]
    scores = [one["score"] for one in found]
    assert scores == sorted(scores, reverse=True)
    assert sum(scores) <= 100.01


def test_types_restrict_the_candidates(address):
    for types in ("food", ["food"], [{"id": "food"}]):
        batch = {"q": {"query": "Vasquez Foundry", "type": types, "type_strict": "any"}}
        found = post(address, queries=json.dumps(batch))["q"]["result"]
        assert found and {one["type"][0]["id"] for one in found} == {"food"}
    batch = {"q": {"query": "Vasquez Foundry", "type": "no such type"}}
    assert post(address, queries=json.dumps(batch)) == {"q": {"result": []}}


def test_properties_are_further_evidence(address):
    rows = [row for row in firms() if row["name"].startswith("Tremaine")]
    row = rows[3]
    batch = {
        "plain": {"query": "Tremaine"},
        "town": {
            "query": "Tremaine",
            "properties": [
                {"pid": "town", "v": row["town"]},
                {"pid": "founded", "v": int(row["founded"])},
                {"pid": "not a column", "v": {"id": "x", "name": "y"}},
            ],
        },
        "list": {"properties": [{"pid": "founded", "v": [row["founded"], "1"]}]},
    }
    found = post(address, queries=json.dumps(batch))
    scores = {
        key: next((one["score"] for one in found[key]["result"] if one["id"] == row["id"]), 0)
        for key in batch
    }
    assert scores["town"] > 2 * scores["plain"]
    assert found["town"]["result"][0]["id"] == row["id"]
    assert found["list"]["result"][0]["id"] == row["id"]


def test_data_extension_returns_values_by_id(address):
    wanted = {"ids": ["F7", "F8", "F999"], "properties": [{"id": "town"}, {"id": "founded"}]}
    found = post(address, extend=json.dumps(wanted))
    assert found["meta"] == [
        {"id": "town", "name": "town"},
        {"id": "founded", "name": "founded"},
    ]
    assert found["rows"]["F7"] == {"town": [{"str": TOWNS[2]}], "founded": [{"str": "1857"}]}
    assert found["rows"]["F999"] == {"town": [], "founded": []}
    proposed = get(address, "/properties", type="food", limit=2)
    assert proposed["type"] == "food"
    assert [one["id"] for one in proposed["properties"]] == ["name", "town"]


def test_suggestions_by_the_first_letters(address):
    entities = get(address, "/suggest/entity", prefix="Baptiste Boat")["result"]
    assert entities[0]["name"] == "Baptiste Boatyard"
    assert get(address, "/suggest/entity", prefix="F9")["result"][0]["id"] == "F9"
    assert get(address, "/suggest/property", prefix="fou")["result"][0]["id"] == "founded"
    assert get(address, "/suggest/type", prefix="wo")["result"] == [
        {"id": "works", "name": "works"}
    ]


def test_a_preview_escapes_markup(address):
    status, headers, page = request(address, "GET", "/preview?id=F0")
    assert status == 200 and headers["Content-Type"].startswith("text/html")
    assert "<script" not in page and "&lt;script&gt;" in page
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert request(address, "GET", "/preview?id=F999")[0] == 404


def test_other_hosts_and_other_pages_are_refused(address):
    for host in ("evil.example", f"evil.example:{address}", "127.0.0.1", "localhost:1"):
        assert request(address, "GET", "/", Host=host)[0] == 403
    for origin in ("http://evil.example", "null", "http://localhost.evil.example", "http://[::1"):
        status, headers, _ = request(address, "GET", "/", Origin=origin)
        assert status == 403 and "Access-Control-Allow-Origin" not in headers
    for origin in ("http://localhost:3333", "http://127.0.0.1:3333"):
        status, headers, _ = request(address, "GET", "/", Origin=origin)
        assert (status, headers["Access-Control-Allow-Origin"]) == (200, origin)
        assert request(address, "OPTIONS", "/", Origin=origin)[0] == 204
    assert request(address, "GET", "/", Host=f"localhost:{address}")[0] == 200


def test_jsonp_is_refused(address):
    status, headers, text = request(address, "GET", "/?callback=steal")
    assert status == 400 and "JSONP" in json.loads(text)["message"]
    assert headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("path", ["/../../etc/passwd", "/%2e%2e/etc/passwd", "/suggest/../", "/x"])
def test_no_path_reads_a_file(address, path):
    assert request(address, "GET", path)[0] == 404


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"queries": "{"}, "no JSON"),
        ({"queries": "[]"}, "no JSON object"),
        ({"queries": '{"q": {}}'}, "neither 'query' nor 'properties'"),
        ({"queries": '{"q": {"query": 7}}'}, "give text"),
        ({"queries": '{"q": {"query": "a", "limit": "x"}}'}, "limit is 'x'"),
        ({"queries": '{"q": {"query": "a", "type": [7]}}'}, "ids of types"),
        ({"queries": '{"q": {"properties": [{"pid": "town"}]}}'}, "lacks 'pid' or 'v'"),
        ({"queries": json.dumps({str(k): {"query": "a"} for k in range(1001)})}, "at most 1,000"),
        ({"extend": "{}"}, "lacks a list"),
        ({"extend": '{"ids": [], "properties": [{"id": "x"}]}'}, "no property 'x'"),
    ],
)
def test_a_bad_request_is_one_sentence(address, parameters, words):
    status, _, text = request(address, "POST", "/", urlencode(parameters))
    assert status == 400
    assert words in json.loads(text)["message"]


def test_a_body_has_a_length_within_bounds(address):
    assert request(address, "POST", "/", "x" * 10, Content_Length="99999999999")[0] == 413
    status, _, text = request(address, "POST", "/", b"queries=%FF%FE")
    assert status == 400 and "JSON" in text


def test_queries_find_the_records_that_rows_were_copied_from():
    table = people(800, seed=4).table()
    _, first = np.unique(table.column("entity").to_numpy(), return_index=True)
    master = table.take(pa.array(first)).drop_columns(["entity"])
    reconciler = Reconciler.of(master, seed=2)
    copied = master.drop_columns(["unique_id"]).slice(0, 200).to_pylist()
    rows = spoil_rows([{k: None if v is None else str(v) for k, v in r.items()} for r in copied], 9)
    queries = [
        Query({name: value for name, value in row.items() if value and name in reconciler.columns})
        for row in rows
    ]
    found = reconciler.find(queries)
    right = [bool(m) and m[0].record == k for k, m in enumerate(found)]
    p = [m[0].p if m else 0.0 for m in found]
    assert np.mean(right) > 0.95
    assert abs(np.mean(p) - np.mean(right)) < 0.08
    again = reconciler.find(queries[:7])
    assert [[one.record for one in m] for m in again] == [
        [one.record for one in m] for m in found[:7]
    ]


def test_aliases_and_bad_references():
    rows = [{"code": name[:3].upper(), "name": name} for name in FAMILIES]
    aliases = [{"alias_of": "QUI", "name": "Zimmermann"}]
    reconciler = Reconciler.of(rows, to_id="code", aliases=aliases)
    [found] = reconciler.find([Query({"name": "Zimmermann"})])
    assert reconciler.id(found[0].record) == "QUI"
    with pytest.raises(InputError, match="no column unique_id or id"):
        Reconciler.of([{"name": "a"}])
    with pytest.raises(InputError, match="no column 'x'"):
        Reconciler.of(rows, to_id="code", name="x")
    with pytest.raises(InputError, match="no property 'y'"):
        reconciler.find([Query({"y": "a"})])
