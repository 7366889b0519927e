# mypy: allow-untyped-calls
# (PyTorch types not all of its functions.)
"""A schedule run: nested calls of the stock `torch.utils.checkpoint.checkpoint`."""

from collections.abc import Callable, Sequence

from torch import Tensor

from app.demos.recompute import checkpoint
from app.demos.schedules.tree import Item, Schedule, Segment

Layer = Callable[[Tensor], Tensor]


def run_schedule(layers: Sequence[Layer], schedule: Schedule, x: Tensor) -> Tensor:
    """The result of `layers`, one after the other, under `schedule`.

    The layers draw no random numbers: the generator's state is not stashed.
    """
    if len(layers) != len(schedule):
        raise ValueError(f"a schedule of {len(schedule)} layers for a chain of {len(layers)}")
    return _run(layers, schedule.items, x)


def _run(layers: Sequence[Layer], items: tuple[Item, ...], x: Tensor) -> Tensor:
    for item in items:
        if isinstance(item, Segment):
            x = checkpoint(_run, layers, item.items, x, preserve_rng_state=False)
        else:
            x = layers[item](x)
    return x
