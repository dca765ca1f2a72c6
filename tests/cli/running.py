"""Running commands as a user does."""

import json

from typer.testing import CliRunner

from partita.cli import app


def run(*command):
    """The outcome of a command; a traceback is raised here instead of being kept."""
    found = CliRunner().invoke(app, [str(word) for word in command])
    if found.exception is not None and not isinstance(found.exception, SystemExit):
        raise found.exception
    return found


def told(*command):
    """The JSON of a command that went well and said nothing else."""
    found = run(*command, "--json")
    assert found.exit_code == 0, found.stderr
    assert found.stdout.count("\n") == 1
    return json.loads(found.stdout)


def refused(*command):
    """The one sentence of a command that was refused."""
    found = run(*command)
    assert found.exit_code == 2, (found.exit_code, found.stdout)
    assert found.stdout == ""
    # a cold cache adds the line about compilation
    said = found.stderr.replace("compiling (once); later runs load the machine code\n", "")
    assert said.count("\n") == 1, said
    assert "Traceback" not in said
    return said
