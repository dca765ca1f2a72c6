"""The type of a column by its values: date, number, code, name, address and so on.

Five base types choose the comparison (date, number, code, text, name); a second step refines each.
The name of a column is a weak hint: it halves the threshold of the type that it suggests.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from partita.kernel import Floats

__all__ = ["COLUMN_TYPES", "Sample", "infer_base_type", "infer_type", "infer_type_from_name"]

COLUMN_TYPES = (
    *("given name", "surname", "full name", "date", "number", "code", "email", "phone"),
    *("postcode", "address", "category", "long text", "list"),
)
MAX_LENGTH = 400
"""Characters of a value to which patterns are applied."""

# common names of several languages, to distinguish names of people from other words; no register
_GIVEN = """
    james john robert michael william david richard joseph thomas charles christopher daniel
    matthew anthony mark donald steven stephen paul andrew joshua kenneth kevin brian george edward
    timothy jason jeffrey ryan jacob gary nicholas eric jonathan larry justin scott brandon benjamin
    samuel frank gregory raymond alexander patrick jack dennis jerry henry peter adam arthur albert
    walter harry fred frederick francis philip simon martin roger hugh ralph edmund oliver lewis
    mary patricia jennifer linda elizabeth barbara susan jessica sarah karen nancy lisa margaret
    betty sandra ashley dorothy kimberly emily donna michelle carol amanda melissa deborah stephanie
    rebecca laura sharon cynthia kathleen amy helen anna angela ruth katherine catherine christine
    rachel janet emma olivia sophie sophia charlotte alice jane anne ann ellen lucy grace hannah
    chloe ella mia isabella jasmine lachlan joel luke liam noah ethan jordan harrison georgia holly
    hans klaus wolfgang juergen jurgen dieter manfred helmut guenter gunter uwe horst heinz werner
    karl stefan thorsten torsten andreas bernd rainer ursula monika petra sabine renate helga karin
    brigitte ingrid erika gisela heike claudia jan pieter johannes willem jean pierre michel jacques
    philippe alain bernard marie francoise isabelle sylvie nathalie jose juan carlos luis manuel
    antonio francisco miguel pedro maria carmen ana rosa teresa lucia giuseppe giovanni mario luigi
    marco paolo francesca giulia anders lars erik nils olof per johan ivan vladimir sergei dmitri
    olga natalia elena tatiana jerzy piotr krzysztof mohammed muhammad ahmed ali omar fatima aisha
    wei li ming hiroshi takashi kenji raj amit sanjay priya anil vijay sunil ravi
"""
GIVEN = frozenset(_GIVEN.split())
_FAMILY = """
    smith johnson williams brown jones garcia miller davis rodriguez martinez hernandez lopez
    gonzalez wilson anderson thomas taylor moore jackson martin lee perez thompson white harris
    sanchez clark ramirez lewis robinson walker young allen king wright scott torres nguyen hill
    flores green adams nelson baker hall rivera campbell mitchell carter roberts evans turner parker
    edwards collins stewart morris murphy cook rogers morgan cooper peterson reed bailey bell kelly
    howard ward cox richardson wood watson brooks bennett gray hughes price myers foster sanders
    ross long powell sullivan russell ortiz jenkins perry butler barnes fisher henderson coleman
    simmons patterson jordan reynolds hamilton graham kim gonzales alexander ramos wallace griffin
    west cole hayes gibson ellis stevens murray ford marshall owens mcdonald harrison davies webb
    hunter shaw mason palmer mills nichols grant knight ferguson stone hawkins dunn walsh clarke
    mueller muller schmidt schneider fischer weber meyer wagner becker schulz hoffmann schaefer koch
    bauer richter klein wolf schroeder neumann schwarz zimmermann braun krueger hofmann hartmann
    lange schmitt werner krause meier lehmann schmid schulze maier koehler herrmann koenig huber
    kaiser fuchs peters lang scholz moeller weiss jung hahn vogel jansen devries vandijk bakker
    dubois durand leroy moreau simon laurent lefebvre rossi russo ferrari esposito bianchi romano
    silva santos oliveira souza pereira costa ferreira ivanov petrov kowalski nowak wisniewski
    andersson johansson karlsson nilsson hansen olsen larsen nielsen jensen singh kumar sharma patel
    khan wang li zhang liu chen yang huang zhao wu zhou tanaka suzuki sato takahashi watanabe park
    choi nguyen tran
"""
FAMILY = frozenset(_FAMILY.split())
_STREET = """
    street st road rd avenue ave av lane ln drive dr court ct crescent cres circuit cct close cl
    place pl parade pde terrace tce way highway hwy boulevard blvd square sq row walk gardens grove
    mews apartment apt flat unit suite floor box strasse str weg gasse platz allee rue chemin
    impasse via viale piazza corso calle avenida plaza camino paseo carrera rua travessa straat laan
    plein ulica ul ulitsa gata gatan vej vag
"""
STREET = frozenset(_STREET.split())
MONTH = r"(jan|feb|mar|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez)[a-z]*"
AND = re.compile(r",|&|\band\b|\bund\b|\bet\b|\by\b")
EMAIL = re.compile(r"\S+@\S+\.[a-z]{2,}\W*")
NUMBER = re.compile(r"[$€£]?\s*[-+]?[$€£]?(\d+|\d{1,3}(,\d{3})+)?([.,]\d+)?(e[-+]?\d+)?\s*[%€£]?")
DECIMAL = re.compile(r".*\d*[.,]\d+\D*")
DATE = re.compile(
    r"(\d{4}[-/. ]\d{1,2}[-/. ]\d{1,2}|\d{1,2}[-/. ]\d{1,2}[-/. ](\d{4}|\d{2}))([t ].*\d:\d.*)?"
    rf"|\d{{1,2}}(st|nd|rd|th)?[-/. ]+{MONTH}[-/., ]+\d{{2,4}}"
    rf"|{MONTH}[-/. ]+\d{{1,2}}(st|nd|rd|th)?[,. ]+\d{{4}}"
)
YEAR = re.compile(r"\D*(1[0-9]|20)\d\d\D*")
PHONE = re.compile(r"[\d\s()+./-]{7,24}(\s*(x|ext)\.?\s*\d{1,5})?")
POSTCODE = re.compile(
    r"[a-z]{1,2}\d[a-z\d]?\s*\d[a-z]{2}|[a-z]\d[a-z][ -]?\d[a-z]\d|\d{4}\s?[a-z]{2}"
    r"|\d{5}-\d{4}|[a-z]\d\d\s?[a-z\d]{4}|\d{2}-\d{3}"
)
HINTS = (
    ("email", r"e?mail"),
    ("phone", r"phone|tel|mobile|cell|fax"),
    ("postcode", r"post.?code|postal|zip|plz"),
    ("date", r"date|dob|birth.?day|born|day"),
    ("address", r"address|addr|street|strasse"),
    ("given name", r"(first|given|fore|christian|middle).?name|fname|vorname|prenom"),
    ("surname", r"(last|sur|family).?name|lname|nachname|surname"),
    ("full name", r"(full|person|contact|author|customer|patient).?name|author|^name$"),
    ("category", r"city|town|suburb|county|country|state|place|region|gender|sex$"),
    ("list", r"authors|keywords|tags|members|aliases"),
)
# one-letter words of several languages, which are not initials
SMALL_WORDS = frozenset("aeioudlstyn")


def infer_type_from_name(name: str) -> str | None:
    """The type that the name of a column suggests, if any."""
    lowered = name.lower()
    return next((type for type, pattern in HINTS if re.search(pattern, lowered)), None)


@dataclass(frozen=True, eq=False)
class Sample:
    """A sample of the distinct values of a column, raw and cleaned, with their record counts."""

    raw: Sequence[str]
    clean: Sequence[str]
    counts: Floats
    distinct: int
    filled: int
    hint: str | None = None

    @cached_property
    def texts(self) -> list[str]:
        """Values in lower case, stripped, cut to MAX_LENGTH."""
        return [value[:MAX_LENGTH].strip().lower() for value in self.raw]

    @cached_property
    def tokens(self) -> list[list[str]]:
        """Words of the cleaned values."""
        return [value[: 10 * MAX_LENGTH].split() for value in self.clean]

    def share(self, test: Callable[[str], object]) -> float:
        """The share of values for which a test holds."""
        return float(np.mean([bool(test(text)) for text in self.texts]))

    def share_clean(self, test: Callable[[str], object]) -> float:
        """The share of cleaned values for which a test holds."""
        return float(np.mean([bool(test(text)) for text in self.clean]))

    def records(self, test: Callable[[list[str]], object]) -> float:
        """The share of records for whose words a test holds."""
        passed = np.array([bool(test(words)) for words in self.tokens])
        return float(passed @ self.counts / self.counts.sum())

    def threshold(self, type: str, share: float) -> float:
        """The share that a type requires: half of it if the column name suggests the type."""
        return share / 2 if self.hint == type else share

    @cached_property
    def words(self) -> float:
        """The mean number of words."""
        return float(np.mean([len(words) for words in self.tokens]))

    @cached_property
    def length(self) -> float:
        """The mean length of a cleaned value."""
        return float(np.mean([len(value) for value in self.clean]))

    @cached_property
    def digits(self) -> float:
        """The share of values with a digit."""
        return self.share_clean(lambda text: any(sign.isdigit() for sign in text))

    @cached_property
    def base_type(self) -> str:
        """The base type, inferred once."""
        return infer_base_type(self)


def is_date(text: str) -> bool:
    """Whether a text is eight digits with a plausible date, or a common form of a date."""
    packed = re.sub(r"\D", "", text)
    if len(packed) == 8 and not re.search(r"[a-z]", text):
        return any(
            1000 <= int(year) <= 2100 and 0 < int(month) <= 12 and 0 < int(day) <= 31
            for year, month, day in (
                (packed[:4], packed[4:6], packed[6:]),
                (packed[4:], packed[:2], packed[2:4]),
                (packed[4:], packed[2:4], packed[:2]),
            )
        )
    return DATE.fullmatch(text) is not None


def is_number(text: str) -> bool:
    """Whether a text is a number, with or without sign, currency and thousands."""
    return NUMBER.fullmatch(text) is not None and any(sign.isdigit() for sign in text)


def infer_base_type(sample: Sample) -> str:
    """Infer the base type of a column: date, number, code, text or name."""
    if sample.share(is_date) > 0.7:
        return "date"
    decimals = sample.share(DECIMAL.fullmatch)
    if sample.share(is_number) > 0.9 and decimals > 0.3 and sample.distinct > 50:
        return "number"
    # cleaning makes five words of 978-3-16-148410-0
    words = min(sample.words, float(np.mean([len(text.split()) for text in sample.texts])))
    if sample.digits > 0.6 and sample.length <= 24 and words <= 3:
        return "code"
    return "text" if sample.words > 1.5 or sample.length > 24 else "name"


def infer_type(sample: Sample) -> str:
    """Infer the type of a column."""
    if not len(sample.clean):
        return "category"
    base = sample.base_type
    if sample.share(EMAIL.fullmatch) > sample.threshold("email", 0.7):
        return "email"
    if base in ("date", "number"):
        return base
    if _is_address(sample):
        return "address"
    if base == "code":
        return _refine_code(sample)
    if _is_list(sample):
        return "list"
    return _refine_text(sample) if base == "text" else _refine_name(sample)


def _is_address(sample: Sample) -> bool:
    """Whether values have several words, with a word for a street or a house number."""
    if sample.words < 1.5 or sample.words > 15:
        return False
    streets = sample.records(_has_street)
    numbered_share = sample.records(_is_numbered)
    return streets > sample.threshold("address", 0.4) or (
        numbered_share > sample.threshold("address", 0.6)
        and streets > sample.threshold("address", 0.1)
    )


def _has_street(words: list[str]) -> bool:
    """Whether a word for a street follows the first word or ends a compound."""
    return any(word in STREET for word in words[1:]) or any(
        len(word) > 6 and word.endswith(("strasse", "straat", "street")) for word in words
    )


def _is_numbered(words: list[str]) -> bool:
    """Whether a value has a short number beside two words or more."""
    numbers = [word for word in words if word[0].isdigit() and len(word) <= 5]
    return bool(numbers) and len(words) - len(numbers) >= 2


def _refine_code(sample: Sample) -> str:
    """Refine a code: phone, postcode or any other code."""
    if sample.share(_is_phone) > sample.threshold("phone", 0.7):
        return "phone"
    if sample.share(POSTCODE.fullmatch) > sample.threshold("postcode", 0.7):
        return "postcode"
    widths = [len(text) for text in sample.clean if text.isdigit()]
    if len(widths) > 0.9 * len(sample.clean):
        common = int(np.bincount(widths).argmax())
        fixed = widths.count(common) / len(sample.clean)
        years = sample.share(YEAR.fullmatch)
        repeated = sample.distinct < 0.5 * sample.filled or sample.hint == "postcode"
        if 4 <= common <= 6 and fixed > 0.9 and years < 0.6 and repeated and sample.distinct >= 20:
            return "postcode"
    return "code"


def _is_phone(text: str) -> bool:
    """Whether a text is seven to fifteen digits, grouped like a telephone number."""
    groups = re.findall(r"\d+", text)
    count = sum(map(len, groups))
    if PHONE.fullmatch(text) is None or not 7 <= count <= 15 or text.startswith(("978", "979")):
        return False
    if text.startswith(("+", "(", "00")) or (text.startswith("0") and count >= 9):
        return True
    # 3-2-4 digits is a social security number
    return len(groups) >= 3 and count >= 9 and [len(group) for group in groups] != [3, 2, 4]


def _is_list(sample: Sample) -> bool:
    """Whether values are short parts between semicolons or bars, or several between commas."""
    split_texts = [re.split(r"[;|]", text) for text in sample.texts if ";" in text or "|" in text]
    if len(split_texts) > sample.threshold("list", 0.4) * len(sample.texts):
        return float(np.mean([len(part.split()) for items in split_texts for part in items])) <= 6
    parts = [AND.split(text) for text in sample.texts]
    filled_items = [[part for part in items if part.strip()] for items in parts]
    several = [items for items in filled_items if len(items) >= 3]
    if len(several) < sample.threshold("list", 0.25) * len(filled_items) or sample.digits > 0.2:
        return False
    return float(np.mean([len(part.split()) for items in several for part in items])) <= 3.5


def _refine_text(sample: Sample) -> str:
    """Refine text: full name, category or long text."""
    is_repetitive = sample.distinct <= 50 and sample.distinct <= 0.05 * sample.filled
    if sample.words <= 7 and sample.length <= 60 and sample.digits <= 0.3:
        people = sample.records(
            lambda words: words[-1] in FAMILY or any(word in GIVEN for word in words)
        )
        initials = sample.records(
            lambda words: any(len(word) == 1 and word not in SMALL_WORDS for word in words)
        )
        if people > sample.threshold("full name", 0.4) or initials + people > sample.threshold(
            "full name", 0.5
        ):
            return "full name"
    return "category" if is_repetitive and sample.length <= 24 else "long text"


def _refine_name(sample: Sample) -> str:
    """Refine a name: given name, surname, or category such as a town."""
    given_share = sample.records(lambda words: any(word in GIVEN for word in words))
    family = sample.records(lambda words: any(word in FAMILY for word in words))
    # towns are named after people, but in more words
    factor = 4 if sample.words > 1.2 or sample.hint == "category" else 1
    if given_share > factor * sample.threshold("given name", 0.1) and given_share > family:
        return "given name"
    if family > factor * sample.threshold("surname", 0.05) and family > given_share:
        return "surname"
    return "category"
