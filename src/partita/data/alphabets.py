"""The letters beyond ASCII of languages, and the encodings that text files have."""

from __future__ import annotations

__all__ = ["ALPHABETS", "COMMON_SIGNS", "ENCODINGS", "NAMES"]

NAMES = {
    **{"cp1252": "Windows-1252", "mac_roman": "Mac Roman", "cp1250": "Windows-1250"},
    **{"iso8859_2": "Latin-2", "cp1251": "Windows-1251", "koi8_r": "KOI8-R", "cp850": "DOS 850"},
    **{"cp1253": "Windows-1253", "cp1254": "Windows-1254", "cp1257": "Windows-1257"},
    **{
        "cp852": "DOS 852",
        "cp1255": "Windows-1255",
        "cp1256": "Windows-1256",
        "cp874": "Windows-874",
    },
    **{"cp932": "Shift-JIS", "euc_jp": "EUC-JP", "gb18030": "GB18030", "big5": "Big5"},
    **{"cp949": "EUC-KR", "latin_1": "Latin-1"},
}
"""Encodings by Python's name, with their usual names; of equally likely ones the first counts."""
ENCODINGS = tuple(NAMES)


def _list_letters(encoding: str, first: tuple[int, int], last: tuple[int, int]) -> str:
    """The characters of two bytes from one lead byte and trail byte to another."""
    codes = range(first[0] << 8 | first[1], (last[0] << 8 | last[1]) + 1)
    return "".join(code.to_bytes(2, "big").decode(encoding, "ignore") for code in codes)


KANA = (
    "".join(map(chr, range(0x3041, 0x30FF)))
    + "々〆ヶ、。・「」（）　－～〇"
    + "".join(map(chr, (*range(0xFF10, 0xFF1A), *range(0xFF21, 0xFF3B), *range(0xFF66, 0xFF9E))))
)
WESTERN = "àáâãäåæçèéêëìíîïðñòóôõöøùúûüýþÿßœš"
_LETTERS = {
    "French": "àâæçéèêëîïôœùûüÿ",
    "German": "äöüß",
    "Spanish": "áéíñóúü",
    "Portuguese": "áâãàçéêíóôõú",
    "Italian": "àèéìòù",
    "Nordic": "åäöæøé",
    "Icelandic": "áðéíóúýþæö",
    "Western": WESTERN,
    "Polish": "ąćęłńóśźż",
    "Czech and Slovak": "áäčďéěíĺľňóôŕřšťúůýž",
    "Hungarian": "áéíóöőúüű",
    "Romanian": "ăâîșțşţ",
    "Croatian": "čćđšž",
    "Central European": "ąćęłńóśźżáäčďéěíĺľňôŕřšťúůýžöőüűăâîşţđß",
    "Turkish": "çğıöşüâîİ",
    "Baltic": "ąčęėįšųūžāēģīķļņäõöü",
    "Russian": "абвгдеёжзийклмнопрстуфхцчшщъыьэюя",
    "Cyrillic": "абвгдеёжзийклмнопрстуфхцчшщъыьэюяіїєґўђјљњћџѓќѕ№",
    "Greek": "αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώϊϋ",
    "Hebrew": "".join(map(chr, range(0x5D0, 0x5EB))),
    "Arabic": "".join(map(chr, (*range(0x621, 0x63B), *range(0x641, 0x64B)))) + "پچژگ،",
    "Thai": "".join(map(chr, (*range(0xE01, 0xE3B), *range(0xE40, 0xE4F)))),
    # the standards sort frequent characters first
    "Japanese": KANA + _list_letters("cp932", (0x88, 0x9F), (0x98, 0x72)),
    "Simplified Chinese": "，。（）、《》·"
    + "".join(_list_letters("gb18030", (lead, 0xA1), (lead, 0xFE)) for lead in range(0xB0, 0xD8)),
    "Traditional Chinese": "，。（）、《》"
    + "".join(
        _list_letters("big5", (lead, low), (lead, high))
        for lead in range(0xA4, 0xC7)
        for low, high in ((0x40, 0x7E), (0xA1, 0xFE))
    ),
    "Korean": "".join(
        _list_letters("cp949", (lead, 0xA1), (lead, 0xFE)) for lead in range(0xB0, 0xC9)
    ),
}
ALPHABETS = {name: frozenset(letters) for name, letters in _LETTERS.items()}
"""The small letters of each language; larger alphabets give each letter less probability."""
COMMON_SIGNS = frozenset("‘’“”„–—…€£§°«»·¿¡©®™ªº²³½×´\xa0")
"""Signs that occur in text of any language."""
