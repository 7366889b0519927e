"""What the layers of a chain cost, in bytes and in computation: all that a schedule is made from."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate


class BudgetError(ValueError):
    """No schedule of the chain fits into the budget; the message says how many bytes that was."""

    def __init__(self, budget_bytes: int) -> None:
        super().__init__(f"no schedule of this chain fits into {budget_bytes} bytes")
        self.budget_bytes = budget_bytes


@dataclass(frozen=True, slots=True)
class LayerCosts:
    """One layer, whose backward pass needs its input and its output.

    The input is counted nowhere here: whoever made it holds it until this layer's backward pass is over. Both
    peaks contain what the layer saves.
    """

    output_bytes: int
    saved_bytes: int  # what it keeps for its backward pass: its output, and what else it made on the way
    forward_bytes: int  # the most alive while it runs and keeps what it saves
    gradient_bytes: int  # of the gradient that arrives at its output
    backward_bytes: int  # the most alive in its backward pass, the arriving gradient included
    forward_cost: int = 1  # computation of one forward pass, in any unit


@dataclass(frozen=True, slots=True)
class ChainCosts:
    """Layers in their order, and `loss_bytes`: the loss and its gradient, alive through the backward pass."""

    layers: tuple[LayerCosts, ...]
    loss_bytes: int = 0

    def __len__(self) -> int:
        return len(self.layers)

    def costs_before(self) -> list[int]:
        """The computation of the first i layers, for i from 0 to all of them."""
        return list(accumulate((layer.forward_cost for layer in self.layers), initial=0))


def tanh_chain(
    widths: Iterable[int], repeats: Iterable[int], *, batch: int, element_bytes: int = 4
) -> ChainCosts:
    """The costs of layers that are each a Linear without bias and then one tanh or several in a row.

    `widths` has the input's width first and then each layer's; `repeats` has each layer's number of tanh, all
    of which keep their output. The loss is the sum of the result, whose gradient is one number spread over
    it. With a = the bytes of a layer's output, b = of its input and r tanh, the layer

    - keeps r * a;
    - holds 2a in each operator (what goes in, what comes out), and what its earlier tanh kept: max(2, r) * a;
    - holds in the backward pass first r * a, the gradient that arrives and the one that the last tanh makes
      of it: (r + 2) * a, and at its end the gradients on both sides of the Linear: a + b;
    - computes 2 * batch * input width * width operations.
    """
    wide = list(widths)
    layers = []
    for number, (before, after, r) in enumerate(zip(wide[:-1], wide[1:], repeats, strict=True)):
        a, b = (element_bytes * batch * width for width in (after, before))
        gradient = a if number < len(wide) - 2 else 0  # the last one is the loss's own
        # The gradient of the network's input is never asked for.
        leaving = b if number else 0
        layers.append(
            LayerCosts(
                output_bytes=a,
                saved_bytes=r * a,
                forward_bytes=max(2, r) * a,
                gradient_bytes=gradient,
                backward_bytes=max(gradient + (r + 1) * a, a + leaving),
                forward_cost=2 * batch * before * after,
            )
        )
    return ChainCosts(tuple(layers), loss_bytes=2 * element_bytes)
