"""Against Korthikanti et al. 2022, in 16 bits as they count and in the 32 that the demo runs in."""

from functools import partial

import pytest
import torch

from app.demos.catalog.selective.experiment import BLOCKS, build, keep_matmuls
from app.demos.catalog.selective.spec import Params
from app.demos.meter import Count
from app.demos.models import run_plainly
from app.demos.recompute import checkpoint
from app.demos.spec import Phase
from tests.demos.measured import default_dtype, make_lab, measured

PARAMS = Params(sequence=32, batch=2, hidden=64, heads=4)
SBH, A2SB, SB = 32 * 2 * 64, 4 * 32 * 32 * 2, 32 * 2  # sbh, as^2b, sb
POLICIES = {
    "none": partial(build, PARAMS, run_plainly),
    "attention": partial(build, PARAMS, run_plainly, recomputes_attention=True),
    "matmuls": partial(build, PARAMS, keep_matmuls),
    "full": partial(build, PARAMS, checkpoint),
}


def count_all(dtype: torch.dtype) -> dict[str, Count]:
    with default_dtype(dtype):
        return {name: make_lab().count(policy) for name, policy in POLICIES.items()}


def saved_by_a_block(dtype: torch.dtype) -> dict[str, float]:
    return {name: (each.saved_bytes - dtype.itemsize) / BLOCKS for name, each in count_all(dtype).items()}


def test_in_sixteen_bits_a_block_keeps_what_was_published() -> None:
    """34 sbh + 5 as^2b, and 8 sb for two norms; without the attention core the middle term is gone."""
    assert saved_by_a_block(torch.bfloat16) == {
        "none": 34 * SBH + 5 * A2SB + 8 * SB,
        "attention": 34 * SBH + 8 * SB,
        "matmuls": 20 * SBH,
        "full": 2 * SBH,
    }


def test_in_thirty_two_bits_all_but_the_masks_doubles() -> None:
    assert saved_by_a_block(torch.float32) == {
        "none": 66 * SBH + 9 * A2SB + 16 * SB,
        "attention": 66 * SBH + 16 * SB,
        "matmuls": 40 * SBH,
        "full": 4 * SBH,
    }


def test_what_each_policy_computes_again() -> None:
    """A block's forward: 24 bsh^2 in linear layers (12 products of h by h), 4 bs^2h in attention's two."""
    linear, attention = 2 * 12 * SBH * 64, 2 * (2 * SBH * 32)
    flops = {name: each.flops() for name, each in count_all(torch.float32).items()}
    assert {each[Phase.FORWARD] for each in flops.values()} == {BLOCKS * (linear + attention)}
    assert {each[Phase.BACKWARD] for each in flops.values()} == {2 * BLOCKS * (linear + attention)}
    assert {name: each[Phase.RECOMPUTE] for name, each in flops.items()} == {
        "none": 0,
        "attention": BLOCKS * attention // 2,  # early stop: the second product's result is needed by nobody
        "matmuls": BLOCKS * attention,
        "full": BLOCKS * (linear + attention),
    }


def test_every_policy_gives_the_same_gradients() -> None:
    metrics = measured("selective")["metrics"]
    assert all(metrics[f"{name}.gradients_equal"] for name in ("attention", "matmuls", "full"))


def test_keeping_less_costs_more() -> None:
    metrics = measured("selective")["metrics"]
    savings = [metrics[f"{name}.saved_saving"] for name in ("attention", "matmuls", "full")]
    ratios = [metrics[f"{name}.flops_ratio"] for name in ("attention", "matmuls", "full")]
    assert savings == sorted(savings)
    assert ratios == sorted(ratios)
    assert ratios[-1] == pytest.approx(4 / 3)
