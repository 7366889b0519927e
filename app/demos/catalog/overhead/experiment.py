"""What recomputation costs: five models, every block checkpointed, with early stop and without.

x is fp32: batch by width, or for the convolutions batch/8 images of width/4 channels and 8 by 8 pixels. It
requires a gradient, as it would in the middle of a network, so that a product of the forward pass has two in
the backward pass. With w of a model's FLOPs in one forward pass and r of them run again, a step computes
3 w plainly and 3 w + r checkpointed. r is everything up to the last tensor that some backward needs:

- 16 blocks of Linear and ReLU: ReLU needs its output, r = w; 48 products become 64.
- 16 blocks of ReLU and Linear: Linear needs its input, r = 0; 48 products stay 48. Without early stop, 64.
- 2 of convolution, batch norm, ReLU: r = w.
- 2 of a transformer's feed-forward half: its second product is spared, r = w / 2.
- 2 of its attention half, on one sequence of s tokens of width h: w = 8 s h^2 + 4 s^2 h, and the projection,
  2 s h^2, is spared.

Time follows neither: elementwise operations, memory traffic and Python itself cost time and no FLOPs. Source:
`torch.utils.checkpoint.set_checkpoint_early_stop`; the arithmetic is our own.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

from torch import Tensor, nn
from torch.utils.checkpoint import set_checkpoint_early_stop

from app.demos.catalog.overhead.blocks import make_stack
from app.demos.catalog.overhead.spec import MODELS, Params
from app.demos.models import run_plainly
from app.demos.passes import Lab
from app.demos.recompute import checkpoint
from app.demos.results import Number, Result, VariantResult
from app.demos.spec import N_, Phase
from app.demos.steps import TrainingStep, Variant

CHECKPOINTED = ("checkpointed", "no_early_stop")
FULL_SHARE = 0.4  # of the run's time for the model that is shown in full, as seen on a CPU


@dataclass(frozen=True, slots=True)
class Price:
    """What checkpointing every block of one model costs; FLOPs by variant."""

    flops: dict[str, int]
    recompute_flops: int
    time_ratio: float
    gradients_equal: bool

    def flops_ratio(self, variant: str = "checkpointed") -> float:
        """The FLOPs of a step against those of the plain one."""
        return self.flops[variant] / self.flops["plain"]


def run(lab: Lab, params: Params) -> Result:
    """Measure one model in full and price the others; the picture is the ratios of all."""
    shown = lab.compare(*list_variants(params, params.model), share=FULL_SHARE)
    prices = {params.model: read_price(shown)}
    others = [model for model in MODELS if model != params.model]
    for number, model in enumerate(others):
        lab.progress(FULL_SHARE + (1 - FULL_SHARE) * number / len(others), N_("Pricing the other models"))
        prices[model] = price(lab, params, model)
    prices = {model: prices[model] for model in MODELS}
    return Result(
        shown,
        metrics=summarise(prices),
        picture={"kind": "bars", "unit": "ratio", "bars": bars(prices)},
    )


def list_variants(params: Params, model: str) -> list[Variant]:
    """A model, plain and checkpointed."""
    return [
        Variant("plain", partial(build, params, model, run_plainly)),
        Variant("checkpointed", partial(build, params, model, checkpoint)),
        Variant("no_early_stop", partial(build, params, model, checkpoint_to_the_end)),
    ]


def read_price(variants: dict[str, VariantResult]) -> Price:
    """The price of a model that went through all passes."""
    checkpointed = variants["checkpointed"]
    return Price(
        flops={name: each.flops for name, each in variants.items()},
        recompute_flops=checkpointed.count.flops()[Phase.RECOMPUTE],
        time_ratio=checkpointed.time_ratio.median if checkpointed.time_ratio else 1.0,
        gradients_equal=all(variants[name].gradients_equal for name in CHECKPOINTED),
    )


def price(lab: Lab, params: Params, model: str) -> Price:
    """The price of a model: counted, timed against the plain step, gradients compared, no more."""
    plain, checkpointed, no_early_stop = variants = list_variants(params, model)
    counted = {each.id: lab.count(each.build).flops() for each in variants}
    (time_ratio,) = lab.time_ratios(plain, checkpointed)
    return Price(
        flops={name: sum(flops.values()) for name, flops in counted.items()},
        recompute_flops=counted["checkpointed"][Phase.RECOMPUTE],
        time_ratio=time_ratio.median,
        gradients_equal=all(lab.compare_gradients(plain, checkpointed, no_early_stop)[1:]),
    )


def build(params: Params, model: str, call: Any) -> TrainingStep:
    """The model, each block run by `call`, and the sum of what comes out."""
    stack, make_input = make_stack(model, params.width, call)
    x = make_input(params.batch)

    def loss() -> Tensor:
        total: Tensor = stack(x.detach().requires_grad_()).sum()  # its gradient goes when the step is done
        return total

    return TrainingStep(stack, (x,), loss)


def checkpoint_to_the_end(block: nn.Module, x: Tensor) -> Tensor:
    """A block under `checkpoint`, whose recomputation runs on when nothing more is needed."""
    with set_checkpoint_early_stop(enable=False):
        out: Tensor = checkpoint(block, x)
    return out


def summarise(prices: dict[str, Price]) -> dict[str, Number]:
    """The metrics of the spec beside those of the variants."""
    metrics: dict[str, Number] = {}
    for model, each in prices.items():
        metrics |= {
            f"{model}.plain_flops": each.flops["plain"],
            f"{model}.recompute_flops": each.recompute_flops,
            f"{model}.flops_ratio": each.flops_ratio(),
            f"{model}.no_early_stop_flops_ratio": each.flops_ratio("no_early_stop"),
            f"{model}.time_ratio": each.time_ratio,
            f"{model}.gradients_equal": each.gradients_equal,
        }
    flops = [each.flops_ratio() for each in prices.values()]
    times = [each.time_ratio for each in prices.values()]
    return metrics | {
        "models": len(prices),
        "lowest_flops_ratio": min(flops),
        "highest_flops_ratio": max(flops),
        "lowest_time_ratio": min(times),
        "highest_time_ratio": max(times),
        "flops_ratio_spread": max(flops) / min(flops),
        "models_between_20_and_30_percent": sum(1.2 <= ratio <= 1.3 for ratio in flops),
    }


def bars(prices: dict[str, Price]) -> list[dict[str, Any]]:
    """For each model its ratio of FLOPs and of time, then of FLOPs without early stop."""
    rows = [
        row
        for model, each in prices.items()
        for row in (
            ("checkpointed", f"{MODELS[model]}: FLOPs", each.flops_ratio()),
            ("checkpointed", f"{MODELS[model]}: step_ms", each.time_ratio),
        )
    ]
    rows += [
        ("no_early_stop", f"{MODELS[model]}: FLOPs", each.flops_ratio("no_early_stop"))
        for model, each in prices.items()
    ]
    return [
        {"label": label, "group": group, "phase": Phase.RECOMPUTE.value, "value": value}
        for group, label, value in rows
    ]
