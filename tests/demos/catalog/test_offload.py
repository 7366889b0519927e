import contextlib
from functools import partial
from pathlib import Path
from typing import Any

from app.demos.catalog.offload.experiment import build, run_in_segments, run_plainly, step_once
from app.demos.catalog.offload.hooks import InFiles, OnHost
from app.demos.catalog.offload.spec import Params
from tests.demos.measured import make_lab, measured

N, SEGMENTS = 16, 4
U = 4 * 64 * 128
WEIGHT = 4 * 128 * 128
LOSS = 4


def metrics() -> dict[str, Any]:
    found: dict[str, Any] = measured("offload")["metrics"]
    return found


class TestSixteenLayers:
    def test_what_is_written_to_files_is_what_the_plain_step_keeps(self) -> None:
        assert metrics()["plain.saved_bytes"] == N * U + LOSS
        assert metrics()["file.moved_bytes"] == metrics()["plain.saved_bytes"] - LOSS
        assert metrics()["file.files"] == N

    def test_save_on_cpu_moves_a_tensor_for_each_operator_that_saves_it_and_weights_too(self) -> None:
        assert metrics()["host.moved_bytes"] == 2 * N * U + (N - 1) * WEIGHT
        assert metrics()["host.activation_bytes_moved"] == metrics()["plain.saved_bytes"] - LOSS

    def test_around_checkpoints_it_moves_a_segments_input_alone(self) -> None:
        assert metrics()["boundaries.moved_bytes"] == SEGMENTS * U

    def test_nothing_but_the_loss_stays_on_the_device(self) -> None:
        for variant in ("host", "boundaries", "file"):
            assert metrics()[f"{variant}.saved_bytes"] == LOSS

    def test_the_device_peaks_at_what_is_brought_back(self) -> None:
        assert metrics()["plain.peak_bytes"] == (N + 2) * U + 2 * LOSS
        assert metrics()["file.peak_bytes"] == 3 * U + 2 * LOSS
        assert metrics()["host.peak_bytes"] == 3 * U + WEIGHT + 2 * LOSS

    def test_only_checkpoints_compute_again(self) -> None:
        product = 2 * 64 * 128 * 128
        assert metrics()["host.recompute_flops"] == metrics()["file.recompute_flops"] == 0
        assert metrics()["boundaries.recompute_flops"] == N * product

    def test_gradients_are_equal_to_the_last_bit(self) -> None:
        for variant in ("host", "boundaries", "file"):
            assert metrics()[f"{variant}.gradients_equal"] is True


class TestFiles:
    def test_they_are_real_and_gone_after_the_backward_pass(self) -> None:
        before = count_deleted_files()
        step = make_lab().fresh(partial(build, Params(depth=8), run_plainly, InFiles))
        loss = step.loss()
        assert count_deleted_files() == before + 8
        loss.backward()  # type: ignore[no-untyped-call]
        assert count_deleted_files() == before
        assert metrics()["file.files_left"] == 0

    def test_a_step_that_ends_before_its_backward_pass_leaves_none(self) -> None:
        before = count_deleted_files()
        step = make_lab().fresh(partial(build, Params(depth=8), run_plainly, InFiles))
        loss = step.loss()
        assert count_deleted_files() == before + 8
        del loss
        assert count_deleted_files() == before


def test_a_last_segment_takes_the_layers_that_remain() -> None:
    params = Params(depth=9, width=32, batch=8, segments=4)
    is_cpu = True
    way = partial(run_in_segments, segments=4)
    moving = step_once(make_lab(), partial(build, params, way, partial(OnHost, is_cpu)))
    assert moving.moved_bytes == 4 * 4 * 8 * 32


def count_deleted_files() -> int:
    """Open files of this process that no folder has any more."""
    names = []
    for descriptor in list(Path("/proc/self/fd").iterdir()):
        with contextlib.suppress(FileNotFoundError):  # the listing's own
            names.append(str(descriptor.readlink()))
    return sum(name.endswith(" (deleted)") for name in names)
