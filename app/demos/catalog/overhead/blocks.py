# ruff: noqa: N803 - tensors carry their shapes
"""The blocks of the five models. x_BW is batch by width; C channels, P pixels along an edge."""

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor, nn

from app.demos.models import FeedForward

PIXELS = 8  # along the edge of an image
CHANNELS_SHARE = 4  # a fourth of the width: a 3x3 convolution has nine times the work of a pixel's product
IMAGES_SHARE = 8  # an eighth of the batch, or a convolution would outweigh all other models


class Attention(nn.Module):
    """The half that attends: the batch is one sequence of tokens, and one head looks at all of it."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.query_key_value = nn.Linear(width, 3 * width)
        self.project = nn.Linear(width, width)

    def forward(self, x_BW: Tensor) -> Tensor:
        """The result has the shape of x_BW."""
        query_BW, key_BW, value_BW = self.query_key_value(self.norm(x_BW)).chunk(3, dim=1)
        scores_BB = query_BW @ key_BW.T * x_BW.shape[1] ** -0.5
        out_BW: Tensor = x_BW + self.project(scores_BB.softmax(dim=-1) @ value_BW)
        return out_BW


def linear_relu(width: int) -> nn.Module:
    """ReLU's backward needs its output: the product in front of it runs again."""
    return nn.Sequential(nn.Linear(width, width, bias=False), nn.ReLU())


def relu_linear(width: int) -> nn.Module:
    """Nobody's backward needs what the product makes: the recomputation stops in front of it."""
    return nn.Sequential(nn.ReLU(), nn.Linear(width, width, bias=False))


def conv_norm(width: int) -> nn.Module:
    """As in a residual network, without the residual."""
    channels = width // CHANNELS_SHARE
    return nn.Sequential(
        nn.Conv2d(channels, channels, kernel_size=3, padding=1, bias=False),
        nn.BatchNorm2d(channels),
        nn.ReLU(),
    )


def make_rows(width: int, batch: int) -> Tensor:
    """x_BW of random numbers."""
    return torch.randn(batch, width)


def make_images(width: int, batch: int) -> Tensor:
    """Images, batch / IMAGES_SHARE by C by P by P."""
    return torch.randn(batch // IMAGES_SHARE, width // CHANNELS_SHARE, PIXELS, PIXELS)


# By the ids of the spec: how many blocks, how one is made from its width, and what goes in.
Make = Callable[[int], nn.Module]
MODELS: dict[str, tuple[int, Make, Callable[[int, int], Tensor]]] = {
    "relu_linear": (16, relu_linear, make_rows),
    "feed_forward": (2, FeedForward, make_rows),
    "attention": (2, Attention, make_rows),
    "conv_norm": (2, conv_norm, make_images),
    "linear_relu": (16, linear_relu, make_rows),
}


class Stack(nn.Module):
    """Equal blocks one after the other, each called by `call`."""

    def __init__(self, blocks: list[nn.Module], call: Callable[[nn.Module, Tensor], Tensor]) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(blocks)
        self.call = call

    def forward(self, x: Tensor) -> Tensor:
        """The last block's result."""
        for block in self.blocks:
            x = self.call(block, x)
        return x


def make_stack(
    model: str, width: int, call: Callable[[nn.Module, Tensor], Tensor]
) -> tuple[Stack, Callable[[int], Tensor]]:
    """A model of that id, and what makes its input from a batch size."""
    count, make, make_input = MODELS[model]
    return Stack([make(width) for _ in range(count)], call), partial(make_input, width)
