"""A schedule as a tree of nested checkpoints, and what it will cost.

A schedule runs its items one after the other. An item is a layer, by its number, which keeps what its
backward pass needs, or a segment: items under one call of `checkpoint`, which keeps the segment's input alone
and runs the items again when the backward pass comes to them. Segments nest.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias, Union

from app.demos.schedules.costs import ChainCosts

Item: TypeAlias = Union[int, "Segment"]


@dataclass(frozen=True, slots=True)
class Segment:
    """Items under one call of `checkpoint`."""

    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Schedule:
    """Items that together are layers 0, 1, 2, ... of a chain, each once and in their order."""

    items: tuple[Item, ...]

    def __post_init__(self) -> None:
        layers = list(list_layers(self.items))
        if layers != list(range(len(layers))):
            raise ValueError(f"a schedule runs the layers in their order, not {layers}")

    def __len__(self) -> int:
        return sum(1 for _ in list_layers(self.items))

    def __str__(self) -> str:
        return _show(self.items)


@dataclass(frozen=True, slots=True)
class Simulation:
    """What a schedule holds and does: the Meter's integers, by arithmetic."""

    saved_bytes: int  # alive when the forward pass has ended
    peak_bytes: int
    extra_forwards: int  # layers that run again
    extra_cost: int  # their computation, in the unit of the costs


def list_layers(items: tuple[Item, ...]) -> Iterator[int]:
    """The layers of `items` in their order."""
    for item in items:
        if isinstance(item, Segment):
            yield from list_layers(item.items)
        else:
            yield item


def simulate(costs: ChainCosts, schedule: Schedule) -> Simulation:
    """One training step under `schedule`, with what `checkpoint` does included.

    Early stop ends a recomputation at the last tensor that somebody needs, so a segment that ends its parent
    is not run with it, only its input is stored. A segment's first run holds less at any point than its later
    one, which holds the arriving gradient as well; so the first is not looked at.
    """
    if len(schedule) != len(costs):
        raise ValueError(f"a schedule of {len(schedule)} layers for a chain of {len(costs)}")
    whole = _visit(costs, costs.costs_before(), schedule.items, 0)
    return Simulation(
        saved_bytes=whole.held_bytes + costs.loss_bytes // 2,  # the other half is the loss's gradient
        peak_bytes=max(whole.forward_bytes, whole.backward_bytes + costs.loss_bytes),
        extra_forwards=whole.extra_forwards,
        extra_cost=whole.extra_cost,
    )


class _Visit(NamedTuple):
    """Items seen from their start: bytes are beside what holds their input."""

    end: int  # the layer after their last
    run_end: int  # the layer at which early stop ends their recomputation
    held_bytes: int  # when all have run
    forward_bytes: int  # the most alive while they run and keep
    backward_bytes: int  # the most alive in their backward pass
    extra_forwards: int
    extra_cost: int


def _visit(costs: ChainCosts, before: list[int], items: tuple[Item, ...], start: int) -> _Visit:
    """One pass over `items`, the first of which begins at layer `start`."""
    held = output = forward = backward = forwards = cost = 0
    run_end = end = start
    for item in items:
        held += output  # of a segment before this item, whose input it is
        if isinstance(item, Segment):
            inner = _visit(costs, before, item.items, end)
            last = costs.layers[inner.end - 1]
            backward = max(
                backward, held + last.gradient_bytes + inner.forward_bytes, held + inner.backward_bytes
            )
            forwards += inner.run_end - end + inner.extra_forwards
            cost += before[inner.run_end] - before[end] + inner.extra_cost
            output, run_end, end = last.output_bytes, end, inner.end
        else:
            layer = costs.layers[item]
            forward = max(forward, held + layer.forward_bytes)
            backward = max(backward, held + layer.backward_bytes)
            held += layer.saved_bytes
            output, run_end, end = 0, item + 1, item + 1
    return _Visit(end, run_end, held, forward, backward, forwards, cost)


def _show(items: tuple[Item, ...]) -> str:
    return " ".join(f"[{_show(item.items)}]" if isinstance(item, Segment) else str(item) for item in items)
