"""The program in the README runs as it stands."""

import re
from pathlib import Path

import pytest

README = Path(__file__).parents[1] / "README.md"


@pytest.mark.compiled
def test_the_program_in_the_readme_runs():
    (program,) = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    names = {}
    exec(program, names)
    same = names["posterior"].p_same([[0, 1], [0, 2]])
    assert same[0] > 0.9 > 0.1 > same[1]
