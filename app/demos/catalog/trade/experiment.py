# ruff: noqa: N803 - tensors carry their shapes
"""Memory traded for computation: one chain run plainly, checkpointed as one whole, and in segments.

x_BW is batch by width, fp32; one activation is u = 4 * B * W bytes. The layers are Linear without bias and
tanh, whose backward needs its output alone, so a layer keeps exactly u. With N layers in k segments of N/k:

- plain: N * u are kept; the peak is 2u more, the gradient that arrives and the one that tanh makes of it.
- whole: nothing is kept, and all N * u are there again before the first of them can go: the same peak.
- segments: k + N/k - 1 are kept, of which the last N/k belong to the last segment, the peak is again 2u more,
  and N - N/k layers are computed again.

The loss is a mean: 4 bytes, and 4 for its gradient. Source: Chen et al. 2016, "Training deep nets with
sublinear memory cost".
"""

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor, nn

from app.demos.catalog.trade.spec import Params
from app.demos.models import Chain
from app.demos.passes import Lab
from app.demos.recompute import checkpoint
from app.demos.results import Result
from app.demos.steps import TrainingStep, Variant

ELEMENT_BYTES = 4  # fp32


def run(lab: Lab, params: Params) -> Result:
    """Measure the three ways; the picture is the bytes alive over one step."""
    variants = lab.compare(
        Variant("plain", partial(build, params, run_plainly)),
        Variant("whole", partial(build, params, checkpoint)),
        Variant("segments", partial(build, params, partial(Chain.run_in_segments, segments=params.segments))),
    )
    plain, whole, segments = variants["plain"], variants["whole"], variants["segments"]
    return Result(
        variants,
        metrics={
            "activation_bytes": ELEMENT_BYTES * params.batch * params.width,
            "whole.peak_saving": plain.peak_bytes / whole.peak_bytes,
            "whole.flops_ratio": whole.flops / plain.flops,
            "segments.peak_saving": plain.peak_bytes / segments.peak_bytes,
            "segments.flops_ratio": segments.flops / plain.flops,
        },
        picture={"kind": "timeline"},
    )


def build(params: Params, run_chain: Callable[[Chain, Tensor], Tensor]) -> TrainingStep:
    """A chain that `run_chain` runs in its way, and the mean of what comes out."""
    chain = Chain(params.depth, params.width, nn.Tanh, bias=False)
    x_BW = torch.randn(params.batch, params.width)
    return TrainingStep(chain, (x_BW,), lambda: run_chain(chain, x_BW).mean())


def run_plainly(chain: Chain, x_BW: Tensor) -> Tensor:
    """The chain's result, with everything kept."""
    out_BW: Tensor = chain(x_BW)
    return out_BW
