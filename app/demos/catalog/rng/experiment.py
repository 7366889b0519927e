# ruff: noqa: N803 - tensors carry their shapes
"""Dropout and the random-number state: whether the mask drawn again is the mask that was drawn.

x_BF is batch by features, fp32. The region is Linear, dropout at one half and Linear. `checkpoint` keeps the
random-number state of the forward pass and restores it for the recomputation (`preserve_rng_state`, on by
default). Without that the recomputation draws another mask: two masks at one half agree in half their
elements, and the gradients belong to neither forward pass. Nothing is raised.

The loss is a sum, which leaves gradients of the size of activations rather than a millionth of it.
"""

from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from app.demos.catalog.rng.spec import Params
from app.demos.passes import Build, Lab
from app.demos.recompute import checkpoint
from app.demos.results import Result
from app.demos.spec import Phase
from app.demos.steps import TrainingStep, Variant

RATE = 0.5  # the rate at which two independent masks agree least


class Region(nn.Module):
    """Linear, dropout, Linear; `checkpoint_options` of None runs it plainly."""

    def __init__(self, features: int, checkpoint_options: dict[str, Any] | None) -> None:
        super().__init__()
        self.first = nn.Linear(features, features)
        self.dropout = nn.Dropout(RATE)
        self.second = nn.Linear(features, features)
        self.checkpoint_options = checkpoint_options

    def forward(self, x_BF: Tensor) -> Tensor:
        """Run the region, plainly or under `checkpoint`."""
        if self.checkpoint_options is None:
            return self.region(x_BF)
        out_BF: Tensor = checkpoint(self.region, x_BF, **self.checkpoint_options)
        return out_BF

    def region(self, x_BF: Tensor) -> Tensor:
        """What a checkpoint runs again, as far as the dropout: nobody needs the last product's result."""
        out_BF: Tensor = self.second(self.dropout(self.first(x_BF)))
        return out_BF


def run(lab: Lab, params: Params) -> Result:
    """Measure the variants, then compare masks and gradients; the picture is the agreement of the masks."""
    builds: dict[str, Build] = {
        "plain": partial(build, params, None),
        "preserved": partial(build, params, {"preserve_rng_state": True}),
        "not_preserved": partial(build, params, {"preserve_rng_state": False}),
    }
    variants = lab.compare(*(Variant(name, builds[name]) for name in builds))
    agreement = {name: agree(lab, builds[name]) for name in ("preserved", "not_preserved")}
    gradients = {name: lab.gradients(builds[name]) for name in builds}
    bars = [
        {"label": "dropout mask", "group": name, "phase": Phase.RECOMPUTE.value, "value": fraction}
        for name, fraction in agreement.items()
    ]
    return Result(
        variants,
        metrics={
            "preserved.mask_agreement": agreement["preserved"],
            "not_preserved.mask_agreement": agreement["not_preserved"],
            "preserved.gradient_difference": differ(gradients["preserved"], gradients["plain"]),
            "not_preserved.gradient_difference": differ(gradients["not_preserved"], gradients["plain"]),
            "plain.gradient_largest": max(float(g.abs().max()) for g in gradients["plain"].values()),
        },
        picture={"kind": "bars", "unit": "fraction", "bars": bars},
    )


def build(params: Params, checkpoint_options: dict[str, Any] | None) -> TrainingStep:
    """The region, and the sum of what comes out."""
    region = Region(params.features, checkpoint_options)
    x_BF = torch.randn(params.batch, params.features)
    return TrainingStep(region, (x_BF,), lambda: region(x_BF).sum())


def agree(lab: Lab, build_region: Build) -> float:
    """The fraction of the mask that the recomputation drew as the forward pass had drawn it.

    The masks are watched in a step of their own: what a hook keeps would be counted as memory.
    """
    step = lab.fresh(build_region)
    masks_BF: list[Tensor] = []
    assert isinstance(step.model, Region)  # noqa: S101 - `build` makes nothing else
    step.model.dropout.register_forward_hook(lambda _module, _x, out: masks_BF.append(out != 0))
    step.run()
    drawn_BF, drawn_again_BF = masks_BF
    return float((drawn_BF == drawn_again_BF).double().mean())


def differ(ours: dict[str, Tensor], theirs: dict[str, Tensor]) -> float:
    """The largest difference between two sets of gradients."""
    return max(float((ours[name] - theirs[name]).abs().max()) for name in ours)
