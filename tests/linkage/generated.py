"""Generated people, some of them twice, with typos; households on demand."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

SYLLABLES = ["ba", "co", "di", "fu", "ga", "he", "jo", "ka", "li", "mo", "nu", "pe", "ra", "so"]
COLUMN_TYPES = ["given name", "surname", "address", "postcode", "phone", "date"]
NAMES = ["given", "family", "street", "area", "call", "born"]


@dataclass(frozen=True)
class Column:
    name: str
    codes: np.ndarray
    values: pa.Array


@dataclass(frozen=True)
class Sample:
    columns: list
    column_types: list
    n: int
    entity: np.ndarray
    pairs: np.ndarray

    @property
    def truth(self):
        return self.entity[self.pairs[:, 0]] == self.entity[self.pairs[:, 1]]


def column(name, texts):
    values, codes = np.unique(np.asarray(texts, str), return_inverse=True)
    codes = codes.reshape(-1).astype(np.int32)
    if len(values) and values[0] == "":
        values, codes = values[1:], codes - 1
    return Column(name, codes, pa.array(values.tolist(), pa.string()))


def words(rng, many, least, most):
    return ["".join(rng.choice(SYLLABLES, rng.integers(least, most))) for _ in range(many)]


def pick(rng, from_words):
    """A word, the first ones more often."""
    return from_words[int(len(from_words) * rng.random() ** 2)]


def typo(rng, text):
    place = int(rng.integers(len(text)))
    new = rng.choice(list("xyz")) if text[place].isalpha() else str(rng.integers(10))
    return text[:place] + new + text[place + 1 :]


def person(rng, pools, home):
    given, family = pools[0], pools[1]
    street, area, call, shared = home
    born = f"{rng.integers(1930, 2010)}{rng.integers(1, 13):02d}{rng.integers(1, 29):02d}"
    surname = shared if rng.random() < 0.8 else pick(rng, family)
    return [pick(rng, given), surname, street, area, call, born]


def again(rng, record):
    """The same person once more: typos and missing values."""
    changed = [typo(rng, text) if rng.random() < 0.15 else text for text in record]
    return ["" if rng.random() < 0.05 else text for text in changed]


def blocked(columns, which, cap=40):
    """Pairs that agree on one of some columns."""
    n, found = len(columns[0].codes), []
    for q in which:
        order = np.argsort(columns[q].codes, kind="stable")
        codes = columns[q].codes[order]
        for group in np.split(order, np.flatnonzero(np.diff(codes)) + 1):
            if columns[q].codes[group[0]] >= 0 and 1 < len(group) <= cap:
                a, b = np.triu_indices(len(group), 1)
                low, high = np.minimum(group[a], group[b]), np.maximum(group[a], group[b])
                found.append(low * n + high)
    key = np.unique(np.concatenate(found))
    return np.stack([key // n, key % n], axis=1)


def people(entities=600, household=1, seed=0):
    """Records of people; `household` of them live together on average."""
    rng = np.random.default_rng(seed)
    pools = words(rng, 150, 2, 4), words(rng, 400, 2, 5), words(rng, 300, 3, 5)
    records, entity, made = [], [], 0
    while made < entities:
        street = f"{rng.integers(1, 200)} {pick(rng, pools[2])} street"
        call = str(rng.integers(10**8, 10**9))
        home = street, str(rng.integers(2000, 2100)), call, pick(rng, pools[1])
        for _ in range(rng.integers(1, 2 * household)) if household > 1 else range(1):
            one = person(rng, pools, home)
            copies = [again(rng, one) for _ in range(int(rng.random() < 0.4))]
            records += [one, *copies]
            entity += [made] * (1 + len(copies))
            made += 1
    columns = [
        column(name, texts) for name, texts in zip(NAMES, zip(*records, strict=True), strict=True)
    ]
    pairs = blocked(columns, (1, 2, 3, 4, 5))
    return Sample(columns, COLUMN_TYPES, len(entity), np.array(entity), pairs)


def average_precision(score, truth):
    ranked = truth[np.argsort(-score, kind="stable")]
    return float((np.cumsum(ranked) / np.arange(1, len(ranked) + 1))[ranked].mean())
