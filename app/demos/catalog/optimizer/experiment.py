"""What checkpointing cannot shrink: a multilayer perceptron and Adam, plain and checkpointed.

x_BW is batch by width, fp32. With P parameters in T tensors, parameters and gradients take 4P bytes each
and Adam's state, two averages and a step count a tensor, 8P + 4T: a floor of 16 bytes a parameter that no
schedule touches. Checkpointing in √N segments shrinks the activations alone.

Source: Kingma and Ba 2015, "Adam: a method for stochastic optimization".
"""

from functools import partial
from typing import Any

import torch
from torch import nn

from app.demos.catalog.optimizer.spec import Params
from app.demos.models import Chain
from app.demos.passes import Lab
from app.demos.results import Result, VariantResult
from app.demos.schedules import sqrt_segments
from app.demos.spec import Phase
from app.demos.steps import TrainingStep, Variant


def run(lab: Lab, params: Params) -> Result:
    """Measure both variants; the picture is every kind of byte side by side."""
    variants = lab.compare(
        Variant("plain", partial(build, params, segments=1)),
        Variant("checkpointed", partial(build, params, segments=sqrt_segments(params.depth))),
    )
    plain, checkpointed = variants["plain"], variants["checkpointed"]
    parameters = params.depth * params.width * (params.width + 1)  # weights, and a bias for each row
    return Result(
        variants,
        metrics={
            "parameters": parameters,
            "parameter_bytes": plain.parameter_bytes,
            "gradient_bytes": plain.gradient_bytes,
            "state_bytes": plain.state_bytes,
            "state_bytes_per_parameter": plain.state_bytes / parameters,
            "floor_bytes": plain.total_bytes - plain.peak_bytes,
            "plain.total_bytes": plain.total_bytes,
            "checkpointed.total_bytes": checkpointed.total_bytes,
            "checkpointed.saved_saving": plain.saved_bytes / checkpointed.saved_bytes,
            "checkpointed.total_saving": plain.total_bytes / checkpointed.total_bytes,
        },
        picture={
            "kind": "bars",
            "unit": "bytes",
            "bars": [bar for each in variants.values() for bar in bars(each)],
        },
    )


def build(params: Params, segments: int) -> TrainingStep:
    """A chain in `segments`, of which one alone is plain; the mean of what comes out; and Adam.

    Adam is fused: the other kinds make temporaries as large as a parameter, which differ by device.
    """
    chain = Chain(params.depth, params.width, nn.ReLU, bias=True)
    x_BW = torch.randn(params.batch, params.width)
    adam = torch.optim.Adam(chain.parameters(), fused=True)
    return TrainingStep(chain, (x_BW,), lambda: chain.run_in_segments(x_BW, segments).mean(), adam)


def bars(variant: VariantResult) -> list[dict[str, Any]]:
    """One bar for each kind of byte, in the colour of the phase that first needs it."""
    kinds = {
        "parameters": (Phase.FORWARD, variant.parameter_bytes),
        "gradients": (Phase.BACKWARD, variant.gradient_bytes),
        "optimizer state": (Phase.OPTIMIZER, variant.state_bytes),
        "activations": (variant.count.peak_phase, variant.peak_bytes),
    }
    return [
        {"label": label, "group": variant.id, "phase": phase.value, "value": nbytes}
        for label, (phase, nbytes) in kinds.items()
    ]
