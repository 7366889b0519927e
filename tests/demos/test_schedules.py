import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.demos.schedules import (
    count_extra_forwards,
    count_saved,
    log_log_slope,
    spread_segments,
    sqrt_segments,
)

layers_and_segments = st.integers(1, 400).flatmap(lambda n: st.tuples(st.just(n), st.integers(1, n)))


def test_segments_of_sqrt_n_keep_fewest() -> None:
    """Chen et al. 2016: k segments keep k + N/k activations, one of them the input, fewest at k = sqrt(N)."""
    assert {k: count_saved(64, k) for k in (1, 4, 8, 16, 64)} == {1: 64, 4: 19, 8: 15, 16: 19, 64: 64}
    assert min(range(1, 65), key=lambda k: count_saved(64, k)) == sqrt_segments(64) == 8


def test_all_but_the_last_segment_run_again() -> None:
    assert [count_extra_forwards(64, k) for k in (1, 2, 4, 8, 64)] == [0, 32, 48, 56, 63]


@given(layers_and_segments)
def test_what_is_not_run_again_is_the_last_segment_which_is_kept(pair: tuple[int, int]) -> None:
    layers, segments = pair
    last = layers - count_extra_forwards(layers, segments)
    assert last >= layers // segments
    assert count_saved(layers, segments) == segments - 1 + last <= layers


@given(st.integers(2, 20), st.integers(1, 20))
def test_where_the_cut_is_even_the_formula_is_the_published_one(segments: int, length: int) -> None:
    layers = segments * length
    assert count_saved(layers, segments) == segments + layers // segments - 1
    assert count_extra_forwards(layers, segments) == layers - layers // segments


@given(st.integers(2, 400))
def test_the_spread_has_both_ends_and_the_root(layers: int) -> None:
    spread = spread_segments(layers)
    assert spread == sorted(set(spread))
    assert {1, layers, sqrt_segments(layers)} <= set(spread)
    assert len(spread) <= 8


@given(st.floats(0.1, 2), st.floats(0.5, 100))
def test_the_slope_of_a_power_is_its_exponent(power: float, factor: float) -> None:
    points = [(x, factor * x**power) for x in (16, 64, 100, 256)]
    assert math.isclose(log_log_slope(points), power, rel_tol=1e-9)


def test_a_constant_bends_the_slope() -> None:
    assert log_log_slope([(n, n + 2) for n in (64, 100, 144)]) == pytest.approx(0.979, abs=0.001)
