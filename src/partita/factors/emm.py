"""The entity/mention model of SDDS section 3.1: the number of entities and their mentions.

There are K entities; P(K) is log-normal, truncated to whole numbers. Each mention picks an entity
uniformly (K^-N) and draws its token from that entity's dictionary, which is integrated out.
Entities without mentions are integrated out too: the score of L entities with mentions is
    log sum over K >= L of P(K) K^-N w(K, L).
The paper does not define a state. Unlabelled, w = 1: a state is a set of entities, as in the
paper's split and merge ratios. Labelled, w = K! / (K - L)!: the number of ways to number them. The
two are different models; only the unlabelled one has ten entities on the paper's data.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from partita.errors import InputError
from partita.factors.components import categorical
from partita.factors.conjugate import conjugate
from partita.factors.model import Model
from partita.factors.priors import entities_prior
from partita.factors.template import finite
from partita.kernel import Floats, gammaln
from partita.states.checks import integers, positive, whole

__all__ = ["EntityMention", "entity_mention"]

EMPTY_ENTITIES = 100
"""Number of empty entities in the sum over K unless `most` is set; the tail is negligible."""


class EntityMention(NamedTuple):
    """The model, and E[K | L]: the expected number of entities, by the number with mentions."""

    model: Model
    expected: Floats


def entity_mention(
    tokens: ArrayLike,
    *,
    vocabulary: int | None = None,
    alpha: float = 0.001,
    mu: float = float(np.log(10.0)),
    sigma: float = 1.0,
    states: str = "unlabelled",
    empty: bool = True,
    most: int | None = None,
) -> EntityMention:
    """Build the entity/mention model over partitions of the mentions (SDDS section 3.1).

    Its templates are `number` (log P(L)), `uniform` (-N log L: the one to ramp in a burn-in),
    `rest` (the terms of empty entities and labels) and `tokens`.

    Parameters
    ----------
    tokens
        The token of each mention: 0, 1, ...
    vocabulary
        Number of tokens; by default the largest token plus one.
    alpha
        Prior count of each token in each dictionary.
    mu, sigma
        Location and scale of log K.
    states
        "unlabelled" or "labelled": whether entities are numbered.
    empty
        Whether entities without mentions are possible.
    most
        The largest K; by default the number of mentions plus 100. The labelled model depends on it.
    """
    codes = integers(tokens, "the tokens").reshape(-1)
    if codes.size == 0 or codes.min() < 0:
        worst = codes.min() if codes.size else "missing"
        raise InputError(f"a token is {worst}; give at least one mention, with tokens 0, 1, 2, ...")
    if states not in ("unlabelled", "labelled"):
        raise InputError(f"states is {states!r}; give 'unlabelled' or 'labelled'")
    n = codes.size
    last = n + EMPTY_ENTITIES if most is None else whole(most, "most", n)
    size = int(codes.max()) + 1 if vocabulary is None else whole(vocabulary, "vocabulary")
    component = categorical(codes, prior=alpha, values=[size])
    number = log_normal(last, mu, sigma)
    joint = _joint(number, n, last, states == "labelled", empty)
    seen = np.arange(1, n + 1)
    uniform = -n * np.log(seen)
    sums = np.logaddexp.reduce(joint, axis=1)
    model = Model(
        entities_prior(_from_one(number[:n]), name="number"),
        entities_prior(_from_one(uniform), name="uniform"),
        entities_prior(_from_one(sums - uniform - number[:n]), name="rest"),
        conjugate(component, name="tokens"),
    )
    share = np.exp(joint - sums[:, None])
    return EntityMention(model, _from_one(share @ np.arange(1, last + 1)))


def log_normal(last: int, mu: float, sigma: float) -> Floats:
    """Return log P(K) for K = 1 .. last, normalised over this range."""
    scale = positive(sigma, "sigma")
    k = np.log(np.arange(1, last + 1))
    score = -k - (k - float(finite(mu, "mu"))) ** 2 / (2.0 * scale**2)
    return score - np.logaddexp.reduce(score)


def _joint(number: Floats, n: int, last: int, labelled: bool, empty: bool) -> Floats:
    """Return log P(K) K^-N w(K, L), by L and K; -inf where K is impossible."""
    k, seen = np.arange(1, last + 1), np.arange(1, n + 1)[:, None]
    score = np.broadcast_to(number - n * np.log(k), (n, last)).copy()
    if labelled:
        score += gammaln(k + 1) - gammaln(np.maximum(k - seen, 0) + 1)
    score[(k < seen) if empty else (k != seen)] = -np.inf
    return score


def _from_one(values: Floats) -> Floats:
    """Prepend an entry for 0 entities, which no state has."""
    return np.concatenate([values[:1], values])
