"""Other tools on the same tokens, run by the Python of the peers; reads and writes JSON.

`python -m benchmarks.extract.peers TOOL` reads a list of requests from standard input, each of the
form {"train": [[words, fields]], "test": {...}, "firings": {...}, "labels": [...]}, and prints a
list with {"set": [labels of all tokens]} for each.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from typing import Any

__all__ = ["TOOLS", "run_crfsuite", "run_skweak_hmm", "run_skweak_vote", "run_usaddress"]

Request = dict[str, Any]
Labels = dict[str, list[str]]


def describe(words: Sequence[str], at: int) -> list[str]:
    """Return the attributes of a token for CRFsuite: word, shape, affixes, neighbours, place."""
    attributes = []
    for by in (-1, 0, 1):
        if 0 <= at + by < len(words):
            word = words[at + by].lower().strip(".,")
            digits = "d" if word.isdigit() else "m" if any(c.isdigit() for c in word) else "a"
            attributes += [f"{by}:w={word}", f"{by}:k={digits}{len(word)}"]
            attributes += [f"{by}:p={word[:3]}", f"{by}:s={word[-3:]}"]
            attributes.append(f"{by}:comma={words[at + by].endswith(',')}")
        else:
            attributes.append(f"{by}:end")
    return attributes


def run_crfsuite(request: Request) -> Labels:
    """Train CRFsuite on the labelled training part."""
    import pycrfsuite

    trainer = pycrfsuite.Trainer(verbose=False)
    for words, fields in request["train"]:
        trainer.append([describe(words, at) for at in range(len(words))], fields)
    trainer.set_params({"c1": 0.1, "c2": 0.01, "max_iterations": 100})
    trainer.train("crf.model")
    tagger = pycrfsuite.Tagger()
    tagger.open("crf.model")
    return {
        name: [
            label
            for words in lines
            for label in tagger.tag([describe(words, at) for at in range(len(words))])
        ]
        for name, lines in request["test"].items()
    }


def run_usaddress(request: Request) -> Labels:
    """Tag with the released model of usaddress, which learned from labelled addresses."""
    import usaddress

    names = request["names"]
    return {
        name: [
            names.get(label, label)
            for words in lines
            for label in usaddress.TAGGER.tag(usaddress.tokens2features(list(words)))
        ]
        for name, lines in request["test"].items()
    }


def _spacy_docs(lines: Sequence[Sequence[str]], firings: Sequence[Any]) -> list[Any]:
    """Make documents whose spans are the firings of rules that state one field."""
    import spacy
    from spacy.tokens import Doc, Span

    vocabulary = spacy.blank("en").vocab
    docs = [Doc(vocabulary, words=list(words)) for words in lines]
    for rule, line, start, stop, field in firings:
        group = docs[line].spans.setdefault(f"rule {rule}", [])
        group.append(Span(docs[line], start, stop, label=field))
    return docs


def _read_docs(docs: Sequence[Any], source: str) -> list[str]:
    labels = []
    for doc in docs:
        own = ["other"] * len(doc)
        for span in doc.spans.get(source, ()):
            own[span.start : span.end] = [span.label_] * (span.end - span.start)
        labels += own
    return labels


def run_skweak_vote(request: Request) -> Labels:
    """Take the majority vote of the same rules by skweak."""
    from skweak.voting import SequentialMajorityVoter

    voter = SequentialMajorityVoter("vote", labels=request["labels"])
    labels = {}
    for name, lines in request["test"].items():
        docs = _spacy_docs(lines, request["firings"][name])
        labels[name] = _read_docs([voter(doc) for doc in docs], "vote")
    return labels


def run_skweak_hmm(request: Request) -> Labels:
    """Fit skweak's hidden Markov model to the same rules on the training part, without labels."""
    from skweak.generative import HMM

    model = HMM("hmm", request["labels"])
    words = [words for words, _ in request["train"]]
    model.fit(_spacy_docs(words, request["firings"]["train"]), n_iter=4)
    labels = {}
    for name, lines in request["test"].items():
        docs = _spacy_docs(lines, request["firings"][name])
        labels[name] = _read_docs([model(doc) for doc in docs], "hmm")
    return labels


TOOLS: dict[str, Callable[[Request], Labels]] = {
    "python-crfsuite": run_crfsuite,
    "usaddress": run_usaddress,
    "skweak vote": run_skweak_vote,
    "skweak HMM": run_skweak_hmm,
}


if __name__ == "__main__":
    tool = TOOLS[sys.argv[1]]
    print(json.dumps([tool(request) for request in json.load(sys.stdin)]))
