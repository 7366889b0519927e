"""Korthikanti et al. 2022 against what is kept; on a CPU, where `F.dropout` has a mask in the type of x."""

from typing import Any

import pytest
import torch

from app.demos.catalog.real_model.experiment import BLOCKS, apply_formula, list_builds
from app.demos.catalog.real_model.spec import Params
from app.demos.meter import Count
from app.demos.spec import Phase
from tests.demos.measured import default_dtype, make_lab, measured

PARAMS = Params(sequence=32, batch=2, hidden=64, heads=4)
SBH, A2SB, SB, ASB = 32 * 2 * 64, 4 * 32 * 32 * 2, 32 * 2, 4 * 32 * 2  # sbh, as^2b, sb, asb


def count_all(dtype: torch.dtype) -> dict[str, Count]:
    with default_dtype(dtype):
        return {name: make_lab().count(build) for name, build in list_builds(PARAMS).items()}


def saved_by_a_block(dtype: torch.dtype) -> dict[str, float]:
    return {name: (each.saved_bytes - dtype.itemsize) / BLOCKS for name, each in count_all(dtype).items()}


def metrics() -> dict[str, Any]:
    found: dict[str, Any] = measured("real-model")["metrics"]
    return found


def test_in_sixteen_bits_as_published_and_what_each_relative_differs_by() -> None:
    textbook = 34 * SBH + 5 * A2SB + 8 * SB
    assert saved_by_a_block(torch.bfloat16) == {
        "textbook": textbook,
        "fused": 34 * SBH + 8 * SB + 4 * ASB,
        "library_dropout": textbook + A2SB + 2 * SBH,
        "frozen": textbook - 10 * SBH,
        "kept": textbook + 2 * A2SB,
        "checkpointed": 2 * SBH,
        "checkpointed_frozen": 2 * SBH,
        "checkpointed_kept": 2 * SBH + 2 * A2SB,
    }


def test_in_thirty_two_bits() -> None:
    textbook = 66 * SBH + 9 * A2SB + 16 * SB
    assert saved_by_a_block(torch.float32) == {
        "textbook": textbook,
        "fused": 66 * SBH + 16 * SB + 4 * ASB,
        "library_dropout": textbook + 3 * (A2SB + 2 * SBH),
        "frozen": textbook - 20 * SBH,
        "kept": textbook + 4 * A2SB,
        "checkpointed": 4 * SBH,
        "checkpointed_frozen": 4 * SBH,
        "checkpointed_kept": 4 * SBH + 4 * A2SB,
    }


def test_the_formula_knows_checkpointing_and_nothing_else() -> None:
    whole, block = BLOCKS * (66 * SBH + 9 * A2SB), BLOCKS * 4 * SBH
    for name in list_builds(PARAMS):
        assert apply_formula(PARAMS, name) == (block if name.startswith("checkpointed") else whole)


def test_it_is_right_for_its_own_model_and_wrong_in_both_directions_for_others() -> None:
    assert metrics()["textbook.formula_ratio"] == pytest.approx(1, abs=0.005)
    assert metrics()["checkpointed.formula_ratio"] == pytest.approx(1, abs=0.005)
    for name in ("fused", "frozen"):
        assert metrics()[f"{name}.formula_ratio"] < 0.85
    for name in ("library_dropout", "kept"):
        assert metrics()[f"{name}.formula_ratio"] > 1.15
    # e sbh + e a s^2 b over e sbh is 1 + as/h, and the loss
    assert metrics()["checkpointed_kept.formula_ratio"] == pytest.approx(1 + 4 * 64 / 64, abs=0.001)
    assert metrics()["largest_miss"] == metrics()["checkpointed_kept.formula_ratio"]


def test_frozen_layers_make_the_same_recomputation_weigh_more() -> None:
    """A block has 24 bsh^2 in its linear layers, 16 of them frozen, and 4 bs^2h in attention."""
    forward = BLOCKS * (24 * SBH * 64 + 4 * SBH * 32)
    counted = count_all(torch.float32)
    for name, backward in (
        ("checkpointed", 2 * forward),
        ("checkpointed_frozen", 2 * forward - 32 * SBH * 64),
    ):
        assert counted[name].flops() == {
            Phase.FORWARD: forward,
            Phase.RECOMPUTE: forward,  # dropout's mask comes last, so that early stop spares nothing
            Phase.BACKWARD: backward,
            Phase.OPTIMIZER: 0,
        }
    assert metrics()["checkpointed.flops_ratio"] == pytest.approx(4 / 3)
    assert metrics()["checkpointed_frozen.flops_ratio"] == pytest.approx(24 / 17)


def test_kept_scores_change_no_gradient() -> None:
    assert metrics()["checkpointed.gradients_equal"] is True
    assert metrics()["checkpointed_kept.gradients_equal"] is True


def test_kept_scores_raise_the_peak_by_those_of_the_recomputation_too() -> None:
    scores = BLOCKS * 4 * A2SB
    counted = count_all(torch.float32)
    assert counted["kept"].peak_bytes > counted["textbook"].peak_bytes
    assert counted["checkpointed_kept"].peak_bytes > counted["checkpointed"].peak_bytes + scores
