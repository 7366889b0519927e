"""The compiler's activation memory budget: eight feed-forward blocks, compiled to keep all, a part, nothing.

x_TW is tokens by width, fp32 of 4 bytes. A block is x + down(gelu(up(norm(x)))), pre-norm, up to 4W. It draws
no random number: with a budget below 1 dropout would get wrong gradients (pytorch#190758). With t, w and e
the sizes of T, W and an element:

- full: the compiler keeps what is cheapest in time: 10 e t w and the norm's statistics, 2 e t, a block, less
  the last block's result, which is no one's input.
- chosen: at most that fraction of it. The compiler drops whole tensors, so budget by budget what it keeps
  comes down in stairs, each at or below the budget.
- none: nothing but the network's input. Everything is computed again before the first gradient, so the peak
  is as high as before.

Source: PyTorch's `activation_memory_budget`, a 0-1 knapsack over tensors, with FLOPs for the price.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from app.demos.catalog.budget.compiler import Backend, as_compiled, compile_with
from app.demos.catalog.budget.spec import Params
from app.demos.models import FeedForward, run_plainly
from app.demos.passes import Lab
from app.demos.results import Result, VariantResult
from app.demos.spec import N_
from app.demos.steps import TrainingStep, Variant

BLOCKS = 8
STAIRS = 8  # budgets of 0, 1/8 ... 8/8 in the picture
COMPILE_SHARE = 0.6  # of the run's time, as seen on a CPU

RunBlocks = Callable[[nn.Module, Tensor], Tensor]


def run(lab: Lab, params: Params) -> Result:
    """Compile with each budget, measure, and draw what is kept over the budget."""
    budgets = {"full": 1.0, "chosen": params.budget / 100, "none": 0.0}
    stairs = [step / STAIRS for step in range(STAIRS + 1)]
    backends = {
        name: Backend(budget, also=stairs if name == "full" else ()) for name, budget in budgets.items()
    }
    try:
        compiled = compile_all(lab, params, backends)
        variants = after_compiling(lab).compare(
            *(Variant(name, partial(build, params, compiled[name])) for name in budgets)
        )
    finally:
        torch.compiler.reset()  # the next run starts with nothing compiled
    full, chosen, none = (variants[name] for name in budgets)
    predicted = backends["full"].predicted_saved_bytes | backends["chosen"].predicted_saved_bytes
    return Result(
        variants,
        metrics={
            "chosen.budget": budgets["chosen"],
            "chosen.saved_share": chosen.saved_bytes / full.saved_bytes,
            "chosen.flops_ratio": chosen.flops / full.flops,
            "none.flops_ratio": none.flops / full.flops,
            "none.peak_share": none.peak_bytes / full.peak_bytes,
            "stairs": len(set(predicted.values())),
        },
        picture=draw(budgets, predicted, variants),
    )


def compile_all(lab: Lab, params: Params, backends: dict[str, Backend]) -> dict[str, RunBlocks]:
    """The blocks compiled by each backend, and called once: what is called first is compiled."""
    compiled: dict[str, RunBlocks] = {}
    for number, (name, backend) in enumerate(backends.items()):
        lab.progress(COMPILE_SHARE * number / len(backends), N_("Compiling"))
        compiled[name] = compile_with(backend, run_plainly)
        step = lab.fresh(partial(build, params, run_plainly))
        loss = compiled[name](step.model, *step.inputs).mean()
        loss.backward()  # type: ignore[no-untyped-call] # PyTorch types not all of its functions
    return compiled


def after_compiling(lab: Lab) -> Lab:
    """The lab, whose progress goes on where compiling left it."""
    return Lab(
        lab.device, lambda done, message: lab.progress(COMPILE_SHARE + done * (1 - COMPILE_SHARE), message)
    )


def build(params: Params, run_blocks: RunBlocks) -> TrainingStep:
    """The blocks, run as they were compiled, and the mean of what comes out."""
    model = nn.Sequential(*(FeedForward(params.width) for _ in range(BLOCKS)))
    x_TW = torch.randn(params.tokens, params.width)

    def loss() -> Tensor:
        with as_compiled():
            out_TW = run_blocks(model, x_TW)
        return out_TW.mean()

    return TrainingStep(model, (x_TW,), loss)


def draw(
    budgets: dict[str, float], predicted: dict[float, int], variants: dict[str, VariantResult]
) -> dict[str, Any]:
    """Bytes over the budget: its cap, what the compiler means to keep, what it kept, and the peak."""
    most = variants["full"].saved_bytes
    measured = [(budgets[name], variant) for name, variant in variants.items()]
    return {
        "kind": "curve",
        "x": N_("Budget"),
        "y": N_("Bytes"),
        "y_unit": "bytes",
        "log": False,
        "series": [
            {"id": "cap", "label": N_("The budget"), "points": [[0, 0], [1, most]]},
            {
                "id": "predicted",
                "label": N_("Kept, as the compiler predicts"),
                "points": [[budget, predicted[budget]] for budget in sorted(predicted)],
            },
            {
                "id": "saved",
                "label": N_("Kept, measured"),
                "points": [[budget, variant.saved_bytes] for budget, variant in measured],
            },
            {
                "id": "peak",
                "label": N_("At the peak, measured"),
                "points": [[budget, variant.peak_bytes] for budget, variant in measured],
            },
        ],
    }
