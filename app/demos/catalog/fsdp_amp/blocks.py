# ruff: noqa: N803 - tensors carry their shapes
"""The network that is trained alone and sharded, and the bytes of its boundaries.

x_BW is batch by width. A block is Linear (W to 4W), GELU, Linear (4W to W), and checkpoints itself.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.optim import Adam, Optimizer

from app.demos.models import UP
from app.demos.recompute import checkpoint
from app.demos.steps import TrainingStep

BLOCKS = 4


class Block(nn.Module):
    """A feed-forward block without a residual, whose result autocast leaves in its narrow type."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.up = nn.Linear(width, UP * width)
        self.down = nn.Linear(UP * width, width)

    def forward(self, x_BW: Tensor) -> Tensor:
        """The block under `checkpoint`; what is kept of it is its input."""
        out_BW: Tensor = checkpoint(self.region, x_BW)
        return out_BW

    def region(self, x_BW: Tensor) -> Tensor:
        """What runs again."""
        out_BW: Tensor = self.down(functional.gelu(self.up(x_BW)))
        return out_BW


def make_step(
    width: int, batch: int, *, amp: bool, shard: Callable[[nn.Sequential], object] = lambda _: None
) -> TrainingStep:
    """Four blocks, `shard`ed before Adam sees their parameters; the mean of what comes out."""
    model = nn.Sequential(*(Block(width) for _ in range(BLOCKS)))
    x_BW = torch.randn(batch, width)
    shard(model)
    optimizer: Optimizer = Adam(model.parameters(), fused=True)

    def loss() -> Tensor:
        with torch.autocast(x_BW.device.type, torch.bfloat16, enabled=amp):
            out_BW = model(x_BW)
        mean: Tensor = out_BW.mean()
        return mean

    return TrainingStep(model, (x_BW,), loss, optimizer)


@contextmanager
def watched_saving(step: TrainingStep) -> Iterator[list[Tensor]]:
    """The tensors that autograd saves meanwhile, each storage once, without the network's inputs.

    A saved-tensor hook sees them under FSDP too, which resizes storages behind the Meter's back.
    """
    saved: list[Tensor] = []
    seen = {id(tensor.untyped_storage()) for tensor in step.inputs}

    def pack(tensor: Tensor) -> Tensor:
        if id(tensor.untyped_storage()) not in seen:  # `saved` keeps them alive, so none has another's number
            seen.add(id(tensor.untyped_storage()))
            saved.append(tensor)
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        yield saved


def count_boundaries(step: TrainingStep) -> tuple[int, int]:
    """Bytes of what checkpoints keep in a forward pass, and of the loss."""
    with watched_saving(step) as saved:
        loss = step.loss()
    return sum(tensor.untyped_storage().nbytes() for tensor in saved), loss.nbytes
