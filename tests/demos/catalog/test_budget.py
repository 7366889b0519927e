from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
import torch

from app.demos.catalog.budget.compiler import Backend
from app.demos.catalog.budget.experiment import BLOCKS, build, compile_all
from app.demos.catalog.budget.spec import Params
from app.demos.meter import Count
from app.demos.models import run_plainly
from app.demos.spec import Phase
from tests.demos.measured import make_lab, measured

E, T, W = 4, 64, 64
U = E * T * W
FULL = BLOCKS * (10 * U + 2 * E * T) - U  # the last block's result is nobody's input
SUMS = (BLOCKS - 1) * U  # what each block but the first gets from the one before
LOSS = 4
BUDGETS = {"quarter": 0.25, "three_quarters": 0.75}


@pytest.fixture(scope="module")
def counted() -> Iterator[dict[str, Count]]:
    """Two more budgets than the demo has by itself, on real tensors."""
    lab, params = make_lab(), Params()
    compiled = compile_all(lab, params, {name: Backend(budget) for name, budget in BUDGETS.items()})
    yield {name: lab.count(partial(build, params, compiled[name])) for name in BUDGETS}
    torch.compiler.reset()


def metrics() -> dict[str, Any]:
    found: dict[str, Any] = measured("budget")["metrics"]
    return found


def points(series: str) -> dict[float, int]:
    (found,) = (each for each in measured("budget")["picture"]["series"] if each["id"] == series)
    return {budget: nbytes for budget, nbytes in found["points"]}  # noqa: C416 - pairs are lists


class TestEightBlocks:
    def test_with_everything_it_keeps_what_the_blocks_save(self) -> None:
        assert metrics()["full.saved_bytes"] == FULL + LOSS

    def test_with_half_it_keeps_what_no_product_need_make_again(self) -> None:
        assert metrics()["chosen.saved_bytes"] == BLOCKS * 4 * U + SUMS + LOSS
        assert metrics()["chosen.recompute_flops"] == 0
        assert metrics()["chosen.flops_ratio"] == 1

    def test_with_a_quarter_it_makes_some_products_again(self, counted: dict[str, Count]) -> None:
        assert counted["quarter"].saved_bytes == 3 * 4 * U + SUMS + LOSS
        assert counted["quarter"].flops()[Phase.RECOMPUTE] == (BLOCKS - 3) * 2 * T * W * 4 * W

    def test_with_nothing_it_computes_all_again_and_peaks_as_before(self) -> None:
        assert metrics()["none.saved_bytes"] == LOSS
        assert metrics()["none.recompute_flops"] == (2 * BLOCKS - 1) * 2 * T * W * 4 * W
        assert metrics()["none.peak_bytes"] == metrics()["full.peak_bytes"]


class TestTheStaircase:
    def test_it_never_goes_over_its_budget(self, counted: dict[str, Count]) -> None:
        for budget, saved in points("predicted").items():
            assert saved <= budget * FULL
        for name, budget in BUDGETS.items():
            assert counted[name].saved_bytes - LOSS <= budget * FULL

    def test_it_rises_with_the_budget_in_steps(self) -> None:
        saved = [nbytes for _, nbytes in sorted(points("predicted").items())]
        assert saved == sorted(saved)
        assert saved[0] == 0
        assert saved[-1] == FULL
        assert metrics()["stairs"] == len(set(saved)) == 7

    def test_what_the_compiler_predicts_is_what_is_kept(self, counted: dict[str, Count]) -> None:
        predicted = points("predicted")
        kept = points("saved") | {BUDGETS[name]: count.saved_bytes for name, count in counted.items()}
        assert set(kept) == {0, 0.25, 0.5, 0.75, 1}
        assert {budget: saved - LOSS for budget, saved in kept.items()} == {b: predicted[b] for b in kept}


def test_a_function_that_is_not_compiled_raises_and_is_not_run_eagerly_in_silence() -> None:
    uncompiled = torch.compile(run_plainly, backend=Backend(0.5))
    with pytest.raises(RuntimeError, match="fail_on_recompile"):
        make_lab().count(partial(build, Params(), uncompiled))
    torch.compiler.reset()


def test_gradients_are_equal_to_the_last_bit() -> None:
    assert metrics()["chosen.gradients_equal"] is True
    assert metrics()["none.gradients_equal"] is True
