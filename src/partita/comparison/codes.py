"""Codes inside text: tokens with digits, such as model numbers, shared or contradicted.

A token with digits is also read together with a short word beside it, so AC-L200, ACL 200 and
ACL200 are one code.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.data.codes import DIGITS, TOKEN, is_code
from partita.kernel import Ints, entry

__all__ = [
    "CONTRADICTED",
    "MAIN_SHARED",
    "NO_CODES",
    "SOME_SHARED",
    "Codes",
    "codes_of",
    "compare_codes",
]

CONTRADICTED = 0
"""Both values hold codes of one shape, and share none."""
NO_CODES = 1
"""A value holds no code, or the codes have different shapes."""
SOME_SHARED = 2
"""The values share a code."""
MAIN_SHARED = 3
"""The values share the rarest code of one of them."""
MAX_WORD = 4
"""Letters of a word beside a token with digits that may belong to the code."""
SHAPES = 62
"""Bits of the mask of shapes; the most frequent shapes have their own, all others the last."""
LETTERS = re.compile(r"[^\W\d]+")


class Codes(NamedTuple):
    """The spellings of the codes of each value (CSR, ascending), and the shapes of its codes."""

    start: Ints
    spelling: Ints
    is_main: NDArray[np.bool_]
    """Whether the spelling is of the rarest code of the value."""
    shapes: Ints
    """A mask of shapes: runs of letters and digits."""


class Code(NamedTuple):
    """One token with digits."""

    spellings: frozenset[str]
    """The token, and the token with a short word before or after it."""
    shape: str
    """Runs of letters and digits, such as "A9A9" of LN22A450; empty if the token is no code."""


def list_codes(value: str) -> list[Code]:
    """The codes of a value."""
    tokens = ["", *TOKEN.findall(value.lower()), ""]
    codes = []
    for before, token, after in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if not DIGITS.search(token):
            continue
        spellings = {token}
        if _is_short_word(before):
            spellings.add(before + token)
        if _is_short_word(after):
            spellings.add(token + after)
        result = frozenset(filter(is_code, spellings))
        shape = DIGITS.sub("9", LETTERS.sub("A", token)) if is_code(token) else ""
        if result:
            codes.append(Code(result, shape))
    return codes


def _is_short_word(token: str) -> bool:
    return len(token) <= MAX_WORD and token.isalpha()


def codes_of(values: Sequence[str]) -> Codes:
    """Find the codes of each value, the rarest among them, and their shapes."""
    code_lists = [list_codes(value) for value in values]
    spellings = [{text for code in codes for text in code.spellings} for codes in code_lists]
    counts = Counter(text for texts in spellings for text in texts)
    shapes = Counter(code.shape for codes in code_lists for code in codes if code.shape)
    bit = {shape: k for k, (shape, _) in enumerate(shapes.most_common(SHAPES))}
    number = {text: k for k, text in enumerate(counts)}
    start = np.zeros(len(values) + 1, np.int64)
    np.cumsum([len(texts) for texts in spellings], out=start[1:])
    spelling, is_main = np.zeros(start[-1], np.int64), np.zeros(start[-1], bool)
    masks = np.zeros(len(values), np.int64)
    for k, codes in enumerate(code_lists):
        if codes:
            main = min(codes, key=lambda code: _rank(code, counts)).spellings
            row = sorted((number[text], text in main) for text in spellings[k])
            spelling[start[k] : start[k + 1]], is_main[start[k] : start[k + 1]] = zip(
                *row, strict=True
            )
        for shape in {code.shape for code in codes if code.shape}:
            masks[k] |= 1 << bit.get(shape, SHAPES - 1)
    return Codes(start, spelling, is_main, masks)


def _rank(code: Code, counts: Counter[str]) -> tuple[int, int, str]:
    """The order of codes: rare ones first, by their most frequent spelling, then long ones."""
    text = max(code.spellings, key=lambda text: (counts[text], text))
    return counts[text], -len(text), text


@entry
def _compare(codes: Codes, left: Ints, right: Ints, result: NDArray[np.int8]) -> None:
    start, spelling, is_main = codes.start, codes.spelling, codes.is_main
    for k in range(left.size):
        p, p_end = start[left[k]], start[left[k] + 1]
        q, q_end = start[right[k]], start[right[k] + 1]
        shared_shapes = codes.shapes[left[k]] & codes.shapes[right[k]]
        best = CONTRADICTED if shared_shapes else NO_CODES
        while p < p_end and q < q_end:
            if spelling[p] == spelling[q]:
                best = max(best, MAIN_SHARED if is_main[p] or is_main[q] else SOME_SHARED)
                p += 1
                q += 1
            elif spelling[p] < spelling[q]:
                p += 1
            else:
                q += 1
        result[k] = best


def compare_codes(codes: Codes, left: Ints, right: Ints) -> NDArray[np.int8]:
    """How the codes of each pair agree, from CONTRADICTED to MAIN_SHARED."""
    result = np.zeros(len(left), np.int8)
    _compare(codes, np.ascontiguousarray(left), np.ascontiguousarray(right), result)
    return result
