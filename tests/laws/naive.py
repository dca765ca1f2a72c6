"""Slow, obvious twins: sufficient statistics from scratch, in plain NumPy."""

from __future__ import annotations

import itertools
import math

import numpy as np


def entities(labels):
    return [np.flatnonzero(labels == e) for e in np.unique(labels)]


def pair_sum(values, sign=1):
    """values[i, j] or values[i, j, f]: pairs in one entity (sign 1) or in two (sign -1)."""

    def phi(labels):
        total = np.zeros(values.shape[2] if values.ndim == 3 else 1)
        for i, j in itertools.combinations(range(len(labels)), 2):
            if (labels[i] == labels[j]) == (sign > 0):
                total = total + values[i, j]
        return total

    return phi


def entity_count(labels):
    return np.array([float(len(entities(labels)))])


def ewens(labels):
    sizes = [len(e) for e in entities(labels)]
    return np.array([float(len(sizes)), sum(math.lgamma(s) for s in sizes)])


def by_size(score):
    return lambda labels: np.array(
        [sum(score[min(len(e), len(score) - 1)] for e in entities(labels))]
    )


def by_count(score):
    return lambda labels: np.array([score[min(len(entities(labels)), len(score) - 1)]])


def agreement(columns, bags):
    """Match, mismatch, missing for each column (negative is missing), dot for each bag."""

    def phi(labels):
        out = []
        pairs = [(a, b) for e in entities(labels) for a, b in itertools.combinations(e, 2)]
        for values in columns:
            here = [(values[a], values[b]) for a, b in pairs]
            both = [(x, y) for x, y in here if x >= 0 and y >= 0]
            match = sum(x == y for x, y in both)
            out += [match, len(both) - match, len(here) - len(both)]
        for bag in bags:
            out.append(sum(float(bag[a] @ bag[b]) for a, b in pairs))
        return np.array(out, float)

    return phi


def dirichlet(columns, bags, priors):
    """Collapsed Dirichlet-multinomial log-likelihood by group; priors[g] lists b_k."""

    def one(counts, prior):
        total = sum(math.lgamma(b + c) - math.lgamma(b) for b, c in zip(prior, counts, strict=True))
        return total - math.lgamma(prior.sum() + counts.sum()) + math.lgamma(prior.sum())

    def phi(labels):
        out = []
        for values, prior in zip(columns, priors, strict=False):
            keys = sorted(set(values[values >= 0]), key=str)
            out.append(
                sum(
                    one(np.array([float((values[e] == k).sum()) for k in keys]), prior)
                    for e in entities(labels)
                )
            )
        for bag, prior in zip(bags, priors[len(columns) :], strict=True):
            out.append(sum(one(bag[e].sum(0).astype(float), prior) for e in entities(labels)))
        return np.array(out)

    return phi


def urn(fields):
    """LLR of each field by the formula, summed over all latent values that an entity shows."""

    def copy(field, x, y):
        phi, ratios = field["phi"], field["ratios"]
        if x == y:
            return min(math.exp(ratios[0]), math.exp(-1e-3))
        level = field["levels"].get((min(x, y), max(x, y)), len(ratios) - 1)
        log_k = math.log(phi[x]) + ratios[level]
        if level < len(ratios) - 1:
            gap = math.log((phi**2).sum()) - math.log(max(phi[x], phi[y]))
            log_k += field["rarity"] * min(3.0, max(-3.0, gap))
        return min(math.exp(log_k), math.exp(-1e-3))

    def one(field, values):
        if len(values) < 2:
            return 0.0
        shown, counts = np.unique(values, return_counts=True)
        theta, total = field["theta"], 0.0
        for y in shown:
            product = field["phi"][y]
            for b, c in zip(shown, counts, strict=True):
                weight = theta * copy(field, b, y)
                product *= math.gamma(c + weight) / math.gamma(weight)
            total += product
        alone = sum(math.log(field["phi"][v]) for v in values)
        n = len(values)
        return math.log(total) + math.lgamma(theta) - math.lgamma(theta + n) - alone

    def phi(labels):
        out = []
        for field in fields:
            shown = [field["codes"][e][field["codes"][e] >= 0] for e in entities(labels)]
            out.append(sum(one(field, values) for values in shown))
        return np.array(out)

    return phi


def cluster(function, data):
    return lambda labels: np.array([sum(function(data, e) for e in entities(labels))])


def unary(observed, size):
    def phi(labels):
        out = np.zeros((size, observed.shape[1]))
        for v, label in enumerate(labels):
            out[label] += observed[v]
        return out.reshape(-1)

    return phi


def pairwise(edges, kinds, n_kinds, size):
    def phi(labels):
        out = np.zeros((n_kinds, size, size))
        for (a, b), kind in zip(edges, kinds, strict=True):
            out[kind, labels[a], labels[b]] += 1
        return out.reshape(-1)

    return phi


def potential(function, scopes, data):
    return lambda labels: np.array(
        [sum(function(data, k, np.array(labels)[list(s)]) for k, s in enumerate(scopes))]
    )


def together(*parts):
    return lambda labels: np.concatenate([part(np.asarray(labels)) for part in parts])
