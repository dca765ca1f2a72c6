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


def surplus(source, costs):
    """The costs of the records of each source (negative is none) but the dearest of an entity."""

    def phi(labels):
        total = np.zeros(source.max() + 1)
        for members in entities(labels):
            own = source[members]
            for code in np.unique(own[own >= 0]):
                paid = costs[members][own == code]
                total[code] += paid.sum() - paid.max()
        return total

    return phi


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


def collapsed_link(scores, prior, nil):
    """The sum over all links of each entity; scores is dense, one row per mention."""

    def phi(labels):
        return np.array(
            [
                sum(
                    math.log(nil + sum(prior * np.exp(scores[members].sum(0))))
                    for members in entities(labels)
                )
            ]
        )

    return phi


def antecedents(p, new):
    """p[j, i] for i < j: the product over mentions of the sum over antecedents in their entity."""

    def phi(labels):
        total = 0.0
        for members in entities(labels):
            for k, j in enumerate(members):
                total += math.log(sum(p[j, i] for i in members[:k])) if k else math.log(new[j])
        return np.array([total])

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


def hit_miss(fields, most=8):
    """LLR of each field by the formula, over the commonest latent values that an entity shows."""

    def copy(field, f, x, y):
        phi, ratios = field["phi"], field["ratios"]
        if x == y:
            return min(math.exp(ratios[0]), math.exp(-1e-3))
        level = field["levels"].get((min(x, y), max(x, y)), len(ratios) - 1)
        log_k = math.log(f[x]) + ratios[level]
        if level < len(ratios) - 1:
            gap = math.log((phi**2).sum()) - math.log(max(phi[x], phi[y]))
            rare = field["term_frequency"] * min(3.0, max(-3.0, gap))
            lift = field.get("conditional_u", {}).get((min(x, y), max(x, y)), 0.0)
            log_k += min(rare, -lift) if lift > 0.0 else rare
        return min(math.exp(log_k), math.exp(-1e-3))

    def one(field, values, own):
        if len(values) < 2:
            return 0.0
        shown, counts = np.unique(values, return_counts=True)
        f = {v: math.exp(own[values == v].max()) for v in shown}
        theta, n, scores = field["theta"], len(values), []
        for y in shown[np.argsort(-counts, kind="stable")][:most]:
            score = math.log(f[y])
            for b, c in zip(shown, counts, strict=True):
                weight = theta * copy(field, f, b, y)
                score += math.lgamma(c + weight) - math.lgamma(weight)
            scores.append(score)
        total = max(scores) + math.log(sum(math.exp(s - max(scores)) for s in scores))
        return total + math.lgamma(theta) - math.lgamma(theta + n) - own.sum()

    def phi(labels):
        out = []
        for field in fields:
            codes = field["codes"]
            own = field.get("own", np.log(field["phi"])[np.maximum(codes, 0)])
            shown = [e[codes[e] >= 0] for e in entities(labels)]
            out.append(sum(one(field, codes[e], own[e]) for e in shown))
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


def clauses(scopes, bad, kinds, values, rules):
    """Minus the values of the violated clauses, by rule."""

    def phi(labels):
        out = np.zeros(rules)
        for scope, wrong, kind, value in zip(scopes, bad, kinds, values, strict=True):
            if all(labels[v] == w for v, w in zip(scope, wrong, strict=True)):
                out[kind] -= value
        return out

    return phi


def together(*parts):
    return lambda labels: np.concatenate([part(np.asarray(labels)) for part in parts])


def dictionary(counts, prior):
    """log of the Dirichlet-multinomial probability of counts in their order."""
    counts = np.asarray(counts, float)
    total = sum(math.lgamma(prior + c) - math.lgamma(prior) for c in counts)
    mass = prior * len(counts)
    return total - math.lgamma(mass + counts.sum()) + math.lgamma(mass)


def columns(codes, sizes, prior):
    """Columns of codes (negative is missing), each with a distribution of its own by entity."""

    def one(members):
        found = 0.0
        for g, size in enumerate(sizes):
            shown = codes[members, g][codes[members, g] >= 0]
            found += dictionary(np.bincount(shown, minlength=size), prior)
        return found

    return lambda labels: np.array([sum(one(e) for e in entities(labels))])


def multinomial(counts, prior):
    return lambda labels: np.array(
        [sum(dictionary(counts[e].sum(0), prior) for e in entities(labels))]
    )


def normal(x, covariance, kappa, nu, scale, mean):
    """The evidence of normal-inverse-Wishart entities as a chain of Student predictives."""

    def one(points, psi, dims):
        from scipy.stats import multivariate_t

        found, mu, k, v, s = 0.0, np.array(dims[1], float), kappa, nu, np.array(psi, float)
        d = len(mu)
        for p in points:
            shape = s * (k + 1) / (k * (v - d + 1))
            found += multivariate_t.logpdf(p, mu, shape, v - d + 1)
            s = s + k / (k + 1) * np.outer(p - mu, p - mu)
            mu = (k * mu + p) / (k + 1)
            k, v = k + 1, v + 1
        return found

    def entity(points):
        if covariance == "full":
            return one(points, scale, (0, mean))
        return sum(
            one(points[:, [c]], scale[c : c + 1, c : c + 1], (0, mean[c : c + 1]))
            for c in range(points.shape[1])
        )

    return lambda labels: np.array([sum(entity(x[e]) for e in entities(labels))])


def entity_mention(tokens, vocabulary, alpha, mu, sigma, labelled, empty, most):
    """SDDS section 3.1 by its sum over K, empty entities and labels counted one by one."""
    weights = [
        math.exp(-((math.log(k) - mu) ** 2) / (2 * sigma**2)) / k for k in range(1, most + 1)
    ]
    prior = [w / sum(weights) for w in weights]

    def phi(labels):
        seen, n = len(entities(labels)), len(labels)
        total = 0.0
        for k in range(seen, most + 1 if empty else seen + 1):
            ways = math.perm(k, seen) if labelled else 1
            total += prior[k - 1] * k**-n * ways
        number, uniform = math.log(prior[seen - 1]), -n * math.log(seen)
        found = sum(
            dictionary(np.bincount(np.asarray(tokens)[e], minlength=vocabulary), alpha)
            for e in entities(labels)
        )
        return np.array([number, uniform, math.log(total) - number - uniform, found])

    return phi
