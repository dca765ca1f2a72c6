"""Our systems: antecedents summed out, without and with the collapsed link to the base."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from papers.kbalign.bases import aida_base
from papers.kbalign.data import load_aida
from papers.kbalign.experiment import Task
from partita.kernel import Floats, Ints
from partita.knowledge.entity_links import add_agreement
from partita.knowledge.joint_coreference import (
    Inference,
    JointProblem,
    JointWeights,
    build_problem,
    infer_entities,
)
from partita.knowledge.link_model import FittedLinks, calibrate_links, fit_links
from partita.knowledge.mention_links import LinkOptions, take_mentions
from partita.knowledge.name_table import NameTable
from partita.learning.choice_model import ChoiceSettings
from partita.metrics import Score, bcubed, calibration
from partita.text.coreference.antecedents import (
    AntecedentModel,
    Corpus,
    encode_corpus,
    fit_antecedents,
    label_pairs,
)
from partita.text.coreference.documents import Document
from partita.text.coreference.sampling import search_entities

__all__ = ["run_collapsed", "run_links"]

ANTECEDENTS = (
    ChoiceSettings(epochs=5, rate=0.05, l2=1e-3),
    ChoiceSettings(epochs=8, rate=0.1, l2=1e-4),
)
"""Training of antecedents; the development part chooses by its likelihood."""
LINKS = ChoiceSettings(epochs=3, rate=0.1, l2=1e-3)
"""Training of links; chosen by likelihood on AIDA's development part (testa)."""
MIN_MASS = 1e-12
"""Floor of a probability in the likelihood of development documents."""
LINK_WEIGHTS, ENTITY_WEIGHTS = (0.25, 0.5, 1.0, 2.0), (0.0, 0.3)
"""Weights that the development part chooses from."""


def fit_best(train: Corpus, development: Corpus, seed: int) -> AntecedentModel:
    """The antecedent model that gives the right antecedents of development the most mass."""
    right, start = label_pairs(development), development.start[:-1]
    fitted = [fit_antecedents(train, settings, seed=seed) for settings in ANTECEDENTS]
    losses = []
    for model in fitted:
        mass = np.add.reduceat(model.probabilities(development) * right, start)
        losses.append(-np.log(np.maximum(mass, MIN_MASS)).mean())
    return fitted[int(np.argmin(losses))]


def fit_with_links(
    train: Sequence[Document],
    development: Sequence[Document],
    table: NameTable,
    annotated: Sequence[Document],
    links: FittedLinks,
    seed: int,
) -> AntecedentModel:
    """Fit antecedents with the agreement of links as a feature.

    The links of training mentions are those of models that were fitted without the document.
    """
    spans = {(d.name, m.start, m.end) for d in train for m in d.mentions}
    own = [(d.name, m.start, m.end) in spans for d in annotated for m in d.mentions]
    fitted = take_mentions(links.options, links.probabilities, np.flatnonzero(own))
    corpus = add_agreement(encode_corpus(train), *fitted)
    inferred = links.model.infer(development, table)
    return fit_best(corpus, add_agreement(encode_corpus(development), *inferred), seed)


def choose_weights(problem: JointProblem, seed: int) -> JointWeights:
    """The weights whose likeliest entities have the best B3 on development documents."""
    truth = problem.corpus.entities()
    links = LINK_WEIGHTS if problem.links is not None else (0.0,)
    scores = {}
    for weights in (JointWeights(link, entity) for link in links for entity in ENTITY_WEIGHTS):
        model = problem.model(weights)
        best = search_entities(model, problem.start, problem.proposal, seed=seed)
        scores[weights] = bcubed(best.entity, truth).f1
    return max(scores, key=lambda weights: scores[weights])


def run_collapsed(task: Task, seed: int = 0) -> tuple[dict[str, Ints], JointWeights]:
    """The entities of the test mentions without and with the base, and the chosen weights."""
    development, test = encode_corpus(task.development), encode_corpus(task.test)
    plain = fit_best(encode_corpus(task.train), development, seed)
    weights = choose_weights(build_problem(development, plain), seed)
    alone = infer_entities(build_problem(test, plain), weights=weights, seed=seed)
    links = fit_links(task.annotated, task.base, LINKS, context=True, seed=seed)
    joint = fit_with_links(task.train, task.development, task.base, task.annotated, links, seed)
    weights = choose_weights(build_problem(development, joint, task.base, links.model), seed)
    problem = build_problem(test, joint, task.base, links.model)
    result = infer_entities(problem, weights=weights, seed=seed)
    return {"antecedents": alone.entity, "collapsed": result.entity}, weights


class Answers(NamedTuple):
    """The best record of each mention, its probability, and that of NIL."""

    record: list[str]
    p_record: Floats
    p_nil: Floats

    def score(self, truth: Sequence[str]) -> dict[str, float]:
        """Accuracy among linked mentions and among all, F1 of NIL, calibration."""
        record = np.array(self.record, object)
        chosen = np.where(self.p_nil >= self.p_record, "", record)
        right, linked = chosen == np.array(truth, object), np.array([bool(id) for id in truth])
        is_nil = chosen == ""
        nil = Score.shares(float((is_nil & ~linked).sum()), is_nil.sum(), (~linked).sum())
        confidence = np.maximum(self.p_record, self.p_nil)
        return {
            "in_base": float((record == np.array(truth, object))[linked].mean()),
            "micro": float(right[linked].mean()),
            "with_nil": float(right.mean()),
            "nil_f1": nil.f1,
            "ece": calibration(confidence, right).ece_width,
        }


def answer_alone(options: LinkOptions, probabilities: Floats, table: NameTable) -> Answers:
    """The answers of each mention by itself."""
    record, best = [], np.zeros(options.start.size - 1)
    for k in range(best.size):
        first, last = int(options.start[k]) + 1, int(options.start[k + 1])
        place = first + int(np.argmax(probabilities[first:last])) if last > first else -1
        record.append(table.ids[options.record[place]] if place >= 0 else "")
        best[k] = probabilities[place] if place >= 0 else 0.0
    return Answers(record, best, probabilities[options.start[:-1]])


def answer_jointly(problem: JointProblem, joint: Inference, table: NameTable) -> Answers:
    """The answers of each mention by its entities."""
    assert problem.links is not None and joint.links is not None
    shares, columns = joint.links, problem.links.record
    record, best = [], np.zeros(problem.corpus.n)
    for k in range(best.size):
        cells = slice(shares.indptr[k], shares.indptr[k + 1])
        listed = columns[shares.indices[cells]]
        values = np.where(listed >= 0, shares.data[cells], 0.0)
        place = int(np.argmax(values)) if values.size else -1
        record.append(table.ids[listed[place]] if place >= 0 else "")
        best[k] = values[place] if place >= 0 else 0.0
    nil = 1.0 - np.asarray(shares.sum(1)).reshape(-1)
    return Answers(record, best, nil)


def run_links(seed: int = 0, most: int | None = None) -> dict[str, Any]:
    """Links of AIDA's test mentions (testb): alone and joint, without and with context.

    The development part (testa) chooses the temperature of links.
    """
    train, development, test = (load_aida(part)[:most] for part in ("train", "testa", "testb"))
    table = aida_base(train)
    corpus, tuned = encode_corpus(test), encode_corpus(development)
    truth = [mention.link for document in test for mention in document.mentions]
    result: dict[str, Any] = {"linked": sum(map(bool, truth)), "nil": truth.count("")}
    for name, context in (("priors", False), ("context", True)):
        fitted = fit_links(train, table, LINKS, context=context, seed=seed)
        links = calibrate_links(fitted, development, table)
        model = links.model
        antecedents = fit_with_links(train, development, table, train, links, seed)
        weights = choose_weights(build_problem(tuned, antecedents, table, model), seed)
        problem = build_problem(corpus, antecedents, table, model)
        joint = infer_entities(problem, weights=weights, seed=seed)
        result[name] = {
            "alone": answer_alone(*model.infer(test, table), table).score(truth),
            "joint": answer_jointly(problem, joint, table).score(truth),
            "weights": weights._asdict(),
        }
    return result
