import numpy as np
import pytest

from partita.errors import InputError
from partita.knowledge.embeddings import EmbeddingSettings, fit_embedding, loss_and_gradients
from partita.knowledge.triples import load_triples


@pytest.mark.parametrize("seed", range(3))
def test_gradients_equal_differences(seed):
    rng = np.random.default_rng(seed)
    shapes = {"head": (3, 6), "relation": (3, 6), "tail": (3, 6), "shared": (5, 6)}
    rows = {name: rng.normal(size=shape) for name, shape in shapes.items()}
    hits = rng.random((3, 5)) < 0.3

    def loss(**changed):
        return loss_and_gradients(**{**rows, **changed}, hits=hits, offset=0.4, penalty=0.05)

    found = loss()
    for name, values in rows.items():
        slope = np.zeros_like(values)
        for at in np.ndindex(values.shape):
            step = np.zeros_like(values)
            step[at] = 1e-6
            up, down = loss(**{name: values + step}), loss(**{name: values - step})
            slope[at] = (up.loss - down.loss) / 2e-6
        assert getattr(found, name) == pytest.approx(slope, abs=1e-6)


def grid():
    """Two relations on a ring: `next`, and its inverse `before`."""
    names = [f"e{k}" for k in range(12)]
    rows = [(names[k], "next", names[(k + 1) % 12]) for k in range(12)]
    return load_triples(rows + [(t, "before", h) for h, _, t in rows])[0]


@pytest.mark.parametrize("negatives", [100, 6])
def test_the_embedding_ranks_the_facts_it_was_fitted_to(negatives):
    triples = grid()
    settings = EmbeddingSettings(rank=12, epochs=60, negatives=negatives, penalty=0.0)
    found = fit_embedding(triples, settings, seed=1)
    head, relation, tail = triples.facts.T
    assert (found.tail_scores(head, relation).argmax(1) == tail).mean() > 0.9
    assert (found.head_scores(relation, tail).argmax(1) == head).mean() > 0.9
    shares = found.log_shares(triples.facts)
    assert (shares <= 0).all()
    every = np.exp([found.log_shares(np.array([[0, 0, t]]))[0, 0] for t in range(12)])
    assert every.sum() == pytest.approx(1.0, abs=1e-4)


def test_the_same_seed_gives_the_same_embedding():
    settings = EmbeddingSettings(rank=4, epochs=2)
    one, other = (fit_embedding(grid(), settings, seed=5).entity for _ in range(2))
    assert np.array_equal(one, other)


@pytest.mark.parametrize("name", ["rank", "epochs", "negatives"])
def test_bad_settings_are_refused(name):
    with pytest.raises(InputError, match=f"{name} is 0"):
        fit_embedding(grid(), EmbeddingSettings(**{name: 0}))
