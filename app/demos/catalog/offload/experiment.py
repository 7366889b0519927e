# ruff: noqa: N803 - tensors carry their shapes
"""Saved tensors moved off the device: to the host's memory, alone and around checkpoints, and to files.

x_BW is batch by width, fp32; one activation is u = 4 * B * W bytes, one weight matrix w = 4 * W * W. The N
layers are Linear without bias and tanh; the loss is a mean (4 bytes that stay on the device). A layer saves
its input and its weight for the product, and its result for tanh.

- host: `save_on_cpu` copies all three a layer, but not the first weight, which no gradient needs:
  2N u + (N - 1) w are moved. Each activation once would be N u.
- boundaries: `save_on_cpu` around k checkpointed segments copies their inputs alone: k u.
- file: hooks of our own write each activation once and no weight: N u, what the plain step keeps.

Nothing but `boundaries` is computed again. On a CPU the device's memory is the host's; copies are made and
told apart all the same, so the bytes are those of a GPU, the times are not. Files may stay in the system's
page cache.

Source: PyTorch's tutorial on hooks for saved tensors; Rajbhandari et al. 2021, "ZeRO-Infinity".
"""

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn

from app.demos.catalog.offload.hooks import InFiles, Moving, Nowhere, OnHost
from app.demos.catalog.offload.spec import Params
from app.demos.models import Chain
from app.demos.passes import Lab
from app.demos.recompute import checkpoint
from app.demos.results import Result, VariantResult
from app.demos.spec import Phase
from app.demos.steps import TrainingStep, Variant

ELEMENT_BYTES = 4  # fp32

RunChain = Callable[[Chain, Tensor], Tensor]
Away = tuple[Tensor, ...]  # weights and inputs: no activations


def run(lab: Lab, params: Params) -> Result:
    """Measure the four ways; the picture is what stays on the device beside what is moved."""
    is_cpu = lab.device.type == "cpu"
    in_segments = partial(run_in_segments, segments=params.segments)
    builds: dict[str, Callable[[], TrainingStep]] = {
        "plain": partial(build, params, run_plainly, lambda _: Nowhere()),
        "host": partial(build, params, run_plainly, partial(OnHost, is_cpu)),
        "boundaries": partial(build, params, in_segments, partial(OnHost, is_cpu)),
        "file": partial(build, params, run_plainly, InFiles),
    }
    variants = lab.compare(*(Variant(name, builds[name]) for name in builds))
    host, boundaries, file = (step_once(lab, builds[name]) for name in ("host", "boundaries", "file"))
    assert isinstance(host, OnHost)  # noqa: S101 - as it was built
    assert isinstance(file, InFiles)  # noqa: S101 - as it was built
    return Result(
        variants,
        metrics={
            "activation_bytes": ELEMENT_BYTES * params.batch * params.width,
            "host.moved_bytes": host.moved_bytes,
            "host.activation_bytes_moved": host.activation_bytes,
            "boundaries.moved_bytes": boundaries.moved_bytes,
            "boundaries.flops_ratio": variants["boundaries"].flops / variants["plain"].flops,
            "file.moved_bytes": file.moved_bytes,
            "file.files": file.files,
            "file.files_left": file.files_left,
        },
        picture={
            "kind": "bars",
            "unit": "bytes",
            "bars": [
                *bars(variants["plain"], 0),
                *bars(variants["host"], host.moved_bytes),
                *bars(variants["boundaries"], boundaries.moved_bytes),
                *bars(variants["file"], file.moved_bytes),
            ],
        },
    )


def build(params: Params, run_chain: RunChain, move: Callable[[Away], Moving]) -> TrainingStep:
    """A chain that `run_chain` runs, whose saved tensors are moved; and the mean of what comes out."""
    chain = Chain(params.depth, params.width, nn.Tanh, bias=False)
    x_BW = torch.randn(params.batch, params.width)
    moving = move((*chain.parameters(), x_BW))

    def loss() -> Tensor:
        with moving.hooks():
            out_BW = run_chain(chain, x_BW)
        return out_BW.mean()

    return TrainingStep(chain, (x_BW,), loss, elsewhere=moving.elsewhere)


def step_once(lab: Lab, build_step: Callable[[], TrainingStep]) -> Moving:
    """What was moved in one step."""
    step = lab.fresh(build_step)
    step.run()
    moving: Moving = step.elsewhere.__self__  # type: ignore[attr-defined] # a method of what moves
    return moving


def run_plainly(chain: Chain, x_BW: Tensor) -> Tensor:
    """The chain's result, without checkpoints."""
    out_BW: Tensor = chain(x_BW)
    return out_BW


def run_in_segments(chain: Chain, x_BW: Tensor, segments: int) -> Tensor:
    """The chain in checkpointed segments of whole layers, the last one checkpointed too."""
    layers = list(chain.layers)
    bounds = [len(layers) * number // segments for number in range(segments + 1)]
    for start, end in pairwise(bounds):
        x_BW = checkpoint(nn.Sequential(*layers[start:end]), x_BW)
    return x_BW


def bars(variant: VariantResult, moved_bytes: int) -> list[dict[str, Any]]:
    """Two bars: what stays on the device when the forward pass ends, and what was moved by then."""
    return [
        {"label": label, "group": variant.id, "phase": Phase.FORWARD.value, "value": value}
        for label, value in (("saved_bytes", variant.saved_bytes), ("moved_bytes", moved_bytes))
    ]
