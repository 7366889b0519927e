"""What the backward pass needs: one multilayer perceptron, with ReLU, with GELU, and without gradients.

x_BW is batch by width, fp32, so that one activation is u = 4 * B * W bytes. Of N layers, each Linear and
activation:

- ReLU's backward needs its output, which is also the next Linear's input: one storage a layer, N * u.
- GELU's backward needs its input, and the next Linear needs its output: two a layer, of which the last output
  is needed by nobody, (2N - 1) * u.
- Without gradients nothing is kept.

The loss, a mean, adds its own 4 bytes. The network's input is left out everywhere.
"""

from functools import partial

import torch
from torch import nn

from app.demos.catalog.saved_activations.spec import Params
from app.demos.models import Chain
from app.demos.passes import Lab
from app.demos.results import Result
from app.demos.spec import Phase
from app.demos.steps import TrainingStep, Variant

ELEMENT_BYTES = 4  # fp32


def run(lab: Lab, params: Params) -> Result:
    """Measure the three variants; the picture is what is kept, by the operator that made it."""
    variants = lab.compare(
        Variant("relu", partial(build, params, nn.ReLU)),
        Variant("gelu", partial(build, params, nn.GELU), is_comparable=False),
        Variant("no_grad", partial(build, params, nn.ReLU, trains=False), is_comparable=False),
    )
    bars = [
        {"label": op, "group": variant.id, "phase": Phase.FORWARD.value, "value": nbytes}
        for variant in variants.values()
        for op, nbytes in variant.count.saved_by_op.items()
    ]
    return Result(
        variants,
        metrics={
            "activation_bytes": ELEMENT_BYTES * params.batch * params.width,
            "layers": params.depth,
            "gelu.saved_ratio": variants["gelu"].saved_bytes / variants["relu"].saved_bytes,
        },
        picture={"kind": "bars", "unit": "bytes", "bars": bars},
    )


def build(params: Params, activation: type[nn.Module], *, trains: bool = True) -> TrainingStep:
    """A chain of Linear and `activation`, and the mean of what comes out."""
    chain = Chain(params.depth, params.width, activation, bias=True)
    x_BW = torch.randn(params.batch, params.width)
    return TrainingStep(chain, (x_BW,), lambda: chain(x_BW).mean(), trains=trains)
