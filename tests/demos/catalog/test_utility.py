"""The table of outcomes as PyTorch 2.13 gives it."""

from typing import Any

import pytest
import torch

from app.demos.catalog.utility.experiment import try_case, try_default
from app.demos.catalog.utility.spec import CASES
from tests.demos.measured import measured

ACTIVATION = 4 * 64 * 128
PRODUCT = 2 * 64 * 128 * 128
RIGHT, MISSING, WARNED = (
    "right gradients",
    "gradients missing, no warning",
    "gradients missing, with a warning",
)
WRONG = "wrong gradients, no warning"
OUTCOMES = {  # reentrant, non-reentrant
    "usual": (RIGHT, RIGHT),
    "input_without_grad": (WARNED, RIGHT),
    "keyword_argument": ("raises ValueError", RIGHT),
    "dict_output": (MISSING, RIGHT),
    "nested_input": (WARNED, RIGHT),
    "autograd_grad": ("raises RuntimeError", RIGHT),
    "backward_inputs": (MISSING, RIGHT),  # documented as an error; none is raised for a parameter
    "second_order": ("raises RuntimeError", RIGHT),
    "inner_gradient": ("raises RuntimeError", RIGHT),
    "detached_output": (RIGHT, RIGHT),  # documented as an error; none is raised for an output
    "backward_twice": (RIGHT, RIGHT),
    "selective_policy": ("raises ValueError", RIGHT),
    "saved_then_changed": ("raises ValueError", "raises RuntimeError"),
    "changed_value": (WRONG, WRONG),
    "changed_shape": (WRONG, "raises CheckpointError"),
}


def metrics() -> dict[str, Any]:
    found: dict[str, Any] = measured("utility")["metrics"]
    return found


@pytest.mark.parametrize("case", CASES)
def test_every_use_comes_out_as_listed(case: str) -> None:
    found = try_case(torch.device("cpu"), case)
    assert tuple(outcome.words for outcome in found.values()) == OUTCOMES[case]


def test_the_table_has_a_row_for_each_use() -> None:
    rows = measured("utility")["picture"]["rows"]
    assert rows == [[label, *OUTCOMES[case]] for case, label in CASES.items()]


def test_the_outcomes_are_counted() -> None:
    assert {
        name: metrics()[name] for name in metrics() if name.endswith((".right", ".silent", ".raised"))
    } == {
        "reentrant.right": 3,
        "reentrant.silent": 6,
        "reentrant.raised": 6,
        "non_reentrant.right": 12,
        "non_reentrant.silent": 1,
        "non_reentrant.raised": 2,
    }
    assert metrics()["cases"] == 15
    for number, name in enumerate(("reentrant", "non_reentrant")):
        for case, words in OUTCOMES.items():
            assert metrics()[f"{name}.{case}"] is (words[number] == RIGHT)


def test_left_out_the_argument_still_means_reentrant_with_a_warning() -> None:
    assert try_default(torch.device("cpu")) == {"default.is_reentrant": True, "default.warns": True}


class TestTheUsualStep:
    def test_the_region_keeps_only_its_input(self) -> None:
        """Plainly the stem's result and two of ReLU; checkpointed the first, and what the head needs."""
        assert metrics()["plain.saved_bytes"] == 3 * ACTIVATION + 4
        assert metrics()["reentrant.saved_bytes"] == 2 * ACTIVATION + 4
        assert metrics()["non_reentrant.saved_bytes"] == 2 * ACTIVATION + 4

    def test_both_variants_run_the_region_again(self) -> None:
        assert metrics()["plain.recompute_flops"] == 0
        assert metrics()["reentrant.recompute_flops"] == 2 * PRODUCT
        assert metrics()["non_reentrant.recompute_flops"] == 2 * PRODUCT

    def test_the_reentrant_variant_peaks_one_activation_higher(self) -> None:
        """Its nested backward pass holds the gradient that it was given until it ends."""
        assert metrics()["non_reentrant.peak_bytes"] == metrics()["plain.peak_bytes"]
        assert metrics()["reentrant.peak_bytes"] == metrics()["plain.peak_bytes"] + ACTIVATION

    def test_gradients_are_equal_to_the_last_bit(self) -> None:
        assert metrics()["reentrant.gradients_equal"] is True
        assert metrics()["non_reentrant.gradients_equal"] is True
