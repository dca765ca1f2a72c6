"""Slow twins of the metrics, over sets of records; 0/0 is 1."""

from fractions import Fraction
from functools import cache
from itertools import combinations


def clusters(labels):
    """Return the entities of a labelling, as sets of records."""
    return [
        {k for k, other in enumerate(labels) if other == label} for label in dict.fromkeys(labels)
    ]


def home(labels, record):
    return {k for k, other in enumerate(labels) if other == labels[record]}


def pairs(labels):
    return {(i, j) for i, j in combinations(range(len(labels)), 2) if labels[i] == labels[j]}


def share(above, below):
    return Fraction(above) / Fraction(below) if below else Fraction(1)


def triple(precision, recall):
    both = precision + recall
    return precision, recall, 2 * precision * recall / both if both else Fraction(0)


def pairwise(found, truth):
    a, b = pairs(found), pairs(truth)
    return triple(share(len(a & b), len(a)), share(len(a & b), len(b)))


def bcubed(found, truth):
    n = len(found)
    both = [(home(found, k), home(truth, k)) for k in range(n)]
    precision = sum(share(len(a & b), len(a)) for a, b in both) / n
    recall = sum(share(len(a & b), len(b)) for a, b in both) / n
    return triple(precision, recall)


def links(entities, others):
    """Return the links of the entities, and those that remain where the others split."""
    every = sum(len(one) - 1 for one in entities)
    kept = sum(len(one) - sum(1 for other in others if one & other) for one in entities)
    return share(kept, every)


def muc(found, truth):
    a, b = clusters(found), clusters(truth)
    return triple(links(a, b), links(b, a))


def exact_clusters(found, truth):
    a, b = ({frozenset(one) for one in clusters(labels)} for labels in (found, truth))
    return triple(share(len(a & b), len(a)), share(len(a & b), len(b)))


def best_alignment(gain):
    """Return the largest total of gain[i][j] over one-to-one alignments, by enumeration."""

    @cache
    def best(row, free):
        if row == len(gain):
            return Fraction(0)
        tried = (gain[row][j] + best(row + 1, free - {j}) for j in free)
        return max([best(row + 1, free), *tried])

    return best(0, frozenset(range(len(gain[0]))))


def ceaf_e(found, truth):
    a, b = clusters(found), clusters(truth)
    if len(a) < len(b):
        a, b = b, a
    gain = [[Fraction(2 * len(x & y), len(x) + len(y)) for y in b] for x in a]
    total = best_alignment(gain)
    return triple(total / len(clusters(found)), total / len(clusters(truth)))


def adjusted_rand(found, truth):
    a, b = pairs(found), pairs(truth)
    every = len(found) * (len(found) - 1) // 2
    expected = Fraction(len(a) * len(b), every) if every else Fraction(0)
    most = Fraction(len(a) + len(b), 2) - expected
    return (len(a & b) - expected) / most if most else Fraction(1)


def design_pairwise_precision(found, truth):
    """Right pairs of sampled entities, and half of each wrong pair that touches one; None hides."""
    right, wrong = 0, Fraction(0)
    for i, j in pairs(found):
        ends = [truth[i], truth[j]]
        if ends[0] == ends[1] and ends[0] is not None:
            right += 1
        else:
            wrong += Fraction(sum(end is not None for end in ends), 2)
    return right / (right + wrong)
