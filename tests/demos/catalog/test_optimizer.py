import pytest

from tests.demos.measured import measured

DEPTH, WIDTH = 16, 256
PARAMETERS = DEPTH * (WIDTH * WIDTH + WIDTH)
TENSORS = 2 * DEPTH
U = 4 * 64 * WIDTH


def metrics() -> dict[str, float]:
    found: dict[str, float] = measured("optimizer")["metrics"]
    return found


def test_adam_keeps_eight_bytes_a_parameter_and_a_step_count_a_tensor() -> None:
    assert metrics()["parameters"] == PARAMETERS
    assert metrics()["state_bytes"] == 8 * PARAMETERS + 4 * TENSORS
    assert metrics()["state_bytes_per_parameter"] == pytest.approx(8, abs=0.001)


def test_the_floor_is_sixteen_bytes_a_parameter() -> None:
    assert metrics()["parameter_bytes"] == metrics()["gradient_bytes"] == 4 * PARAMETERS
    assert metrics()["floor_bytes"] == 16 * PARAMETERS + 4 * TENSORS


def test_checkpointing_shrinks_the_activations_alone() -> None:
    assert metrics()["plain.saved_bytes"] == DEPTH * U + 4
    assert metrics()["checkpointed.saved_bytes"] == (4 + 4 - 1) * U + 4
    assert metrics()["plain.peak_bytes"] == 18 * U + 8
    assert metrics()["checkpointed.peak_bytes"] == 9 * U + 8
    assert metrics()["checkpointed.total_bytes"] == metrics()["floor_bytes"] + 9 * U + 8
    assert 1.03 < metrics()["checkpointed.total_saving"] < 1.04


def test_the_optimizer_makes_nothing_that_outweighs_the_activations() -> None:
    for variant in measured("optimizer")["variants"]:
        assert variant["flops"]["optimizer"] == 0
        assert variant["ops"]["optimizer"] > 0
        live = [live for _, phase, live in variant["timeline"] if phase == "optimizer"]
        assert max(live) < U
