import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.demos.schedules import (
    Schedule,
    Segment,
    count_extra_forwards,
    count_saved,
    cut_evenly,
    cut_sqrt,
    keep_everything,
    recompute_every_layer,
    simulate,
)
from app.demos.schedules.optimal import find_optimal
from app.demos.schedules.tree import Item
from tests.demos.schedules.chains import BATCH, Shape, execute

UNIT = 4 * BATCH * 8  # one activation of width 8


def even(layers: int) -> Shape:
    return Shape((8,) * (layers + 1), (1,) * layers)


@st.composite
def shapes(draw: st.DrawFn) -> Shape:
    layers = draw(st.integers(1, 7))
    widths = draw(st.lists(st.sampled_from([8, 16, 24, 64]), min_size=layers + 1, max_size=layers + 1))
    repeats = draw(st.lists(st.integers(1, 4), min_size=layers, max_size=layers))
    return Shape(tuple(widths), tuple(repeats))


@st.composite
def item_lists(draw: st.DrawFn, start: int, end: int, depth: int = 3) -> tuple[Item, ...]:
    items: list[Item] = []
    while start < end:
        length = draw(st.integers(0, end - start)) if depth else 0
        if length:
            items.append(Segment(draw(item_lists(start, start + length, depth - 1))))
        else:
            items.append(start)
        start += max(length, 1)
    return tuple(items)


class TestSimulate:
    @settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(st.data())
    def test_gives_the_integers_that_are_measured_for_any_tree(self, data: st.DataObject) -> None:
        shape = data.draw(shapes())
        schedule = Schedule(data.draw(item_lists(0, len(shape.repeats))))
        assert simulate(shape.costs(), schedule) == execute(shape, schedule)

    def test_gives_them_for_what_the_solver_finds_on_a_longer_chain(self) -> None:
        shape = Shape((64, *(8 * (1 + number * 5 % 7) for number in range(21))), (1, 3, 2) * 7)
        costs = shape.costs()
        peak_bytes = simulate(costs, keep_everything(21)).peak_bytes
        for percent in (30, 50):
            found = find_optimal(costs, peak_bytes * percent // 100)
            assert found.simulation == execute(shape, found.schedule)

    def test_needs_a_schedule_of_the_same_length(self) -> None:
        with pytest.raises(ValueError, match="3 layers for a chain of 4"):
            simulate(even(4).costs(), keep_everything(3))


class TestSchedule:
    def test_runs_every_layer_once_and_in_order(self) -> None:
        for items in ((1,), (0, 2), (0, Segment((0, 1))), (Segment((1, 0)),)):
            with pytest.raises(ValueError, match="in their order"):
                Schedule(items)

    def test_is_written_with_a_bracket_for_each_checkpoint(self) -> None:
        assert str(Schedule((Segment((Segment((0, 1)), 2)), 3))) == "[[0 1] 2] 3"


class TestSimpleSchedules:
    def test_keeping_everything_keeps_n_and_peaks_one_higher(self) -> None:
        found = simulate(even(16).costs(), keep_everything(16))
        assert (found.saved_bytes, found.peak_bytes) == (16 * UNIT + 4, 17 * UNIT + 8)
        assert found.extra_forwards == 0

    def test_every_layer_under_a_checkpoint_runs_n_again(self) -> None:
        found = simulate(even(16).costs(), recompute_every_layer(16))
        assert (found.saved_bytes, found.extra_forwards) == (15 * UNIT + 4, 16)

    def test_even_cuts_meet_the_formulas(self) -> None:
        for layers in (16, 25, 64):
            for segments in range(1, layers + 1):
                found = simulate(even(layers).costs(), cut_evenly(layers, segments))
                assert found.saved_bytes == count_saved(layers, segments) * UNIT + 4
                assert found.extra_forwards == count_extra_forwards(layers, segments)

    def test_sqrt_segments_peak_at_two_sqrt_n(self) -> None:
        found = simulate(even(64).costs(), cut_sqrt(64))
        assert (found.peak_bytes, found.extra_forwards) == (16 * UNIT + 8, 56)

    def test_more_segments_than_layers_are_refused(self) -> None:
        with pytest.raises(ValueError, match="cannot be cut into 5"):
            cut_evenly(4, 5)
