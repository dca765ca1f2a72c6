"""Other tools in their own process: what they get, and what they answer."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.peers.sets import ROOT
from partita.text.extraction.rules import Rules

__all__ = ["list_firings", "run_peer"]

LIMIT = 900
"""Seconds for each other tool and data set."""


def list_firings(rules: Rules) -> list[tuple[int, int, int, int, str]]:
    """List the firings of rules that state one field, with tokens counted from the line's start."""
    listed = []
    for rule, line, start, stop in zip(*(part.tolist() for part in rules.firings), strict=True):
        own = np.flatnonzero(rules.allowed[rule])
        if own.size == 1:
            base = int(rules.tokens.start[line])
            field = rules.schema.labels[own[0]]
            listed.append((rule, line, start - base, stop - base, field))
    return listed


def run_peer(tool: str, requests: Sequence[dict[str, Any]]) -> list[dict[str, list[str]]] | str:
    """Run another tool in its own process; return its labels by request, or the reason for none."""
    python = os.environ.get("PARTITA_PEERS_PYTHON", sys.executable)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with tempfile.TemporaryDirectory() as folder:
        try:
            answer = subprocess.run(
                [python, "-m", "benchmarks.extract.peers", tool],
                check=False,
                input=json.dumps(requests),
                capture_output=True,
                text=True,
                timeout=LIMIT,
                cwd=folder,
                env=environment,
            )
        except subprocess.TimeoutExpired:
            return f"not finished in {LIMIT} s"
    if answer.returncode:
        return answer.stderr.strip().splitlines()[-1]
    labels: list[dict[str, list[str]]] = json.loads(answer.stdout.splitlines()[-1])
    return labels
