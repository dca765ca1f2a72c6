"""Features of a mention with the whole entity of an antecedent, in a first guess of the entities.

A pair of mentions shows little of an entity: `it` does not show the name that it stands for. The
first pass of the antecedent model gives a guess of the entities. The second pass reads, for each
antecedent, the members of its guessed entity that stand before the mention.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.kernel import Ints
from partita.text.coreference.attributes import NOM, PRONOUNS, PROP, Attributes, code
from partita.text.coreference.pairs import SENTENCES, Antecedents, mix_codes

__all__ = ["entity_features"]

SIZES = np.array([1, 2, 3, 5, 9, 17])
"""Limits of the classes of an entity's size."""
TYPE_SHARES = np.array([0.01, 0.5, 0.99])
"""Limits of the classes of the share of members that have the mention's type."""


class _Members:
    """The members of guessed entities before each mention, for all pairs."""

    def __init__(self, pairs: Antecedents, guess: Ints) -> None:
        self.n, (self.j, i) = guess.size, pairs
        self.entity = np.unique(guess, return_inverse=True)[1].reshape(-1).astype(np.int64)
        self.order = np.lexsort((np.arange(self.n), self.entity))
        ordered = self.entity[self.order]
        self.of_pair = self.entity[i]
        """The guessed entity of each antecedent."""
        first = np.searchsorted(ordered, np.arange(self.n))
        self.first = first[self.of_pair]
        keys = ordered * self.n + self.order
        self.last = np.searchsorted(keys, self.of_pair * self.n + self.j) - 1
        """The place of the last member before the mention in the order of members."""

    def count(self, values: NDArray[Any]) -> Ints:
        """The sum of a value over the earlier members of the entity of each pair."""
        total = np.concatenate([[0], np.cumsum(values[self.order].astype(np.int64))])
        return np.asarray(total[self.last + 1] - total[self.first])

    def have(self, codes: Ints, target: Ints) -> NDArray[np.bool_]:
        """Whether an earlier member has the target code, which is not 0."""
        known, number = np.unique(codes, return_inverse=True)
        keys = self.entity * known.size + number.reshape(-1)
        keys = np.sort(keys * self.n + np.arange(self.n))
        place = np.minimum(np.searchsorted(known, target), known.size - 1)
        group = self.of_pair * known.size + place
        latest = np.searchsorted(keys, group * self.n + self.j) - 1
        has = (latest >= 0) & (keys[np.maximum(latest, 0)] // self.n == group)
        return np.asarray(has & (known[place] == target) & (target != 0))

    def share_type(self, type: Ints) -> Ints:
        """The class of the share of earlier members that have the mention's type."""
        same = np.zeros(self.j.size, np.int64)
        for value in np.unique(type[type != 0]):
            rows = type[self.j] == value
            same[rows] = self.count(type == value)[rows]
        share = same / np.maximum(self.count(np.ones(self.n)), 1)
        return np.searchsorted(TYPE_SHARES, share, "right")


def entity_features(
    attributes: Sequence[Attributes], pairs: Antecedents, guess: Ints
) -> NDArray[np.int32]:
    """Return the features of each mention with the guessed entity of each antecedent."""
    members, (j, i) = _Members(pairs, guess), pairs
    form, kind, type, gender, number, head, text, first, last, sentence = (
        np.concatenate([getattr(of, name) for of in attributes])
        for name in (
            "form", "kind", "type", "gender", "number", "head", "text", "first", "last", "sentence",
        )
    )  # fmt: skip
    classes = [*(kind == code(name) for name in PRONOUNS), form == NOM, form == PROP]
    present = sum((members.count(flag) > 0) << bit for bit, flag in enumerate(classes))
    genders = sum((members.count(gender & bit > 0) > 0) * bit for bit in (1, 2))
    plural, singular = members.count(number) > 0, members.count(1 - number) > 0
    named = form == PROP
    same_text, same_head = members.have(text, text[j]), members.have(head, head[j])
    name_text = members.have(np.where(named, text, 0), text[j])
    name_last = members.have(np.where(named, last, 0), last[j])
    name_first = members.have(np.where(named, first, 0), first[j])
    match = name_text + 2 * same_head + 4 * same_text + 8 * (members.count(named) > 0)
    size = np.searchsorted(SIZES, members.count(np.ones(members.n)), "right")
    latest = members.order[members.last]
    near = np.searchsorted(SENTENCES, np.maximum(sentence[j] - sentence[latest], 0), "right")
    columns = (
        mix_codes(70, kind[j], present),
        mix_codes(71, kind[j], gender[j], genders),
        mix_codes(72, form[j], number[j], plural, singular, same_head),
        mix_codes(73, form[j], form[i], match),
        mix_codes(74, form[j], match, name_last + 2 * name_first),
        mix_codes(75, kind[j], size, near),
        mix_codes(76, kind[j], kind[i], latest == i, near),
        mix_codes(77, form[j], members.share_type(type), match),
        mix_codes(78, form[j], form[i], size, match),
    )
    return np.stack(columns, 1)
