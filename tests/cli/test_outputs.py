"""Output files: never an input, never overwritten by surprise, and "-" for standard output."""

from pathlib import Path

import pytest

from partita.cli.outputs import check_outputs, is_stdout, open_output
from partita.errors import InputError

CSV = (".csv",)


def check(*paths, inputs=(), force=False, json=False):
    outputs = {f"out{k}": (path, CSV) for k, path in enumerate(paths)}
    check_outputs(outputs, inputs, force=force, json=json)


def test_outputs_replace_neither_inputs_nor_each_other(tmp_path):
    a, b = tmp_path / "a.csv", tmp_path / "b.csv"
    check(a, None, b, inputs=["c.csv", None, "-"])
    for given in (f"{tmp_path}/x/../a.csv", f"{a}::table"):
        with pytest.raises(InputError, match="an input"):
            check(a, inputs=[given], force=True)
    with pytest.raises(InputError, match="another output"):
        check(a, b, a, force=True)


def test_existing_files_are_named_in_one_sentence_unless_forced(tmp_path):
    a, b = tmp_path / "a.csv", tmp_path / "b.csv"
    a.touch()
    with pytest.raises(InputError, match=r"a.csv exists; add --force to overwrite it"):
        check(a, b)
    b.touch()
    with pytest.raises(InputError, match=r"a.csv and .*b.csv exist; add --force"):
        check(a, b)
    check(a, b, force=True)


def test_only_one_output_goes_to_standard_output(capfd):
    dash = Path("-")
    assert is_stdout(dash) and is_stdout(Path("/dev/stdout")) and not is_stdout(None)
    check(dash)
    with pytest.raises(InputError, match=r"--out0 and --out1 both write to standard output"):
        check(dash, dash)
    with pytest.raises(InputError, match=r"--out0 and --json both write to standard output"):
        check(dash, json=True)
    with open_output(dash, ".csv") as path:
        path.write_text("a,b\n")
    assert capfd.readouterr().out == "a,b\n"
    assert not path.exists()
