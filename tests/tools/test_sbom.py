"""The bill of materials lists every pin; the audit reports what a database lists."""

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from tools.pins import HASHES, read_hashes, write_hashes
from tools.sbom import ROOT, audit, find_stale, main, make_document, read_pins


def test_the_document_lists_every_pin(capsys):
    pins = read_pins(ROOT / "constraints.txt")
    document = make_document(pins)
    assert document["bomFormat"] == "CycloneDX"
    listed = {item["name"]: item for item in document["components"]}
    assert {name: item["version"] for name, item in listed.items()} == pins
    assert listed["numpy"]["scope"] == "required" and listed["pytest"]["scope"] == "optional"
    assert all(len(item["hashes"][0]["content"]) == 64 for item in listed.values())
    required = [item for item in listed.values() if item["scope"] == "required"]
    assert all("licenses" in item for item in required)
    assert main([]) == 0
    assert json.loads(capsys.readouterr().out) == document


class Database(BaseHTTPRequestHandler):
    """Lists one vulnerability of the package `bad`."""

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["queries"]
        results = [
            {"vulns": [{"id": "X-1"}]} if item["package"]["name"] == "bad" else {} for item in asked
        ]
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps({"results": results}).encode())

    def log_message(self, *parts):
        pass


@pytest.fixture
def address():
    server = HTTPServer(("127.0.0.1", 0), Database)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


def test_the_audit_names_vulnerable_versions(address, monkeypatch, capsys):
    assert audit({"bad": "1.0", "fine": "2.0"}, address) == {"bad 1.0": ["X-1"]}
    monkeypatch.setenv("PARTITA_AUDIT_URL", address)
    assert main(["--audit"]) == 0
    assert "0 with known vulnerabilities" in capsys.readouterr().out


def test_an_audit_without_an_answer_has_its_own_exit_code(monkeypatch, capsys):
    monkeypatch.setenv("PARTITA_AUDIT_URL", "http://127.0.0.1:9/")
    assert main(["--audit"]) == 2
    assert "no database of vulnerabilities answers" in capsys.readouterr().err


def test_the_hashes_are_those_of_the_pins_and_name_no_address():
    pins = read_pins(ROOT / "constraints.txt")
    assert not find_stale(pins)
    assert find_stale({**pins, "numpy": "0.1"}) == ["numpy"]
    text = HASHES.read_text(encoding="utf-8")
    assert "//" not in text and "http" not in text and "@" not in text


def test_hashes_are_written_from_a_report(tmp_path):
    metadata = {
        "name": "A_b",
        "version": "1.0",
        "classifier": ["License :: OSI Approved :: MIT License"],
    }
    archive = {"archive_info": {"hashes": {"sha256": "0" * 64}}, "url": "file:///x"}
    report = {"install": [{"metadata": metadata, "download_info": archive}]}
    write_hashes(report, tmp_path / "hashes.txt")
    assert read_hashes(tmp_path / "hashes.txt") == {"a-b": ("1.0", "0" * 64, "MIT License")}
