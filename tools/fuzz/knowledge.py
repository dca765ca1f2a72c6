"""Cases of knowledge: facts and rules, references and aliases, and requests of a service."""

from __future__ import annotations

import csv
import io
import json
import threading
from functools import cache
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import urlencode

from tools.fuzz.files import HARD, PLAIN, damage, make_file
from tools.fuzz.judge import Refused, Wrong, check_cells, read_output, run_command
from tools.fuzz.values import change_value

__all__ = ["changed_facts", "changed_reference", "changed_requests"]

RULES = (
    "livesIn(y, z) :- marriedTo(x, y), livesIn(x, z)",
    "0.9 :: marriedTo(y, x) :- marriedTo(x, y).",
    "marriedTo(x, y) ==> marriedTo(y, x)\t0.8",
    "?a livesIn ?b => ?a worksIn ?b\t0.5",
    "not livesIn(x, z) :- livesIn(x, y), livesIn(x, z), y != z",
    "0.7\tworksIn\tlivesIn",
    'worksIn(x, "Ely") :- livesIn(x, y)',
    "worksIn(x, y) :- livesIn(x, y), livesIn(a, b), livesIn(c, d), livesIn(e, f)",
    "% a comment",
    "",
)
RELATIONS = ("livesIn", "marriedTo", "worksIn")
PLACES = ("Ely", "Bath", "Leeds")


def changed_facts(random: Random, folder: Path) -> None:
    """Facts and rules, perhaps damaged; the probabilities of the output are shares."""
    rows = [("a0", "marriedTo", "a1"), ("a0", "livesIn", "Ely"), ("a1", "worksIn", "Bath")]
    for _ in range(random.randrange(40)):
        tail = random.choice(HARD) if random.random() < 0.1 else random.choice(PLACES)
        rows.append((f"a{random.randrange(12)}", random.choice(RELATIONS), tail))
    out = io.StringIO()
    csv.writer(out, delimiter=random.choice(",\t")).writerows(rows)
    facts, rules = out.getvalue().encode(), "\n".join(random.sample(RULES, 4)).encode()
    kind = random.randrange(4)
    facts = damage(random, facts) if kind == 0 else facts
    rules = damage(random, rules) if kind == 1 else rules
    (folder / "facts.csv").write_bytes(facts)
    (folder / "rules.pl").write_bytes(rules)
    target = folder / "out.csv"
    words = ("facts", folder / "facts.csv", "--rules", folder / "rules.pl", "--rank", 0)
    run_command(*words, "--out", target, "--quiet")
    shares = read_output(target).get("p", [])
    if not all(0 <= float(share) <= 1 for share in shares):
        raise Wrong(f"the probabilities are {shares[:20]}")


def _write_table(path: Path, header: list[str], rows: list[list[str]]) -> bytes:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])
    return path.read_bytes()


def changed_reference(random: Random, folder: Path) -> None:
    """Rows, a reference and aliases of which one is perhaps damaged; all rows are unchanged."""
    reference, aliases = folder / "reference.csv", folder / "aliases.csv"
    names = [*PLAIN, *random.sample(HARD, 4)]
    content = [[f"R{k}", name, random.choice(PLAIN)] for k, name in enumerate(names)]
    data = _write_table(reference, ["id", "name", "town"], content)
    forms = [[f"R{random.randrange(12)}", random.choice(HARD)] for _ in range(3)]
    more = _write_table(aliases, ["alias_of", "name"], forms)
    rows, cells = make_file(random, folder)
    kind = random.randrange(3)
    if kind == 0:
        reference.write_bytes(damage(random, data))
    elif kind == 1:
        aliases.write_bytes(damage(random, more))
    header = ["--header"] if rows.suffix == ".csv" else []
    out = folder / f"links{random.choice(('.csv', '.jsonl', '.parquet'))}"
    words = ("--to", reference, "--aliases", aliases, "--out", out, "--quiet")
    run_command("link", rows, *header, *words)
    check_cells(cells, out)


@cache
def _start_service() -> int:
    """Serve a reference on a free port, as long as this process lives."""
    from partita.knowledge.reconciliation import Reconciler
    from partita.knowledge.reconciliation_http import ReconciliationServer
    from partita.knowledge.reconciliation_service import ReconciliationService

    rows = [{"id": f"R{k}", "name": name, "town": PLAIN[k % 3]} for k, name in enumerate(PLAIN)]
    server = ReconciliationServer(ReconciliationService(Reconciler.of(rows, seed=1), "reference"))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return int(server.server_address[1])


def changed_requests(random: Random, folder: Path) -> None:
    """A request to the service, changed or damaged: JSON, or an error in one sentence."""
    query: dict[str, Any] = {"query": random.choice((*PLAIN, *HARD)), "limit": 3, "type": "record"}
    query["properties"] = [{"pid": "town", "v": random.choice(HARD)}]
    content: dict[str, Any]
    if random.random() < 0.6:
        name, content = "queries", {"q0": query, "q1": {"query": "Ann"}}
    else:
        name, content = "extend", {"ids": ["R1", "x"], "properties": [{"id": "town"}]}
    for _ in range(random.randrange(3)):
        change_value(random, content)
    text = json.dumps(content)
    data = urlencode({name: text}).encode()
    if random.random() < 0.3:
        data = urlencode({name: damage(random, text.encode())}).encode()
    elif random.random() < 0.2:
        data = damage(random, data)
    status, answer = _send(random, data)
    parsed = json.loads(answer, parse_constant=float)
    if status >= 500 or not isinstance(parsed, dict):
        raise Wrong(f"status {status}: {answer[:300]}")
    if status != 200:
        raise Refused(str(parsed["message"]))


def _send(random: Random, data: bytes) -> tuple[int, str]:
    """Status and text of the response to a form, or to its parameters in the address."""
    connection = HTTPConnection("127.0.0.1", _start_service(), timeout=60)
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    try:
        connection.request("POST", "/", data, headers)
        response = connection.getresponse()
        return response.status, response.read().decode()
    except HTTPException as error:
        raise Wrong(f"no response: {error!r}") from error
    finally:
        connection.close()
