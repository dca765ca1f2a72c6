"""Rules as constraints of a walk: a model of Labels that scores how well labels obey them.

The same compiled rules feed the learners (`partita.learning.semi_supervised`), the decoders and the
walk, to whose model the templates can be added. Rules about whole segments (once, order, length)
are no sum over tokens and neighbours; `structure` scores them in the segment model.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from partita.errors import InputError
from partita.factors import Model, Template, pairwise, unary
from partita.kernel import Floats
from partita.text.extraction.rules import Rules

__all__ = ["build_constraints", "reward_labels"]

FULL_STRENGTH = 1.0
"""Strength of a rule without one: p_i = 1 in CDRANK, section 5."""


def reward_labels(rules: Rules) -> Floats:
    """Return the reward of each label at each token: strength for each rule, negative if violated.

    The reward of a label is the sum of p_i c_i(y) over the rules that fire at the token (CDRANK,
    section 3.2), where c_i is 1 if the rule states the label and -1 if it states another one.
    """
    fires, reward = _count_firings(rules), _rule_rewards(rules)
    return np.asarray(fires @ reward)


def build_constraints(rules: Rules) -> Model:
    """Build the constraints: one unary template for the token rules, one for the boundaries."""
    labels = list(rules.schema.labels)
    templates: list[Template] = []
    if rules.firings.rule.size:
        names = [rule.name for rule in rules.schema.rules]
        fires, reward = _count_firings(rules), _rule_rewards(rules)
        templates.append(unary(fires, labels, weights=reward.T, features=names, name="rules"))
    for boundary in rules.boundary:
        inner = np.flatnonzero(~boundary.may_begin)
        strength = _strength(rules, boundary.rule)
        # a change of label is a violation if a segment of the right label may not begin there
        change = (1.0 - np.eye(len(labels))) * boundary.mask[None, :]
        name = rules.schema.rules[boundary.rule].name
        edges = np.stack([inner - 1, inner], 1)
        templates.append(pairwise(edges, labels, weights=-2.0 * strength * change, name=name))
    if not templates:
        raise InputError("no rule of the schema fires; add a pattern, words or a place")
    return Model(*templates)


def _strength(rules: Rules, number: int) -> float:
    strength = rules.schema.rules[number].strength
    return FULL_STRENGTH if strength is None else strength


def _rule_rewards(rules: Rules) -> Floats:
    """Return rules by labels: the strength of the rule, negative for labels it does not state."""
    strengths = np.array([_strength(rules, k) for k in range(len(rules.schema.rules))])
    return strengths[:, None] * np.where(rules.allowed, 1.0, -1.0)


def _count_firings(rules: Rules) -> sparse.csr_array:
    """Count the firings of each rule at each token: tokens by rules."""
    _, token, rule = rules.firings.spread()
    shape = (rules.tokens.n, len(rules.schema.rules))
    return sparse.csr_array((np.ones(token.size), (token, rule)), shape=shape)
