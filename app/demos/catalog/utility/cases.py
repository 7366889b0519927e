# ruff: noqa: N803 - tensors carry their shapes
# mypy: allow-untyped-calls
# (PyTorch types not all of its functions.)
"""What people do with a checkpointed region, one function a use.

Each takes a `Region` and how to call it, takes a step, and returns the gradients by name: None for one that
did not come, as autograd has it. Where autograd raises, so does the use.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import create_selective_checkpoint_contexts

from app.demos.recompute import checkpoint

ROWS, WIDTH = 4, 8  # of what a use computes: outcomes, not sizes, are looked at

Gradients = dict[str, Tensor | None]
Call = Callable[..., Any]  # (function, *arguments, **keywords) -> what the function returns


class Region(nn.Module):
    """Two layers, the first of which is the region; x_RW is rows by width and requires a gradient."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(WIDTH, WIDTH)
        self.head = nn.Linear(WIDTH, WIDTH)
        self.x_RW = torch.randn(ROWS, WIDTH, requires_grad=True)

    def compute(self, x_RW: Tensor) -> Tensor:
        """The region itself."""
        return torch.tanh(self.inner(x_RW))

    def loss(self, hidden_RW: Tensor) -> Tensor:
        """A scalar from what the region gave; the head trains whether or not the region does."""
        return torch.sin(self.head(hidden_RW)).sum()

    def gradients(self) -> Gradients:
        """What every step is about: the gradients of the parameters and of the input."""
        return {name: each.grad for name, each in self.named_parameters()} | {"x": self.x_RW.grad}


def call_plainly(function: Call, *arguments: Any, context_fn: Any = None, **keywords: Any) -> Any:
    """What a checkpoint is held against; a policy has no meaning without one."""
    del context_fn
    return function(*arguments, **keywords)


CALLS: dict[str, Call] = {
    "plain": call_plainly,
    "reentrant": partial(checkpoint, use_reentrant=True),
    "non_reentrant": partial(checkpoint, use_reentrant=False),
}


def usual(region: Region, call: Call) -> Gradients:
    """As the documentation shows it."""
    region.loss(call(region.compute, region.x_RW)).backward()
    return region.gradients()


def input_without_grad(region: Region, call: Call) -> Gradients:
    """The first layer of a network, or the layers above a frozen embedding (transformers issue 23170)."""
    region.x_RW.requires_grad_(False)  # noqa: FBT003 - PyTorch's own name for it
    return usual(region, call)


def keyword_argument(region: Region, call: Call) -> Gradients:
    """A keyword argument, as most transformer layers have (pytorch issue 79887)."""

    def scaled(x_RW: Tensor, *, scale: float) -> Tensor:
        return region.compute(x_RW) * scale

    region.loss(call(scaled, region.x_RW, scale=2.0)).backward()
    return region.gradients()


def dict_output(region: Region, call: Call) -> Gradients:
    """A result by name, as model outputs often are."""

    def named(x_RW: Tensor) -> dict[str, Tensor]:
        return {"hidden": region.compute(x_RW)}

    region.loss(call(named, region.x_RW)["hidden"]).backward()
    return region.gradients()


def nested_input(region: Region, call: Call) -> Gradients:
    """An input that the reentrant variant does not look for: it sees the arguments themselves only."""

    def from_dict(batch: dict[str, Tensor]) -> Tensor:
        return region.compute(batch["x"])

    region.loss(call(from_dict, {"x": region.x_RW})).backward()
    return region.gradients()


def autograd_grad(region: Region, call: Call) -> Gradients:
    """Gradients as values, not accumulated."""
    named = dict(region.named_parameters()) | {"x": region.x_RW}
    loss = region.loss(call(region.compute, region.x_RW))
    return dict(zip(named, torch.autograd.grad(loss, list(named.values())), strict=True))


def backward_inputs(region: Region, call: Call) -> Gradients:
    """Backward for one parameter inside the region."""
    region.loss(call(region.compute, region.x_RW)).backward(inputs=[region.inner.weight])
    return region.gradients()


def second_order(region: Region, call: Call) -> Gradients:
    """A penalty on the input's gradient."""
    loss = region.loss(call(region.compute, region.x_RW))
    (gradient_RW,) = torch.autograd.grad(loss, [region.x_RW], create_graph=True)
    gradient_RW.square().sum().backward()
    return region.gradients()


def inner_gradient(region: Region, call: Call) -> Gradients:
    """Autograd inside the region, whose forward the reentrant variant runs without a graph."""

    def sloped(x_RW: Tensor) -> Tensor:
        hidden_RW = region.compute(x_RW)
        (slope_RW,) = torch.autograd.grad(hidden_RW.sum(), [x_RW], create_graph=True)
        return hidden_RW * slope_RW

    region.loss(call(sloped, region.x_RW)).backward()
    return region.gradients()


def detached_output(region: Region, call: Call) -> Gradients:
    """Two results, one of which is cut off from the graph."""

    def both(x_RW: Tensor) -> tuple[Tensor, Tensor]:
        hidden_RW = region.compute(x_RW)
        return hidden_RW, hidden_RW.detach()

    hidden_RW, detached_RW = call(both, region.x_RW)
    region.loss(hidden_RW + detached_RW).backward()
    return region.gradients()


def backward_twice(region: Region, call: Call) -> Gradients:
    """The graph is retained for a second backward pass."""
    loss = region.loss(call(region.compute, region.x_RW))
    loss.backward(retain_graph=True)
    loss.backward()
    return region.gradients()


def selective_policy(region: Region, call: Call) -> Gradients:
    """The products are kept, the rest is computed again."""
    contexts = partial(create_selective_checkpoint_contexts, [torch.ops.aten.addmm.default])
    region.loss(call(region.compute, region.x_RW, context_fn=contexts)).backward()
    return region.gradients()


def saved_then_changed(region: Region, call: Call) -> Gradients:
    """The product that the policy keeps is then added to in place."""
    contexts = partial(create_selective_checkpoint_contexts, [torch.ops.aten.addmm.default])

    def shifted(x_RW: Tensor) -> Tensor:
        product_RW = region.inner(x_RW)
        product_RW += 1.0
        return torch.tanh(product_RW)

    region.loss(call(shifted, region.x_RW, context_fn=contexts)).backward()
    return region.gradients()


def changed_value(region: Region, call: Call) -> Gradients:
    """The region reads a value that is another by the time it runs again; shapes stay as they were."""
    settings = {"scale": 1.0}

    def scaled(x_RW: Tensor) -> Tensor:
        return region.compute(x_RW * settings["scale"])

    loss = region.loss(call(scaled, region.x_RW))
    settings["scale"] = 2.0
    loss.backward()
    return region.gradients()


def changed_shape(region: Region, call: Call) -> Gradients:
    """The same, and what it computes on the way has another shape."""
    settings = {"copies": 1}

    def copied(x_RW: Tensor) -> Tensor:
        hidden_RW = region.compute(x_RW.repeat(settings["copies"], 1))
        return hidden_RW.view(settings["copies"], ROWS, WIDTH).sum(0)

    loss = region.loss(call(copied, region.x_RW))
    settings["copies"] = 2
    loss.backward()
    return region.gradients()
