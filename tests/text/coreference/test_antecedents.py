import numpy as np
import pytest

from partita.errors import InputError
from partita.kernel import interpreted
from partita.learning.choice_model import save_choice_weights
from partita.metrics import bcubed
from partita.text.coreference.antecedents import (
    AntecedentModel,
    encode_corpus,
    fit_antecedents,
    label_pairs,
)
from partita.text.coreference.pairs import SIZE
from partita.text.coreference.sampling import (
    build_model,
    build_proposal,
    sample_entities,
    search_entities,
    start_entities,
)
from tests.text.coreference.generated import make_documents


def test_every_mention_has_options_and_a_right_one():
    corpus = encode_corpus(make_documents(3))
    right = label_pairs(corpus)
    assert corpus.n == 36 and corpus.start[-1] == len(corpus.features)
    assert (np.add.reduceat(right, corpus.start[:-1]) > 0).all()
    assert (corpus.pairs.other < corpus.pairs.mention).all()


def test_a_mention_without_annotation_is_not_learned_from():
    (document,) = make_documents(1)
    bare = tuple(type(m)(m.start, m.end, m.text) for m in document.mentions)
    corpus = encode_corpus([type(document)(document.name, document.text, bare)])
    assert not label_pairs(corpus).any()


@pytest.mark.skipif(interpreted(), reason="whole fits run compiled only")
def test_entities_of_new_documents_are_found(tmp_path):
    model = fit_antecedents(make_documents(40))
    corpus = encode_corpus(make_documents(8, first=100))
    p = model.probabilities(corpus)
    assert np.add.reduceat(p, corpus.start[:-1]) == pytest.approx(1.0)
    start, truth = start_entities(corpus, p), corpus.entities()
    assert bcubed(start.entity, truth).f1 > 0.9
    found, proposal = build_model(corpus, p), build_proposal(corpus, p)
    best = search_entities(found, start, proposal, seed=1)
    assert bcubed(best.entity, truth).f1 > 0.9
    posterior = sample_entities(found, best, proposal, draws=10, tune=5, chains=1, seed=1)
    documents = np.repeat(np.arange(8), np.diff(corpus.first))
    for draw in posterior.draws.reshape(-1, corpus.n):
        # no entity crosses documents
        assert len({(a, b) for a, b in zip(draw, documents, strict=True)}) == len(set(draw))
    path = tmp_path / "model.json"
    model.save(path)
    loaded = AntecedentModel.load(path)
    assert loaded.first == pytest.approx(model.first, abs=0.005)
    assert loaded.second == pytest.approx(model.second, abs=0.005)
    # rounded weights move a guess between antecedents of nearly equal probability
    assert np.abs(loaded.probabilities(corpus) - p).mean() < 0.01


def test_a_file_that_is_no_model_is_refused(tmp_path):
    path = tmp_path / "model.json"
    path.write_text("{}")
    with pytest.raises(InputError, match="no choice model"):
        AntecedentModel.load(path)


def test_a_file_of_one_pass_is_refused(tmp_path):
    path = tmp_path / "model.json"
    save_choice_weights(path, np.ones(SIZE), lexical=False, agreement=False)
    with pytest.raises(InputError, match="two passes"):
        AntecedentModel.load(path)
