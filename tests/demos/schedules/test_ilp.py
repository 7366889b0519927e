import random
import sys

import pytest

from app.demos.schedules import BudgetError, keep_everything, simulate
from app.demos.schedules.ilp import SolverMissingError, is_solver_installed, solve_exactly
from app.demos.schedules.optimal import find_optimal
from tests.demos.schedules.chains import every_schedule, random_chain


class TestSolveExactly:
    def test_it_equals_brute_force_and_the_dynamic_program(self) -> None:
        draw = random.Random(1)  # noqa: S311 - the same chains in every run
        for number in range(32):
            layers = 1 + number % 8
            costs = random_chain(layers, draw)
            most = simulate(costs, keep_everything(layers)).peak_bytes
            budget_bytes = draw.randint(most // 2, most)
            try:
                expected = find_optimal(costs, budget_bytes).simulation.extra_cost
            except BudgetError:
                with pytest.raises(BudgetError):
                    solve_exactly(costs, budget_bytes)
                continue
            found = simulate(costs, solve_exactly(costs, budget_bytes))
            assert found.peak_bytes <= budget_bytes
            assert found.extra_cost == expected
            if layers <= 4:
                every = [simulate(costs, schedule) for schedule in every_schedule(layers)]
                assert expected == min(e.extra_cost for e in every if e.peak_bytes <= budget_bytes)

    def test_it_takes_eight_layers_at_most(self) -> None:
        costs = random_chain(9, random.Random(2))  # noqa: S311 - any chain
        with pytest.raises(ValueError, match="at most 8 layers, not 9"):
            solve_exactly(costs, 1000)


def test_without_scipy_it_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy", None)
    assert not is_solver_installed()
    with pytest.raises(SolverMissingError, match=r"needs SciPy 1\.15"):
        solve_exactly(random_chain(3, random.Random(3)), 1000)  # noqa: S311 - any chain
