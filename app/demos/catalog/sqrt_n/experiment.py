"""The square-root schedule: how memory grows with the length of a chain, and with the number of its segments.

x_BW is batch by width, fp32; one activation is u = 4 * B * W bytes. The layers are Linear without bias and
tanh, and the loss is a sum, whose gradient is one number spread over u: nothing but the chain's activations
and one gradient in flight is alive. With N layers in k segments:

- plain: N * u kept, (N + 1) * u at the peak.
- k segments: (k + N/k - 1) * u kept and (k + N/k) * u at the peak, least at k = √N, where that is 2√N;
  N - N/k layers are computed again.

So the logarithm of the peak over the logarithm of N has a slope of almost 1 plainly and of 1/2 with √N
segments. Source: Chen et al. 2016, "Training deep nets with sublinear memory cost".
"""

from functools import partial
from typing import Any

import torch
from torch import nn

from app.demos.catalog.sqrt_n.spec import Params
from app.demos.models import Chain
from app.demos.passes import Lab
from app.demos.results import Result
from app.demos.schedules import log_log_slope, spread_segments, sqrt_segments
from app.demos.spec import N_, Phase
from app.demos.steps import TrainingStep, Variant

ELEMENT_BYTES = 4  # fp32
SLOPE_LAYERS = (64, 100, 144)  # perfect squares; shorter chains bend the plain line, N + 1 not being N
COMPARE_SHARE, CURVE_SHARE = 0.6, 0.8  # of the run's time, as seen on a CPU


def run(lab: Lab, params: Params) -> Result:
    """Measure plain against √N segments, then every kind of cut of that chain, then longer chains."""
    segments = sqrt_segments(params.layers)
    activation_bytes = ELEMENT_BYTES * params.batch * params.width
    variants = lab.compare(
        Variant("plain", partial(build, params, params.layers, 1)),
        Variant("sqrt", partial(build, params, params.layers, segments)),
        share=COMPARE_SHARE,
    )
    picture = measure_cuts(lab, params, activation_bytes)
    plain, sqrt = variants["plain"], variants["sqrt"]
    return Result(
        variants,
        metrics={
            "activation_bytes": activation_bytes,
            "segments": segments,
            "plain.saved_activations": round(plain.saved_bytes / activation_bytes),
            "sqrt.saved_activations": round(sqrt.saved_bytes / activation_bytes),
            # One matrix product in each layer's forward pass
            "sqrt.extra_forwards": sum(op.flops > 0 for op in sqrt.count.list_ops(Phase.RECOMPUTE)),
            "sqrt.saved_saving": plain.saved_bytes / sqrt.saved_bytes,
            "sqrt.peak_saving": plain.peak_bytes / sqrt.peak_bytes,
            "sqrt.flops_ratio": sqrt.flops / plain.flops,
            **measure_slopes(lab, params),
        },
        picture=picture,
    )


def measure_cuts(lab: Lab, params: Params, activation_bytes: int) -> dict[str, Any]:
    """The U-shaped curves: activations kept and at the peak, over the number of segments."""
    lab.progress(COMPARE_SHARE, N_("Counting every kind of cut"))
    cuts = spread_segments(params.layers)
    counts = [lab.count(partial(build, params, params.layers, segments)) for segments in cuts]
    saved = [[k, round(count.saved_bytes / activation_bytes)] for k, count in zip(cuts, counts, strict=True)]
    peak = [[k, round(count.peak_bytes / activation_bytes)] for k, count in zip(cuts, counts, strict=True)]
    return {
        "kind": "curve",
        "x": N_("Segments"),
        "y": N_("Activations"),
        "log": True,
        "series": [
            {"id": "saved", "label": N_("Saved for the backward pass"), "points": saved},
            {"id": "peak", "label": N_("At the peak"), "points": peak},
        ],
    }


def measure_slopes(lab: Lab, params: Params) -> dict[str, float]:
    """The power of N with which each peak grows, over SLOPE_LAYERS."""
    lab.progress(CURVE_SHARE, N_("Counting longer chains"))
    plain = [(n, lab.count(partial(build, params, n, 1)).peak_bytes) for n in SLOPE_LAYERS]
    sqrt = [(n, lab.count(partial(build, params, n, sqrt_segments(n))).peak_bytes) for n in SLOPE_LAYERS]
    return {"plain.slope": log_log_slope(plain), "sqrt.slope": log_log_slope(sqrt)}


def build(params: Params, layers: int, segments: int) -> TrainingStep:
    """A chain in `segments` (a single one is not checkpointed, and so plain), and the sum of its result."""
    chain = Chain(layers, params.width, nn.Tanh, bias=False)
    x_BW = torch.randn(params.batch, params.width)
    return TrainingStep(chain, (x_BW,), lambda: chain.run_in_segments(x_BW, segments).sum())
