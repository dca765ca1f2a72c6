"""`partita serve reconcile`: a service that runs until it is stopped."""

import csv
import json
import signal
import subprocess
import sys
from urllib.request import urlopen

from tests.cli.running import refused

NAMES = ["Germany", "France", "Italy", "Spain", "Poland", "Norway", "Greece", "Hungary"]


def write_reference(folder, columns=("id", "name")):
    path = folder / "countries.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([columns, *enumerate(NAMES)])
    return path


def test_the_service_answers_until_it_is_stopped(tmp_path):
    command = [sys.executable, "-m", "partita", "serve", "reconcile"]
    command += [str(write_reference(tmp_path)), "--port", "0", "--json", "--quiet"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        started = json.loads(process.stdout.readline())
        assert (started["records"], started["name"]) == (8, "name")
        with urlopen(started["url"], timeout=60) as response:
            assert json.load(response)["name"] == "countries.csv (Partita)"
    finally:
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in errors


def test_bad_input_is_one_sentence(tmp_path):
    path = write_reference(tmp_path, ("number", "name"))
    assert "no column unique_id or id" in refused("serve", "reconcile", path)
    command = ("serve", "reconcile", path, "--to-id", "number")
    assert "no column 'x'" in refused(*command, "--name", "x")
    assert "no column 'y'" in refused(*command, "--type", "y")
