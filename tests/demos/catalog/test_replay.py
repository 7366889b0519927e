import pytest

from tests.demos.measured import measured

ACTIVATION = 64 * 128 * 4
STATISTICS = 2 * 128 * 4  # the batch's mean and deviation, which batch normalisation keeps


def metrics() -> dict[str, float]:
    found: dict[str, float] = measured("replay")["metrics"]
    return found


def test_the_forward_function_is_called_again() -> None:
    assert metrics()["plain.forward_calls"] == 1
    assert metrics()["checkpointed.forward_calls"] == 2


def test_batch_normalisation_counts_the_batch_twice() -> None:
    assert metrics()["plain.batches_tracked"] == 1
    assert metrics()["checkpointed.batches_tracked"] == 2
    assert metrics()["mended.batches_tracked"] == 2


def test_a_smaller_momentum_mends_the_running_mean_and_not_the_count() -> None:
    assert metrics()["checkpointed.running_mean_difference"] > 0.001
    assert metrics()["mended.running_mean_difference"] == pytest.approx(0, abs=1e-7)


def test_gradients_are_equal_all_the_same() -> None:
    assert metrics()["checkpointed.gradients_equal"] is True
    assert metrics()["mended.gradients_equal"] is True


def test_what_is_kept_is_two_activations_or_nothing() -> None:
    assert metrics()["plain.saved_bytes"] == 2 * ACTIVATION + STATISTICS + 4
    assert metrics()["checkpointed.saved_bytes"] == 4


def test_every_operator_of_the_region_runs_again() -> None:
    plain, checkpointed = measured("replay")["picture"]["columns"]
    names = {
        phase: [row["op"] for row in checkpointed["rows"] if row["phase"] == phase]
        for phase in ("forward", "recompute")
    }
    assert names["forward"][-1] == "aten.mean"  # the loss stands outside
    assert names["recompute"] == names["forward"][:-1]
    assert {"aten.addmm", "aten.native_batch_norm", "aten.relu"} <= set(names["recompute"])
    assert len(names["recompute"]) == metrics()["checkpointed.recompute_ops"]
    assert not [row for row in plain["rows"] if row["phase"] == "recompute"]
