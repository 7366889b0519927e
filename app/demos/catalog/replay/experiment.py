# ruff: noqa: N803 - tensors carry their shapes
"""The forward pass runs again: a block with batch normalisation, plain and checkpointed, op by op.

x_BW is batch by width, fp32. The block is Linear, BatchNorm1d and ReLU. Its forward function is called
again in the backward pass, and what it does besides computing is done again: batch normalisation counts the
batch twice and moves its running statistics twice. With momentum m a plain step leaves (1 - m) of the old
mean, a checkpointed one (1 - m)^2; a momentum of 1 - sqrt(1 - m) makes the two steps amount to one.
"""

from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from app.demos.catalog.replay.spec import DEMO, Params
from app.demos.passes import Lab
from app.demos.recompute import checkpoint
from app.demos.results import Result, VariantResult
from app.demos.spec import Phase
from app.demos.steps import TrainingStep, Variant

MOMENTUM = 0.1  # PyTorch's default


class Block(nn.Module):
    """Linear, batch normalisation, ReLU; it counts the calls of its own forward function."""

    def __init__(self, width: int, momentum: float, *, is_checkpointed: bool) -> None:
        super().__init__()
        self.linear = nn.Linear(width, width)
        self.norm = nn.BatchNorm1d(width, momentum=momentum)
        self.is_checkpointed = is_checkpointed
        self.forward_calls = 0

    def forward(self, x_BW: Tensor) -> Tensor:
        """Run the region, plainly or under `checkpoint`."""
        out_BW: Tensor = checkpoint(self.region, x_BW) if self.is_checkpointed else self.region(x_BW)
        return out_BW

    def region(self, x_BW: Tensor) -> Tensor:
        """What a checkpoint runs again."""
        self.forward_calls += 1
        return torch.relu(self.norm(self.linear(x_BW)))


def run(lab: Lab, params: Params) -> Result:
    """Measure the variants, then take one step of each and see what it left in the block."""
    builds = {
        "plain": partial(build, params, MOMENTUM, is_checkpointed=False),
        "checkpointed": partial(build, params, MOMENTUM, is_checkpointed=True),
        "mended": partial(build, params, 1 - (1 - MOMENTUM) ** 0.5, is_checkpointed=True),
    }
    variants = lab.compare(*(Variant(name, builds[name]) for name in builds))
    plain, checkpointed, mended = (step_once(lab, builds[name]) for name in builds)
    ops = {name: variant.count.op_counts() for name, variant in variants.items()}
    return Result(
        variants,
        metrics={
            "plain.forward_calls": plain.forward_calls,
            "checkpointed.forward_calls": checkpointed.forward_calls,
            "plain.forward_ops": ops["plain"][Phase.FORWARD],
            "plain.recompute_ops": ops["plain"][Phase.RECOMPUTE],
            "checkpointed.recompute_ops": ops["checkpointed"][Phase.RECOMPUTE],
            "plain.batches_tracked": count_batches(plain),
            "checkpointed.batches_tracked": count_batches(checkpointed),
            "mended.batches_tracked": count_batches(mended),
            "checkpointed.running_mean_difference": compare_running_means(checkpointed, plain),
            "mended.running_mean_difference": compare_running_means(mended, plain),
        },
        picture={"kind": "oplog", "columns": [column(variants[name]) for name in ("plain", "checkpointed")]},
    )


def build(params: Params, momentum: float, *, is_checkpointed: bool) -> TrainingStep:
    """The block, and the mean of what comes out."""
    block = Block(params.width, momentum, is_checkpointed=is_checkpointed)
    x_BW = torch.randn(params.batch, params.width)
    return TrainingStep(block, (x_BW,), lambda: block(x_BW).mean())


def step_once(lab: Lab, build_step: partial[TrainingStep]) -> Block:
    """The block as one training step leaves it."""
    step = lab.fresh(build_step)
    step.run()
    assert isinstance(step.model, Block)  # noqa: S101 - `build` makes nothing else
    return step.model


def count_batches(block: Block) -> int:
    """How many batches the normalisation believes to have seen."""
    return int(block.get_buffer("norm.num_batches_tracked").item())


def compare_running_means(ours: Block, theirs: Block) -> float:
    """The largest difference between two running means."""
    ours_W, theirs_W = ours.get_buffer("norm.running_mean"), theirs.get_buffer("norm.running_mean")
    return float((ours_W - theirs_W).abs().max())


def column(variant: VariantResult) -> dict[str, Any]:
    """One variant's operators in their order, views left out."""
    labels = {spec.id: spec.label for spec in DEMO.variants}
    rows = [
        {"phase": op.phase.value, "op": op.name, "bytes": op.new_bytes}
        for op in variant.count.ops
        if not op.is_view
    ]
    return {"id": variant.id, "label": labels[variant.id], "rows": rows}
