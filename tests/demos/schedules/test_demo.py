"""The demo of the schedules, at few layers: exact integers, and every prediction against its measurement."""

from functools import cache
from typing import Any

import pytest

from app.demos.catalog.schedules.spec import DEMO, SCHEDULED
from app.demos.harness import measure
from app.demos.schedules.ilp import is_solver_installed

SIZES = {"width": 16, "batch": 8}
UNIT = 4 * 16 * 8


@cache
def run(layers: int, shape: str) -> dict[str, Any]:
    return measure("schedules", {**SIZES, "layers": layers, "shape": shape, "checkpoints": 3})


@pytest.mark.parametrize(("layers", "shape"), [(16, "even"), (8, "uneven")])
def test_what_is_predicted_is_what_is_measured(layers: int, shape: str) -> None:
    result = run(layers, shape)
    metrics = result["metrics"]
    assert metrics["prediction_error_bytes"] == 0
    for name in SCHEDULED:
        assert metrics[f"{name}.predicted_saved_bytes"] == metrics[f"{name}.saved_bytes"]
        assert metrics[f"{name}.predicted_peak_bytes"] == metrics[f"{name}.peak_bytes"]
        assert metrics[f"{name}.predicted_forwards"] == metrics[f"{name}.extra_forwards"]
        assert metrics[f"{name}.predicted_flops"] == metrics[f"{name}.recompute_flops"]
        assert metrics[f"{name}.gradients_equal"] is True
    for variant in result["variants"]:  # the Meter's own prediction, on tensors that hold nothing
        assert variant["predicted"]["peak_bytes"] == variant["peak_bytes"]


@pytest.mark.parametrize(("layers", "shape"), [(16, "even"), (8, "uneven")])
def test_the_optimum_is_never_worse_in_the_same_memory(layers: int, shape: str) -> None:
    metrics = run(layers, shape)["metrics"]
    for name, rival in (("optimal", "sqrt"), ("tight", "revolve")):
        assert metrics[f"{name}.is_proven"] is True
        assert metrics[f"{name}.peak_bytes"] <= metrics[f"{rival}.peak_bytes"]
        assert metrics[f"{name}.recompute_flops"] <= metrics[f"{rival}.recompute_flops"]


def test_sixteen_even_layers_give_the_integers_of_the_formulas() -> None:
    metrics = run(16, "even")["metrics"]
    assert metrics["sqrt.saved_bytes"] == 7 * UNIT + 4
    assert metrics["sqrt.peak_bytes"] == 8 * UNIT + 8
    assert metrics["sqrt.extra_forwards"] == 12
    assert metrics["revolve.saved_bytes"] == 4 * UNIT + 4
    assert metrics["revolve.peak_bytes"] == 6 * UNIT + 8
    assert metrics["revolve.extra_forwards"] == 49 - 16
    assert metrics["ilp.optimal_flops"] is None  # too long for it


def test_the_integer_program_agrees_where_there_is_one() -> None:
    metrics = run(8, "uneven")["metrics"]
    if is_solver_installed():
        assert metrics["ilp.optimal_flops"] == metrics["optimal.recompute_flops"]
        assert metrics["ilp.tight_flops"] == metrics["tight.recompute_flops"]
    else:
        assert metrics["ilp.optimal_flops"] is metrics["ilp.tight_flops"] is None


def test_the_picture_has_a_falling_curve_for_each_kind() -> None:
    picture = run(8, "uneven")["picture"]
    assert picture["kind"] == DEMO.picture
    assert [series["id"] for series in picture["series"]] == ["segments", "revolve", "optimal"]
    for series in picture["series"]:
        points = series["points"]
        assert points == sorted(points)
        assert [again for _, again in points] == sorted((again for _, again in points), reverse=True)
