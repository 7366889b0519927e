from math import comb

import pytest

from app.demos.schedules import count_revolve_steps, revolve, simulate
from tests.demos.schedules.chains import BATCH, Shape, execute

UNIT = 4 * BATCH * 8


def even(layers: int) -> Shape:
    return Shape((8,) * (layers + 1), (1,) * layers)


def test_the_tree_meets_the_closed_form_for_all_short_chains() -> None:
    for layers in range(1, 60):
        costs = even(layers).costs()
        for checkpoints in range(1, 10):
            repeats = next(r for r in range(layers) if comb(checkpoints + r, checkpoints) >= layers)
            steps = repeats * layers - (comb(checkpoints + repeats, repeats - 1) if repeats else 0)
            assert count_revolve_steps(layers, checkpoints) == steps
            assert simulate(costs, revolve(layers, checkpoints)).extra_forwards == steps


@pytest.mark.parametrize(
    ("layers", "checkpoints", "forwards"), [(10, 3, 25), (16, 3, 49), (32, 4, 107), (64, 3, 322)]
)
def test_what_is_held_does_not_depend_on_the_length(layers: int, checkpoints: int, forwards: int) -> None:
    """C inputs of segments beside the network's, the last layer's output, and two more at the peak."""
    found = simulate(even(layers).costs(), revolve(layers, checkpoints))
    assert layers + found.extra_forwards == forwards
    assert (found.saved_bytes, found.peak_bytes) == (
        (checkpoints + 1) * UNIT + 4,
        (checkpoints + 3) * UNIT + 8,
    )


def test_it_is_executed_as_it_was_simulated() -> None:
    shape = even(32)
    assert execute(shape, revolve(32, 4)) == simulate(shape.costs(), revolve(32, 4))


def test_it_needs_a_layer_and_a_checkpoint() -> None:
    for layers, checkpoints in ((0, 1), (1, 0)):
        with pytest.raises(ValueError, match="a layer and a checkpoint"):
            revolve(layers, checkpoints)
