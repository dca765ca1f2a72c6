"""What an error must say: one sentence that names the value and the remedy.

A case is what is called, the error, and words of its message: the value, then the remedy.
"""

import math
import re

import pytest

from partita.errors import PartitaError

NAN, INF = math.nan, math.inf


def told(call, error):
    """The message of the error, which must be one sentence."""
    with pytest.raises(PartitaError) as caught:
        call()
    assert caught.type is error
    message = str(caught.value)
    assert "\n" not in message
    assert not re.search(r"[.!?]\s+[A-Z]", message), "more than one sentence"
    assert not message.endswith((".", "!", " "))
    # the longest quotes a line of the user's own
    assert len(message) < 330
    return message


def names_value_and_remedy(case):
    call, error, value, remedy = case
    message = told(call, error)
    assert re.search(value, message), message
    assert re.search(remedy, message), message
