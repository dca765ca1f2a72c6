"""Updates of parameter blocks: slices, growth of tables, and what draws and checkpoints keep."""

from math import lgamma

import numpy as np
import pytest

from partita.errors import ModeError
from partita.factors import Field, FieldSwap, Model, RatePrior, hit_miss_model, size_law
from partita.factors.parameters import Conditional, Gibbs, ParameterBlock, Slice
from partita.states import Partition
from partita.walks.parameters import slice_step, update_block
from tests.walks.small import run

PHI = np.array([0.4, 0.3, 0.2, 0.1])
PRIOR = RatePrior([8.0, 2.0], [0.1, 0.9])
CODES = np.array([[0, 0, 1, 2, 3], [3, 3, 2, 1, 0]])


def unknown_model():
    """Rates of two fields, swapped values and a law of sizes, all unknown."""
    fields = {
        name: Field(codes, PHI, np.log([0.8, 0.2]), [], [], prior=PRIOR)
        for name, codes in zip("ab", CODES, strict=True)
    }
    swap = FieldSwap("a", "b", [0] * 5, [0, 1, 4])
    return Model(hit_miss_model(fields, swaps=[swap]), size_law(5))


def test_slices_follow_the_density():
    rng = np.random.default_rng(0)
    update = Slice(float, lambda value, x: x, lambda x, given: -0.5 * ((x - 1.0) / given) ** 2, 0.5)
    x, seen = 0.0, []
    for _ in range(4000):
        x = slice_step(rng, update, x, 0.5)
        seen.append(x)
    assert np.mean(seen) == pytest.approx(1.0, abs=0.05)
    assert np.std(seen) == pytest.approx(0.5, abs=0.05)


def test_a_full_table_grows_in_the_middle_of_an_update():
    def draw(rng, value, table):
        return None if table.size < 4 else value + table.size

    def write(table, state, value):
        table[0] = value

    given = Conditional(lambda rng, table, state: table, (Gibbs(draw),))
    block = ParameterBlock(
        "b", ("x",), lambda t: t[0], write, lambda t, state: float(t[0]), (given,), lambda t: {}
    )
    grow = lambda table: np.concatenate([table, np.zeros(table.size)])  # noqa: E731
    table, change = update_block(np.random.default_rng(0), block, np.zeros(1), None, grow)
    assert (table.size, table[0], change) == (4, 4.0, 4.0)


@pytest.mark.compiled
def test_draws_hold_the_parameters_and_their_traces():
    found = run(unknown_model())
    parameters, traces = found.parameters, found.traces
    assert set(parameters) == {"hit_miss.a", "hit_miss.b", "hit_miss.swaps", "sizes.law"}
    for name, values in parameters.items():
        assert values.shape == (2, 30, len(found.components[name]))
        assert len(np.unique(values.reshape(60, -1), axis=0)) > 3
    rates = parameters["hit_miss.a"]
    np.testing.assert_allclose(rates[:, :, :2].sum(2), 1.0)
    np.testing.assert_array_equal(traces["a.equal"], rates[:, :, 0])
    np.testing.assert_allclose(traces["a.log_theta"], np.log(rates[:, :, 2]))
    swapped = parameters["hit_miss.swaps"].sum(2) / 5
    np.testing.assert_allclose(traces["a.b.swapped"], swapped)
    assert np.isfinite(found.diagnostics()["a.equal"]["r_hat"])


@pytest.mark.compiled
def test_a_run_without_states_records_no_parameters():
    with pytest.raises(ModeError, match="no states were recorded"):
        run(unknown_model(), record=False).parameters  # noqa: B018


@pytest.mark.compiled
def test_the_traced_score_is_that_of_state_and_parameters():
    """From draw to draw it changes by the score of the state and the density of parameters."""
    found = run(unknown_model(), draws=4, chains=1)
    model, scores = unknown_model(), []
    for k in range(4):
        state = Partition.of(found.draws[0, k])
        tables = model.tables(state)
        for name, number, block in model.blocks():
            block.write(tables[number], state, found.parameters[name][0, k])
        total = sum(block.log_density(tables[n], state) for _, n, block in model.blocks())
        # the blocks of rates and of swaps both count the fields; sizes count more than their law
        total -= model.blocks()[0][2].log_density(tables[0], state)
        scores.append(total + swaps_and_sizes(tables, state))
    np.testing.assert_allclose(np.diff(found.traces["log_score"][0]), np.diff(scores), atol=1e-9)


def swaps_and_sizes(tables, state):
    swapped = int(tables[0].swaps.swapped.sum())
    sizes = state.size[state.size > 0]
    share = lgamma(1.0 + swapped) + lgamma(9.0 + 5 - swapped)
    return share + lgamma(sizes.size + 1) + sum(lgamma(size + 1) for size in sizes)
