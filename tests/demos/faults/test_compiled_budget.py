"""A compiler's memory budget and dropout. Reported: pytorch issue 190758.

The graph is cut in two and run by PyTorch's own operators (`aot_eager`), which needs no C++ compiler: the
fault is in the cut.
"""

from collections.abc import Iterator

import pytest
import torch
from torch import Tensor, nn
from torch._functorch import config

LAYERS = 3


@pytest.fixture(autouse=True)
def forget_compiled_code() -> Iterator[None]:
    """The budget is read when a graph is cut, not when it runs."""
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


def drop_again_and_again(weights: list[Tensor]) -> Tensor:
    """The product of all masks, where every weight is one."""
    x = torch.ones_like(weights[0])
    for weight in weights:
        x = nn.functional.dropout(weight * x, 0.5)
    return x


def has_one_mask(budget: float) -> bool:
    """Whether backward used the forward pass's masks: each weight's gradient is then the result itself."""
    torch.manual_seed(0)
    weights = [torch.ones(256, requires_grad=True) for _ in range(LAYERS)]
    with config.patch(activation_memory_budget=budget):
        out = torch.compile(drop_again_and_again, backend="aot_eager")(weights)
        out.sum().backward()
    gradients = [weight.grad for weight in weights]
    return all(gradient is not None and torch.equal(gradient, out) for gradient in gradients)


def test_with_the_whole_budget_the_gradients_are_right() -> None:
    assert has_one_mask(1.0)


@pytest.mark.parametrize("budget", [0.9, 0.5, 0.0])
def test_with_less_they_are_wrong_and_nothing_is_raised(budget: float) -> None:
    """The masks are drawn again, and come out otherwise. Without dropout a budget is safe."""
    assert not has_one_mask(budget)


@pytest.mark.parametrize("budget", [0.5, 0.0])
def test_without_dropout_they_are_right(budget: float) -> None:
    x = torch.linspace(-1, 1, 64, requires_grad=True)
    plain = x.detach().requires_grad_()

    def compute(x: Tensor) -> Tensor:
        return torch.sin(torch.tanh(x * 2)).exp()

    with config.patch(activation_memory_budget=budget):
        torch.compile(compute, backend="aot_eager")(x).sum().backward()
    compute(plain).sum().backward()
    assert x.grad is not None
    assert plain.grad is not None
    assert torch.allclose(x.grad, plain.grad)
