"""Errors as sentences, stops as they are, and JSON that every reader takes."""

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from partita.cli.shell import Guarded, plain, refuse_overwriting, wrote
from partita.errors import InputError


def outcome(error, *written):
    app = typer.Typer(cls=Guarded)

    @app.command()
    def fail():
        wrote(written)
        raise error

    @app.callback()
    def start():
        pass

    return CliRunner().invoke(app, ["fail"])


def test_errors_are_one_line():
    found = outcome(InputError("one\n  sentence"))
    assert (found.exit_code, found.stdout, found.stderr) == (2, "", "one sentence\n")


def test_too_little_memory_is_said():
    found = outcome(MemoryError())
    assert found.exit_code == 2
    assert "--memory" in found.stderr


def test_a_stop_says_what_was_written(tmp_path):
    found = outcome(KeyboardInterrupt())
    assert (found.exit_code, found.stderr) == (130, "stopped; nothing was written\n")
    found = outcome(KeyboardInterrupt(), tmp_path / "a.csv")
    assert found.stderr == f"stopped; written: {tmp_path / 'a.csv'}\n"
    assert "nothing was written" in outcome(KeyboardInterrupt()).stderr


def test_a_fault_of_our_own_is_not_hidden():
    found = outcome(RuntimeError("a fault"))
    assert found.exit_code == 1
    assert isinstance(found.exception, RuntimeError)


def test_plain_values(tmp_path):
    given = {
        1: np.float64("nan"),
        "a": [np.int64(3), float("inf"), None, True],
        "b": np.array([1.5, np.nan]),
        "path": tmp_path,
    }
    assert plain(given) == {
        "1": None,
        "a": [3, None, None, True],
        "b": [1.5, None],
        "path": str(tmp_path),
    }


def test_outputs_replace_neither_inputs_nor_each_other(tmp_path):
    a, b = tmp_path / "a.csv", tmp_path / "b.csv"
    refuse_overwriting([a, None, b], ["c.csv"])
    with pytest.raises(InputError, match="an input"):
        refuse_overwriting([a], [f"{tmp_path}/x/../a.csv"])
    with pytest.raises(InputError, match="an input"):
        refuse_overwriting([a], [f"{a}::table"])
    with pytest.raises(InputError, match="another output"):
        refuse_overwriting([a, b, a], [])
