"""Cleaning: one spelling for values that differ in case, accents or punctuation only.

Compatibility forms are decomposed (NFKD), accents dropped, letters lowered, and every run of other
characters becomes one blank. Placeholders such as "n/a" become missing. The sign of a negative
number and the equals sign of a formula stay.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from partita.data.arrow import NULL_STRING, from_strings

__all__ = ["NULL_WORDS", "clean"]

NULL_WORDS = (
    *("", "n a", "none", "null", "nil", "unknown", "unk", "missing", "undefined", "unspecified"),
    *("not available", "not applicable", "not known", "not provided", "not given", "not stated"),
    *("no value", "no data", "empty", "blank", "0000 00 00", "00 00 0000", "00000000"),
)
# "Nan" and "Na" are also names of people; only the spellings that programs write are null
NULL_SPELLINGS = ("NA", "na", "nan", "NaN", "NAN", "<NA>", "NaT", "#N/A", "#NULL!", r"\N")
NEGATIVE = r"^[-\x{2212}]\d[\d., ]*$"
"""A negative number; a hyphen elsewhere is punctuation."""
# accents of Latin, Greek and Cyrillic, points of Hebrew and Arabic; vowel signs of other scripts
# are letters and stay
ACCENTS = (
    r"[\x{0300}-\x{036F}\x{0591}-\x{05BD}\x{05BF}\x{05C1}\x{05C2}\x{05C4}\x{05C5}\x{064B}-\x{065F}"
    r"\x{1AB0}-\x{1AFF}\x{1DC0}-\x{1DFF}\x{20D0}-\x{20FF}\x{FE20}-\x{FE2F}]+"
)
# letters that Unicode does not decompose
FOLDED = {
    **{"ß": "ss", "æ": "ae", "œ": "oe", "þ": "th", "ø": "o", "ł": "l"},
    **{"đ": "d", "ð": "d", "ħ": "h", "ı": "i", "ŧ": "t"},
}


def clean(values: pa.Array) -> pa.Array:
    """Clean values, in the same order; a value of which nothing is left becomes missing."""
    text = values.cast(pa.string())
    trimmed = pc.utf8_trim_whitespace(text)
    is_spelled = pc.is_in(trimmed, from_strings(NULL_SPELLINGS))
    sign = _find_signs(trimmed)
    is_foreign = not pc.all(pc.string_is_ascii(text), min_count=0).as_py()
    if is_foreign:
        text = pc.replace_substring_regex(pc.utf8_normalize(text, "NFKD"), ACCENTS, "")
    text = pc.utf8_lower(text)
    if is_foreign:
        for letter, plain in FOLDED.items():
            text = pc.replace_substring(text, letter, plain)
        text = pc.replace_substring_regex(text, r"[^\p{L}\p{N}\p{M}]+", " ")
        # compose the syllables that NFKD decomposed
        text = pc.utf8_normalize(text, "NFC")
    else:
        text = pc.replace_substring_regex(text, r"[^a-z0-9]+", " ")
    text = pc.utf8_trim(text, " ")
    missing = pc.or_(is_spelled, pc.is_in(text, from_strings(NULL_WORDS)))
    signed = text if sign is None else pc.binary_join_element_wise(sign, text, "")
    return pc.if_else(missing, NULL_STRING, signed)


def _find_signs(texts: pa.Array) -> pa.Array | None:
    """The signs that cleaning keeps: of negative numbers and of formulas; None without any."""
    is_negative = pc.match_substring_regex(texts, NEGATIVE)
    is_formula = pc.starts_with(texts, "=")
    if not pc.any(pc.or_(is_negative, is_formula), min_count=0).as_py():
        return None
    return pc.if_else(is_negative, "-", pc.if_else(is_formula, "=", ""))
