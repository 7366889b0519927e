"""Chains to schedule, every tree over a few layers, and one step of a real chain under a schedule."""

import gc
import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import torch
from torch import nn

from app.demos.catalog.schedules.experiment import make_layer
from app.demos.passes import Lab
from app.demos.schedules import ChainCosts, LayerCosts, Schedule, Segment, Simulation
from app.demos.schedules.costs import tanh_chain
from app.demos.schedules.execute import run_schedule
from app.demos.schedules.tree import Item
from app.demos.spec import Phase
from app.demos.steps import TrainingStep

BATCH = 4


@dataclass(frozen=True)
class Shape:
    """The widths of a real chain, the input's first, and how many tanh each layer has."""

    widths: tuple[int, ...]
    repeats: tuple[int, ...]

    def costs(self) -> ChainCosts:
        return tanh_chain(self.widths, self.repeats, batch=BATCH)

    def build(self, schedule: Schedule) -> TrainingStep:
        pairs = zip(self.widths[:-1], self.widths[1:], self.repeats, strict=True)
        layers = nn.ModuleList(make_layer(before, after, tanhs) for before, after, tanhs in pairs)
        x = torch.randn(BATCH, self.widths[0])
        return TrainingStep(layers, (x,), lambda: run_schedule(list(layers), schedule, x).sum())


def execute(shape: Shape, schedule: Schedule) -> Simulation:
    """What the Meter counts in one step."""
    gc.freeze()  # the collector looks at this step's objects alone
    try:
        count = Lab(torch.device("cpu"), lambda *_: None).count(lambda: shape.build(schedule))
    finally:
        gc.unfreeze()
    again = count.list_ops(Phase.RECOMPUTE)
    return Simulation(
        saved_bytes=count.saved_bytes,
        peak_bytes=count.peak_bytes,
        extra_forwards=sum(op.flops > 0 for op in again),
        extra_cost=sum(op.flops for op in again),
    )


def random_chain(layers: int, draw: random.Random) -> ChainCosts:
    """Small sizes, so that whole units are single bytes and every budget is another question."""
    found = []
    for number in range(layers):
        output = draw.randint(1, 6)
        saved = output + draw.randint(0, 8)
        gradient = output if number < layers - 1 else 0
        found.append(
            LayerCosts(
                output_bytes=output,
                saved_bytes=saved,
                forward_bytes=saved + draw.randint(0, 5),
                gradient_bytes=gradient,
                backward_bytes=saved + gradient + draw.randint(0, 6),
                forward_cost=draw.randint(1, 9),
            )
        )
    return ChainCosts(tuple(found), loss_bytes=draw.choice([0, 2, 4]))


@cache
def every_schedule(layers: int) -> list[Schedule]:
    """Every tree of nested checkpoints, but for segments that are all of their parent."""
    return [Schedule(items) for items in _every_list(0, layers, may_be_one=True)]


def _every_list(start: int, end: int, *, may_be_one: bool) -> Iterator[tuple[Item, ...]]:
    if start == end:
        yield ()
        return
    yield from ((start, *rest) for rest in _every_list(start + 1, end, may_be_one=True))
    for cut in range(start + 1, end + (1 if may_be_one else 0)):
        for inner in _every_list(start, cut, may_be_one=False):
            yield from ((Segment(inner), *rest) for rest in _every_list(cut, end, may_be_one=True))
