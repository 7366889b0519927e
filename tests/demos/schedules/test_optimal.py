import random
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.demos.schedules import BudgetError, ChainCosts, cut_evenly, keep_everything, revolve, simulate
from app.demos.schedules.costs import tanh_chain
from app.demos.schedules.optimal import find_optimal, list_optimal
from tests.demos.schedules.chains import every_schedule, random_chain

COARSE = 40  # units: rounding is felt


@st.composite
def chains(draw: st.DrawFn) -> ChainCosts:
    layers = draw(st.integers(2, 14))
    widths = draw(st.lists(st.integers(8, 200), min_size=layers + 1, max_size=layers + 1))
    repeats = draw(st.lists(st.integers(1, 4), min_size=layers, max_size=layers))
    return tanh_chain(widths, repeats, batch=4)


def test_it_equals_brute_force_on_200_random_chains() -> None:
    draw = random.Random(0)  # noqa: S311 - the same chains in every run
    for number in range(200):
        layers = 1 + number % 5
        costs = random_chain(layers, draw)
        every = [simulate(costs, schedule) for schedule in every_schedule(layers)]
        least = min(each.peak_bytes for each in every)
        most = simulate(costs, keep_everything(layers)).peak_bytes
        for budget_bytes in {least, draw.randint(least, most), most}:
            found = find_optimal(costs, budget_bytes)
            assert found.simulation.peak_bytes <= budget_bytes
            best = min(each.extra_cost for each in every if each.peak_bytes <= budget_bytes)
            assert found.simulation.extra_cost == found.least_cost == best
        with pytest.raises(BudgetError, match=f"into {least - 1} bytes"):
            find_optimal(costs, least - 1)


@settings(max_examples=40, deadline=None)
@given(chains(), st.integers(1, 14), st.booleans(), st.sampled_from([COARSE, 512]))
def test_it_costs_no_more_than_even_cuts_and_revolve_in_their_memory(
    costs: ChainCosts, number: int, is_cut: bool, units: int
) -> None:
    number = min(number, len(costs))
    rival = simulate(costs, (cut_evenly if is_cut else revolve)(len(costs), number))
    found = find_optimal(costs, rival.peak_bytes, units=units)
    assert found.simulation.peak_bytes <= rival.peak_bytes
    assert found.least_cost <= found.simulation.extra_cost <= rival.extra_cost


@settings(max_examples=40, deadline=None)
@given(chains(), st.integers(5, 100))
def test_few_units_never_pass_the_budget_nor_the_bound(costs: ChainCosts, percent: int) -> None:
    budget_bytes = simulate(costs, keep_everything(len(costs))).peak_bytes * percent // 100
    try:
        fine = find_optimal(costs, budget_bytes, units=2000)
    except BudgetError:
        return
    try:
        coarse = find_optimal(costs, budget_bytes, units=COARSE)
    except BudgetError:
        return  # nothing that it found fits: it says so, and is not over
    assert coarse.simulation.peak_bytes <= budget_bytes
    assert coarse.least_cost <= fine.simulation.extra_cost <= coarse.simulation.extra_cost
    assert coarse.simulation == simulate(costs, coarse.schedule)


def test_even_layers_beat_sqrt_in_its_own_memory() -> None:
    """16 layers again under √N, 14 in the same bytes: its last segment is too long."""
    costs = tanh_chain([64] * 25, [1] * 24, batch=32)
    sqrt = simulate(costs, cut_evenly(24, 5))
    found = find_optimal(costs, sqrt.peak_bytes)
    assert (sqrt.extra_forwards, found.simulation.extra_forwards) == (16, 14)
    assert found.is_proven


def test_all_budgets_at_once_fall_from_the_plain_chain_in_both_directions() -> None:
    costs = tanh_chain([64, 32, 64, 16] * 4 + [64], [1, 3, 1, 2] * 4, batch=8)
    plain = simulate(costs, keep_everything(16))
    front = [simulation for _, simulation in list_optimal(costs, plain.peak_bytes, most=10)]
    assert front[0] == plain
    for before, after in pairwise(front):
        assert after.peak_bytes < before.peak_bytes
        assert after.extra_cost > before.extra_cost
        assert find_optimal(costs, after.peak_bytes).simulation.extra_cost == after.extra_cost
