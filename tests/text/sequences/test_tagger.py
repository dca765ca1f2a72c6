import json

import numpy as np
import pytest

from partita.errors import InputError
from partita.text.sequences import Tagger, encoded, structured_perceptron
from tests.text.sequences.small import corpus, letters, random_tagger


@pytest.mark.parametrize("hashed", [None, 16])
def test_a_saved_tagger_labels_as_before(tmp_path, hashed):
    words, labels = corpus(80)
    made = structured_perceptron(encoded(words, labels, letters, hashed=hashed), 3, random_seed=0)
    path = made.save(tmp_path / "tagger.json")
    found = Tagger.load(path, letters)
    assert found.predict(words) == made.predict(words)
    assert found.about["learner"] == "structured perceptron"
    text = json.loads(path.read_text())
    assert text["version"] == 1 and text["kind"] == "tagger"
    text["labels"] = ["x"]
    path.write_text(json.dumps(text))
    with pytest.raises(InputError, match="is damaged"):
        Tagger.load(path, letters)


def test_weights_are_named():
    tagger = random_tagger()
    named = tagger.named()
    a = tagger.encoder.names.index("word=a")
    assert named["y|word=a"] == tagger.emission[a, 1]
    assert named["x -> z"] == tagger.transition[0, 2]


def test_empty_sequences():
    tagger = random_tagger()
    assert tagger.predict([[], ["a"], []])[0] == []
    assert tagger.predict([]) == []
    assert [m.shape for m in tagger.marginals([["a"], ["b", "c"]])] == [(1, 3), (2, 3)]
    with pytest.raises(InputError, match="empty"):
        tagger.n_best([], 2)
    with pytest.raises(InputError, match="n is 0"):
        tagger.n_best(["a"], 0)
    assert np.isclose(sum(p for _, p in tagger.n_best(["a"], 9)), 1.0)
