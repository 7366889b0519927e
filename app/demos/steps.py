# mypy: allow-untyped-calls
# (PyTorch types not all of its functions.)
"""A training step that can be repeated, and the variants of it that a demo compares."""

import gc
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from app.demos.spec import Phase


@dataclass(slots=True)
class TrainingStep:
    """A network, its inputs, and how its loss comes from them; `loss` takes nothing and gives a scalar.

    Without `trains` it is a forward pass that records nothing for a backward pass. `elsewhere` gives the
    tensors that the step put outside the memory that is counted.
    """

    model: nn.Module
    inputs: tuple[Tensor, ...]
    loss: Callable[[], Tensor]
    optimizer: torch.optim.Optimizer | None = None
    trains: bool = True
    elsewhere: Callable[[], Iterable[Tensor]] = tuple

    def run(self, enter: Callable[[Phase], None] = lambda _: None) -> None:
        """One step from no gradients; `enter` is told of each phase as it begins."""
        self.model.zero_grad(set_to_none=True)
        enter(Phase.FORWARD)
        with torch.set_grad_enabled(self.trains):
            loss = self.loss()
        enter(Phase.BACKWARD)  # where the forward pass ends, whether or not a backward pass follows
        if self.trains:
            loss.backward()
        if self.optimizer is not None:
            enter(Phase.OPTIMIZER)
            self.optimizer.step()

    def gradients(self) -> dict[str, Tensor]:
        """The gradients of the parameters by name, where there are any."""
        return {name: p.grad for name, p in self.model.named_parameters() if p.grad is not None}

    def state(self) -> Iterator[Tensor]:
        """The tensors of the optimizer's state."""
        if self.optimizer is not None:
            for state in self.optimizer.state.values():
                yield from (value for value in state.values() if isinstance(value, Tensor))


@dataclass(frozen=True, slots=True)
class Variant:
    """One of the things a demo compares.

    `build` makes a fresh step; it must draw the same random numbers in every variant, so that they start
    alike. `is_comparable` is false where equal gradients have no meaning.
    """

    id: str
    build: Callable[[], TrainingStep]
    is_comparable: bool = True


@contextmanager
def garbage_kept_out() -> Iterator[None]:
    """Collect garbage now and none until the end: it takes time, and dies at a time of its own."""
    gc.collect()
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
