"""How long the solvers take; `./rematch bench` prints it.

Asserted is the processor's time on one thread, the least of three: what a machine that others use as
well would need if they did not.
"""

import random
import time
from collections.abc import Callable

import pytest
import torch

from app.demos.schedules import ChainCosts, cut_sqrt, revolve, simulate
from app.demos.schedules.costs import tanh_chain
from app.demos.schedules.ilp import MOST_LAYERS, solve_exactly
from app.demos.schedules.optimal import find_optimal

pytestmark = pytest.mark.performance

TRIES = 3


def uneven_chain(layers: int) -> ChainCosts:
    """Odd widths, so that nothing but a rounded unit measures them all."""
    draw = random.Random(3)  # noqa: S311 - the same chain in every run
    widths = [draw.randint(16, 128) for _ in range(layers + 1)]
    return tanh_chain(widths, [draw.randint(1, 4) for _ in range(layers)], batch=32)


def seconds(solve: Callable[[], object]) -> tuple[float, float]:
    """(processor, clock), each the least of TRIES, on one thread."""
    threads, tries = torch.get_num_threads(), []
    torch.set_num_threads(1)
    try:
        for _ in range(TRIES):
            started = time.process_time(), time.perf_counter()
            solve()
            tries.append((time.process_time() - started[0], time.perf_counter() - started[1]))
    finally:
        torch.set_num_threads(threads)
    return min(cpu for cpu, _ in tries), min(clock for _, clock in tries)


def show(solver: str, cpu: float, clock: float) -> None:
    print(f"\n{solver}: {cpu:.3f} s of one processor, {clock:.3f} s on the clock")  # noqa: T201 - the bench


@pytest.mark.parametrize(("layers", "most_seconds"), [(50, 1.0), (100, 1.0), (200, 4.0)])
def test_the_dynamic_program_is_quick(layers: int, most_seconds: float) -> None:
    costs = uneven_chain(layers)
    budget_bytes = simulate(costs, cut_sqrt(layers)).peak_bytes
    cpu, clock = seconds(lambda: find_optimal(costs, budget_bytes))
    show(f"dynamic program, {layers} layers", cpu, clock)
    assert cpu < most_seconds


def test_revolve_and_its_simulation_are_quick() -> None:
    costs = uneven_chain(200)
    cpu, clock = seconds(lambda: simulate(costs, revolve(200, 5)))
    show("revolve, 200 layers", cpu, clock)
    assert cpu < 1.0


def test_the_integer_program_is_quick() -> None:
    costs = uneven_chain(MOST_LAYERS)
    budget_bytes = simulate(costs, cut_sqrt(MOST_LAYERS)).peak_bytes
    cpu, clock = seconds(lambda: solve_exactly(costs, budget_bytes))
    show(f"integer program, {MOST_LAYERS} layers", cpu, clock)
    assert cpu < 10.0
