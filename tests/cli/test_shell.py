"""Errors as sentences, stops as they are, and JSON that every reader takes."""

import json

import numpy as np
import typer
from rich.table import Table
from rich.text import Text
from typer.testing import CliRunner

from partita.cli.shell import (
    CommandGroup,
    console,
    escape_controls,
    mark_written,
    print_json,
    print_warnings,
    to_json,
)
from partita.errors import InputError
from partita.linkage.notes import Note, Severity


def outcome(error, *written):
    app = typer.Typer(cls=CommandGroup)

    @app.command()
    def fail():
        mark_written(written)
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


def test_a_stop_names_the_written_files(tmp_path):
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
    assert to_json(given) == {
        "1": None,
        "a": [3, None, None, True],
        "b": [1.5, None],
        "path": str(tmp_path),
    }


def test_warnings_go_to_standard_error_the_gravest_first(capsys):
    detail = Note("no candidate pair shows some levels: x", Severity.VERBOSE)
    texts = [detail, "EM had not converged", Note("R-hat is 2", Severity.UNRELIABLE)]
    print_warnings(texts)
    out, text = capsys.readouterr()
    lines = [line.removeprefix("warning: ") for line in text.splitlines()]
    assert (out, lines) == ("", [texts[2], texts[1]])
    print_warnings(texts, verbose=True)
    assert detail in capsys.readouterr().err


ATTACK = "a\x1b]0;title\x07\x9b2J\x7f\u202eb"


def test_control_characters_are_visible(capsys):
    shown = escape_controls(ATTACK)
    assert shown == r"a\x1b]0;title\x07\x9b2J\x7f\u202eb"
    assert escape_controls("tab\tline\nGrüße 日本") == "tab\tline\nGrüße 日本"
    assert outcome(InputError(ATTACK)).stderr == shown + "\n"
    table = Table(ATTACK)
    table.add_row(Text(ATTACK))
    for screen in (console(), console(stderr=True)):
        screen.print(table)
        screen.print(ATTACK, markup=False)
    print_warnings([ATTACK])
    out, err = capsys.readouterr()
    for text in (out, err):
        assert r"a\x1b]0;title" in text
        assert not any(mark in text for mark in "\x1b\x07\x9b\x7f\u202e")


def test_json_has_no_control_characters(capsys):
    print_json({ATTACK: ATTACK})
    out = capsys.readouterr().out
    assert not any(mark in out for mark in "\x1b\x07\x9b\x7f\u202e")
    assert json.loads(out) == {ATTACK: ATTACK}


def test_styles_reach_a_terminal(monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")
    console().print(Text(ATTACK, "bold"))
    out = capsys.readouterr().out
    assert out.startswith("\x1b[1m") and r"\x1b]0;title" in out
