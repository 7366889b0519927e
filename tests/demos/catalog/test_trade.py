from functools import partial

import pytest

from app.demos.catalog.trade.experiment import build, run_plainly
from app.demos.catalog.trade.spec import Params
from app.demos.meter import Count
from app.demos.models import Chain
from app.demos.recompute import checkpoint
from app.demos.spec import Phase
from tests.demos.measured import make_lab, measured

U = 4 * 64 * 256
SCALARS = 8  # the loss, and the gradient that backward starts from
PRODUCT = 2 * 64 * 256 * 256


def count_all(params: Params | None = None, *, threads: int = 1) -> dict[str, Count]:
    params = params or Params()
    ways = {
        "plain": run_plainly,
        "whole": checkpoint,
        "segments": partial(Chain.run_in_segments, segments=params.segments),
    }
    return {name: make_lab(threads=threads).count(partial(build, params, way)) for name, way in ways.items()}


class TestSixteenLayersInFourSegments:
    def test_what_is_kept(self) -> None:
        assert {name: each.saved_bytes for name, each in count_all().items()} == {
            "plain": 16 * U + 4,
            "whole": 4,
            "segments": (4 + 16 // 4 - 1) * U + 4,
        }

    def test_the_peak_is_what_is_held_and_two_gradients(self) -> None:
        assert {name: each.peak_bytes for name, each in count_all().items()} == {
            "plain": 18 * U + SCALARS,
            "whole": 18 * U + SCALARS,  # one segment around everything gains nothing
            "segments": 9 * U + SCALARS,
        }

    def test_what_is_computed_again(self) -> None:
        flops = {name: each.flops() for name, each in count_all().items()}
        assert {name: each[Phase.RECOMPUTE] for name, each in flops.items()} == {
            "plain": 0,
            "whole": 16 * PRODUCT,
            "segments": (16 - 16 // 4) * PRODUCT,
        }
        for each in flops.values():
            assert each[Phase.FORWARD] == 16 * PRODUCT
            assert each[Phase.BACKWARD] == (2 * 16 - 1) * PRODUCT


@pytest.mark.parametrize("segments", [2, 4, 8])
def test_segments_peak_at_what_the_last_one_needs(segments: int) -> None:
    params = Params(depth=32, width=32, batch=8, segments=segments)
    u = 4 * 8 * 32
    counted = count_all(params)["segments"]
    assert counted.saved_bytes == (segments + 32 // segments - 1) * u + 4
    assert counted.peak_bytes == (segments + 32 // segments + 1) * u + SCALARS


class TestDeterminism:
    def test_five_repeats_give_the_same_integers(self) -> None:
        first, *others = (count_all(Params(depth=8, width=64, batch=16)) for _ in range(5))
        assert all(other == first for other in others)

    def test_one_thread_and_two_give_the_same_integers(self) -> None:
        assert count_all(threads=1) == count_all(threads=2)


def test_gradients_are_equal_to_the_last_bit() -> None:
    metrics = measured("trade")["metrics"]
    assert metrics["whole.gradients_equal"] is True
    assert metrics["segments.gradients_equal"] is True


def test_gradients_neither_fade_nor_grow() -> None:
    """Or equal gradients would be equal zeros."""
    gradients = make_lab().gradients(partial(build, Params(depth=32), run_plainly))
    largest = [float(gradient.abs().max()) for gradient in gradients.values()]
    assert all(value > 0 for value in largest)
    assert max(largest) / min(largest) < 100


def test_the_ratios_of_the_result() -> None:
    metrics = measured("trade")["metrics"]
    assert metrics["segments.peak_saving"] == pytest.approx(2, abs=0.001)
    assert metrics["whole.peak_saving"] == 1
    assert metrics["segments.flops_ratio"] == (16 + 31 + 12) / (16 + 31)
    assert metrics["whole.flops_ratio"] == (16 + 31 + 16) / (16 + 31)
