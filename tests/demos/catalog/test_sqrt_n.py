from functools import partial

import pytest

from app.demos.catalog.sqrt_n.experiment import build
from app.demos.catalog.sqrt_n.spec import Params
from app.demos.meter import Count
from app.demos.schedules import count_extra_forwards, count_saved, log_log_slope, sqrt_segments
from app.demos.spec import Phase
from tests.demos.measured import make_lab, measured

SMALL = Params(width=16, batch=8)
U = 4 * 8 * 16
SCALARS = 8  # the loss, and the gradient that backward starts from


def count(layers: int, segments: int) -> Count:
    return make_lab().count(partial(build, SMALL, layers, segments))


@pytest.mark.parametrize(
    ("layers", "segments"), [(16, k) for k in (1, 2, 3, 4, 5, 8, 16)] + [(30, 4), (36, 6)]
)
def test_a_measured_schedule_meets_its_arithmetic(layers: int, segments: int) -> None:
    counted = count(layers, segments)
    recomputed = sum(op.flops > 0 for op in counted.list_ops(Phase.RECOMPUTE))
    assert counted.saved_bytes == count_saved(layers, segments) * U + 4
    assert recomputed == count_extra_forwards(layers, segments)


def test_the_peak_is_one_gradient_above_what_is_kept() -> None:
    for layers in (16, 36, 64):
        assert count(layers, 1).peak_bytes == (layers + 1) * U + SCALARS
        root = sqrt_segments(layers)
        assert count(layers, root).peak_bytes == 2 * root * U + SCALARS


def test_the_peak_grows_like_the_root_of_n() -> None:
    layers = (64, 100, 144)
    plain = log_log_slope([(n, count(n, 1).peak_bytes) for n in layers])
    sqrt = log_log_slope([(n, count(n, sqrt_segments(n)).peak_bytes) for n in layers])
    assert plain == pytest.approx(0.99, abs=0.01)
    assert sqrt == pytest.approx(0.50, abs=0.005)


class TestTheResult:
    def test_sixty_four_layers_in_eight_segments(self) -> None:
        metrics = measured("sqrt-n")["metrics"]
        assert metrics["segments"] == 8
        assert metrics["plain.saved_activations"] == 64
        assert metrics["sqrt.saved_activations"] == 8 + 64 // 8 - 1
        assert metrics["sqrt.extra_forwards"] == 64 - 64 // 8
        assert metrics["sqrt.gradients_equal"] is True
        assert metrics["sqrt.peak_saving"] == pytest.approx(65 / 16, rel=0.001)
        assert metrics["sqrt.slope"] == pytest.approx(0.5, abs=0.005)

    def test_the_curve_is_a_u_with_its_floor_at_the_root(self) -> None:
        for series in measured("sqrt-n")["picture"]["series"]:
            points = {k: activations for k, activations in series["points"]}  # noqa: C416 - pairs are lists
            assert min(points, key=lambda k: points[k]) == 8
            assert points[1] == points[64]
