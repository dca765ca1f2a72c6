"""Small chains, and what enumeration of all labelings says of them."""

import itertools

import numpy as np

from partita.text.sequences import Tagger, encoded


def letters(sentence, i):
    return [f"word={sentence[i]}", "bias"]


def corpus(n=60, seed=0):
    """Sentences whose labels follow their words, and labels their neighbours."""
    rng = np.random.default_rng(seed)
    words, labels = [], []
    for _ in range(n):
        length = int(rng.integers(1, 6))
        row, last = [], "x"
        for _ in range(length):
            last = rng.choice(
                ["x", "y", "z"], p=[0.6, 0.3, 0.1] if last == "x" else [0.2, 0.2, 0.6]
            )
            row.append(str(last))
        words.append([rng.choice(["a", "b", "c"], p=WORDS[one]) for one in row])
        labels.append(row)
    return words, labels


WORDS = {"x": [0.7, 0.2, 0.1], "y": [0.2, 0.7, 0.1], "z": [0.1, 0.2, 0.7]}


def random_tagger(seed=0, observed=False):
    words, labels = corpus()
    task = encoded(words, labels, letters)
    rng = np.random.default_rng(seed)
    shape = (task.encoder.width, 3)
    emission, transition = rng.normal(size=shape), rng.normal(size=(3, 3))
    pairs = rng.normal(size=(shape[0], 3, 3)) if observed else None
    return Tagger(task.encoder, emission, transition, observed=pairs)


def enumerated(tagger, sentence):
    """All labelings of a sentence with their scores."""
    coded = tagger.encoder.encode([sentence])
    values = coded.matrix(tagger.encoder.width).toarray()
    scores, found = values @ tagger.emission, {}
    steps = np.tile(tagger.transition, (len(sentence), 1, 1))
    if tagger.observed is not None:
        steps += np.einsum("tk,kab->tab", values, tagger.observed)
    for path in itertools.product(range(3), repeat=len(sentence)):
        total = sum(scores[t, y] for t, y in enumerate(path))
        total += sum(steps[t + 1, a, b] for t, (a, b) in enumerate(itertools.pairwise(path)))
        found[path] = total
    return found
