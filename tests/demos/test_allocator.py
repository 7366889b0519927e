import torch

from app.demos.allocator import measure_allocation
from app.demos.meter import Meter
from app.demos.timing import REPEATS, WARMUPS, Spread, time_interleaved

CPU = torch.device("cpu")


def test_the_allocator_sees_what_lives_at_once() -> None:
    def step() -> None:
        x = torch.ones(256)
        y = x + x
        del x
        torch.mul(y, y)

    assert measure_allocation(step, CPU).peak_bytes == 2 * 1024


def test_the_allocator_sees_a_temporary_that_the_meter_cannot() -> None:
    x = torch.ones(64, 64)

    def step() -> None:
        x.logcumsumexp(dim=0)

    with Meter() as meter:
        step()
    assert measure_allocation(step, CPU).peak_bytes >= meter.count().peak_bytes


def test_what_was_there_before_the_step_is_not_its_own() -> None:
    x = torch.ones(256)
    assert measure_allocation(lambda: x.add_(x), CPU).peak_bytes == 0
    assert measure_allocation(lambda: x.add_(x), CPU).reserved_bytes is None


def test_steps_take_turns_and_warm_ups_are_not_kept() -> None:
    turns: list[str] = []
    fractions: list[float] = []
    times_ms = time_interleaved([lambda: turns.append("a"), lambda: turns.append("b")], CPU, fractions.append)
    assert turns == ["a", "b"] * (WARMUPS + REPEATS)
    assert [len(each) for each in times_ms] == [REPEATS, REPEATS]
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1.0


def test_a_spread_is_a_median_between_two_deciles() -> None:
    assert Spread.of([float(value) for value in range(11)]) == Spread(median=5.0, p10=1.0, p90=9.0, n=11)
