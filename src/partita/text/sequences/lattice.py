"""The lattice of a linear chain: best labelings, n best labelings, and sums over all.

Scores of neighbouring labels are `steps`: one matrix of left by right labels for all tokens, or one
for each token and its left neighbour.
"""

from __future__ import annotations

import math

from partita.kernel import Floats, Ints, entry, kernel

__all__ = [
    "compute_marginals",
    "find_best",
    "find_best_path",
    "find_n_best",
    "insert_ranked",
    "score_token",
    "score_tokens",
]


@kernel
def score_token(
    row: Ints, attribute: Ints, value: Floats, emission: Floats, token: int, scores: Floats
) -> None:
    """Score each label of one token by its attributes."""
    scores[:] = 0.0
    for at in range(row[token], row[token + 1]):
        weights, amount = emission[attribute[at]], value[at]
        for label in range(scores.size):
            scores[label] += amount * weights[label]


@entry
def score_tokens(
    row: Ints, attribute: Ints, value: Floats, emission: Floats, scores: Floats
) -> None:
    """Score all tokens: tokens by labels."""
    for token in range(row.size - 1):
        score_token(row, attribute, value, emission, token, scores[token])


@kernel
def matrix_of(steps: Floats, token: int) -> int:
    """Return the number of the matrix of a token and its left neighbour."""
    return token if steps.shape[0] > 1 else 0


@kernel
def find_best_path(
    scores: Floats, steps: Floats, first: int, last: int, path: Ints, reach: Floats, back: Ints
) -> float:
    """Write the best labeling of tokens first..last-1 to `path` (Viterbi); return its score."""
    labels = steps.shape[1]
    for label in range(labels):
        reach[0, label] = scores[first, label]
    for t in range(1, last - first):
        here, there, step = t % 2, (t - 1) % 2, matrix_of(steps, first + t)
        for label in range(labels):
            top, choice = -math.inf, 0
            for left in range(labels):
                score = reach[there, left] + steps[step, left, label]
                if score > top:
                    top, choice = score, left
            reach[here, label] = top + scores[first + t, label]
            back[t, label] = choice
    end = (last - first - 1) % 2
    label = 0
    for other in range(1, labels):
        if reach[end, other] > reach[end, label]:
            label = other
    total = reach[end, label]
    for t in range(last - first - 1, -1, -1):
        path[first + t] = label
        if t > 0:
            label = back[t, label]
    return total


@entry
def find_best(
    start: Ints, scores: Floats, steps: Floats, path: Ints, reach: Floats, back: Ints
) -> None:
    """Write the best labeling of every sequence."""
    for s in range(start.size - 1):
        if start[s + 1] > start[s]:
            find_best_path(scores, steps, start[s], start[s + 1], path, reach, back)


@entry
def find_n_best(
    scores: Floats, steps: Floats, reach: Floats, back: Ints, paths: Ints, totals: Floats
) -> int:
    """Write the best labelings of one sequence, in order, to `paths`; return their number.

    reach and back are tokens by labels by n; back holds left label * n + rank.
    """
    length, labels, n = reach.shape
    for label in range(labels):
        reach[0, label, :] = -math.inf
        reach[0, label, 0] = scores[0, label]
    for t in range(1, length):
        step = matrix_of(steps, t)
        for label in range(labels):
            reach[t, label, :] = -math.inf
            for left in range(labels):
                more = steps[step, left, label] + scores[t, label]
                for rank in range(n):
                    total = reach[t - 1, left, rank] + more
                    if total > reach[t, label, n - 1]:
                        insert_ranked(reach[t, label], back[t, label], total, left * n + rank)
    count = 0
    for k in range(n):
        totals[k] = -math.inf
        for label in range(labels):
            for rank in range(n):
                total = reach[length - 1, label, rank]
                if total > totals[k]:
                    totals[k] = total
                    paths[k, length - 1] = label * n + rank
        if totals[k] == -math.inf:
            break
        at = paths[k, length - 1]
        reach[length - 1, at // n, at % n] = -math.inf
        for t in range(length - 1, -1, -1):
            paths[k, t] = at // n
            at = back[t, at // n, at % n]
        count += 1
    return count


@kernel
def insert_ranked(ranked: Floats, came: Ints, score: float, origin: int) -> None:
    """Insert into a row in descending order."""
    at = ranked.size - 1
    while at > 0 and ranked[at - 1] < score:
        ranked[at] = ranked[at - 1]
        came[at] = came[at - 1]
        at -= 1
    ranked[at] = score
    came[at] = origin


@kernel
def forward(scores: Floats, factor: Floats, first: int, last: int, alpha: Floats) -> float:
    """Compute rows of alpha normalised to 1; return log Z. `factor` is exp(steps)."""
    labels = factor.shape[1]
    log_z = 0.0
    for t in range(first, last):
        top = scores[t, 0]
        for label in range(1, labels):
            top = max(top, scores[t, label])
        total, step = 0.0, matrix_of(factor, t)
        for label in range(labels):
            inflow = 1.0
            if t > first:
                inflow = 0.0
                for left in range(labels):
                    inflow += alpha[t - 1, left] * factor[step, left, label]
            alpha[t, label] = inflow * math.exp(scores[t, label] - top)
            total += alpha[t, label]
        for label in range(labels):
            alpha[t, label] /= total
        log_z += math.log(total) + top
    return log_z


@kernel
def backward(
    alpha: Floats, factor: Floats, first: int, last: int, pairs: Floats, share: Floats
) -> None:
    """Turn alpha into marginals, and add expected pairs of neighbouring labels.

    P(left, right) = alpha(left) factor(left, right) P(right) / sum over left.
    """
    labels = factor.shape[1]
    for t in range(last - 1, first, -1):
        step, place = matrix_of(factor, t), matrix_of(pairs, t)
        for right in range(labels):
            total = 0.0
            for left in range(labels):
                total += alpha[t - 1, left] * factor[step, left, right]
            share[right] = alpha[t, right] / total if total > 0.0 else 0.0
        for left in range(labels):
            total = 0.0
            for right in range(labels):
                both = alpha[t - 1, left] * factor[step, left, right] * share[right]
                pairs[place, left, right] += both
                total += both
            alpha[t - 1, left] = total


@entry
def compute_marginals(
    start: Ints, scores: Floats, factor: Floats, marginals: Floats, pairs: Floats, share: Floats
) -> float:
    """Compute marginals of all tokens and expected pairs; return the sum of log Z over sequences.

    `pairs` has one matrix for all tokens or one for each; `share` is scratch, one cell per label.
    """
    log_z = 0.0
    for s in range(start.size - 1):
        first, last = start[s], start[s + 1]
        if last > first:
            log_z += forward(scores, factor, first, last, marginals)
            backward(marginals, factor, first, last, pairs, share)
    return log_z
