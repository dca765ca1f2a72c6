import numpy as np

from partita.text.coreference.antecedents import add_guess, encode_corpus
from partita.text.coreference.attributes import NOM, PRONOUNS, PROP, code
from partita.text.coreference.guessed import entity_features
from partita.text.coreference.pairs import GUESSED, mix_codes
from tests.text.coreference.generated import make_documents


def make_guess(corpus, seed):
    rng = np.random.default_rng(seed)
    document = np.repeat(np.arange(corpus.first.size - 1), np.diff(corpus.first))
    return 4 * document + rng.integers(4, size=corpus.n)


def test_classes_of_members_are_those_of_a_loop():
    corpus = encode_corpus(make_documents(3))
    guess = make_guess(corpus, 1)
    form, kind = (
        np.concatenate([getattr(of, name) for of in corpus.attributes]) for name in ("form", "kind")
    )
    flags = [*(kind == code(name) for name in PRONOUNS), form == NOM, form == PROP]
    found = entity_features(corpus.attributes, corpus.pairs, guess)[:, 0]
    for row, (j, i) in enumerate(zip(*corpus.pairs, strict=True)):
        earlier = [m for m in range(j) if guess[m] == guess[i]]
        present = sum(1 << bit for bit, flag in enumerate(flags) if flag[earlier].any())
        assert found[row] == mix_codes(70, kind[j], present)


def test_features_read_only_members_before_the_mention():
    corpus = encode_corpus(make_documents(2))
    guess = make_guess(corpus, 2)
    later = guess.copy()
    later[corpus.n - 4 :] = 99
    kept = corpus.pairs.mention < corpus.n - 4
    before = entity_features(corpus.attributes, corpus.pairs, guess)
    after = entity_features(corpus.attributes, corpus.pairs, later)
    assert (before[kept] == after[kept]).all() and (before != after).any()
    # the numbers of entities carry no information
    assert (before == entity_features(corpus.attributes, corpus.pairs, 1000 - guess)).all()


def test_only_antecedents_have_features_of_a_guess():
    corpus = encode_corpus(make_documents(2))
    features = add_guess(corpus, make_guess(corpus, 3)).features
    assert features[corpus.pair_options, GUESSED:].all()
    assert not features[corpus.start[:-1], GUESSED:].any()
    assert not corpus.features[:, GUESSED:].any()
