"""The schedule that computes least again under a budget of bytes, for any chain.

The dynamic program of Beaumont, Eyraud-Dubois, Herrmann, Joly and Shilova 2019, "Optimal checkpointing for
heterogeneous chains: how to train deep neural networks with limited memory", for persistent schedules: what
is stored stays until the backward pass used it. Those are the trees of nested checkpoints.

Let C(s, t, m) be the least recomputation in reversing layers s to t when m is free beside what holds the
input of s. Either layer s keeps what it saves, if m has room for its passes, or a segment s..k-1 is cut off,
which keeps k's input and runs again when k..t are done:

    C(s, t, m) = min( C(s+1, t, m - saved(s)),
                      min over k of F(s..k-1) + C(k, t, m - output(k-1)) + C(s, k-1, m) )

Memory is counted in whole units. Where every size is a multiple of the unit the program is exact. Where that
would be too many units, what is stored is rounded down: the program then solves an easier problem, so its
cost is a lower bound, and a schedule that it finds and that fits, by simulation, costs no more than it
should. Otherwise it is asked again with a smaller budget, which costs nothing: the table has all of them.

Time is proportional to N^3 / 6 * units, memory to N^2 * units.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice

import torch
from torch import Tensor, nn

from app.demos.schedules.costs import BudgetError, ChainCosts
from app.demos.schedules.even import count_extra_forwards
from app.demos.schedules.revolve import count_revolve_steps, revolve
from app.demos.schedules.simple import cut_evenly
from app.demos.schedules.tree import Item, Schedule, Segment, Simulation, simulate

UNITS = 512  # 0.2 % of the budget each; 200 layers take some seconds
FLOAT32_INTEGERS = 1 << 24  # up to here float32 has every integer


@dataclass(frozen=True, slots=True)
class Found:
    """A schedule with its simulation, and the least that any nested checkpoints can cost in its budget."""

    schedule: Schedule
    simulation: Simulation
    least_cost: int

    @property
    def is_proven(self) -> bool:
        """Whether no schedule in the same budget costs less."""
        return self.simulation.extra_cost == self.least_cost


def find_optimal(costs: ChainCosts, budget_bytes: int, *, units: int = UNITS) -> Found:
    """The cheapest schedule whose simulated peak is at most `budget_bytes`.

    It is the optimum where `is_proven`; else it is no worse than every even cut and every revolve that fits.
    Raises BudgetError where nothing fits.
    """
    table = CostTable(costs, budget_bytes, units=units)
    least_cost = table.least_cost(table.units)
    if least_cost is None:
        raise BudgetError(budget_bytes)
    candidates = list(islice(table.list_fitting(), 1))
    if not candidates or candidates[0][1].extra_cost > least_cost:
        below_cost = candidates[0][1].extra_cost if candidates else math.inf
        candidates += _list_known(costs, budget_bytes, below_cost)
    if not candidates:
        raise BudgetError(budget_bytes)
    schedule, simulation = min(candidates, key=lambda each: (each[1].extra_cost, each[1].peak_bytes))
    return Found(schedule, simulation, least_cost)


def list_optimal(
    costs: ChainCosts, budget_bytes: int, *, most: int, units: int = UNITS
) -> list[tuple[Schedule, Simulation]]:
    """The optimum at `most` budgets up to `budget_bytes`, the cheapest first; one table for all.

    Each computes more and peaks lower than the one before it.
    """
    front: list[tuple[Schedule, Simulation]] = []
    for schedule, simulation in CostTable(costs, budget_bytes, units=units).list_fitting(most=most):
        if not front or simulation.peak_bytes < front[-1][1].peak_bytes:
            front.append((schedule, simulation))
    return front


class CostTable:
    """C(s, t, m) for every stretch s..t and every m from 0 to `units`.

    It is filled by the lengths of stretches: all of one length at a time, which lie side by side. Both tables
    hold the same content, each shifted as it is read, at [t - s, s, m]:

    - `_segments`: C(s, t, m) and the cost of running s..t again, what a segment costs in all.
    - `_stored`: C(s, t, m - output(s - 1)), what the rest costs when its input must be stored.
    """

    def __init__(self, costs: ChainCosts, budget_bytes: int, *, units: int = UNITS) -> None:
        self.costs = costs
        self.budget_bytes = max(budget_bytes, 0)
        self.unit_bytes = _choose_unit(costs, self.budget_bytes, units)
        self.units = self.budget_bytes // self.unit_bytes
        self._before = costs.costs_before()
        self._scale = math.gcd(*(layer.forward_cost for layer in costs.layers)) or 1
        self._output = [layer.output_bytes // self.unit_bytes for layer in costs.layers]
        self._saved = [layer.saved_bytes // self.unit_bytes for layer in costs.layers]
        # A layer runs again at most once for each layer that is left.
        is_small = self._before[-1] // self._scale * len(costs) < FLOAT32_INTEGERS
        self._dtype = torch.float32 if is_small else torch.float64
        shape = (len(costs), len(costs), self.units + 1)
        self._segments = torch.empty(shape, dtype=self._dtype)  # half of it is never touched
        self._stored = torch.empty(shape, dtype=self._dtype)
        self._fill()

    def least_cost(self, units: int) -> int | None:
        """The least recomputation of the whole chain in `units`, or None where nothing fits."""
        found = self._segments[-1, 0, units].item()
        return None if math.isinf(found) else round(found) * self._scale - self._before[-1]

    def list_fitting(self, *, most: int | None = None) -> Iterator[tuple[Schedule, Simulation]]:
        """Schedules that fit into the budget, the cheapest first, each in the fewest units for its cost.

        `most` takes so many of them, evenly.
        """
        row = [math.inf, *self._segments[-1, 0].tolist()]
        falls = [units for units in range(self.units, -1, -1) if row[units + 1] < row[units]]
        if most is not None and most < len(falls):
            falls = [falls[number * (len(falls) - 1) // (most - 1)] for number in range(most)]
        for units in falls:
            schedule = Schedule(tuple(self._walk(0, len(self.costs) - 1, units)))
            simulation = simulate(self.costs, schedule)
            if simulation.peak_bytes <= self.budget_bytes:
                yield schedule, simulation

    def _fill(self) -> None:
        layers, columns = len(self.costs), torch.arange(self.units + 1)
        before = torch.tensor([each // self._scale for each in self._before], dtype=self._dtype)
        stored_at = _shifted(columns, [0, *self._output[:-1]])  # row s: where m - output(s - 1) stands
        kept_at = _shifted(columns, [s - o for s, o in zip(self._saved, self._output, strict=True)])
        for length in range(layers):
            starts = layers - length
            rooms = torch.tensor([self._room(start, start + length) for start in range(starts)])
            has_room = columns >= rooms[:, None]
            if length:
                best = _gather(self._stored[length - 1, 1 : 1 + starts], kept_at[:starts])
                best.masked_fill_(~has_room, math.inf)
                self._cut(best, length)
            else:
                best = torch.where(has_room, 0.0, math.inf).to(self._dtype)
            run_again = before[length + 1 :] - before[:starts]
            torch.add(best, run_again[:, None], out=self._segments[length, :starts])
            self._stored[length, :starts] = _gather(best, stored_at[:starts])

    def _cut(self, best: Tensor, length: int) -> None:
        """Lower `best`, the rows of all stretches of one `length`, to what cutting off a segment costs."""
        starts = len(best)
        both = torch.empty_like(best)
        for cut in range(1, length + 1):
            rest = self._stored[length - cut, cut : cut + starts]
            torch.add(self._segments[cut - 1, :starts], rest, out=both)
            torch.minimum(best, both, out=best)

    def _room(self, start: int, end: int) -> int:
        """Units that layer `start` needs for its own two passes when the gradient at `end` has arrived.

        What the budget has beyond its whole units can be used too.
        """
        layer, is_last = self.costs.layers[start], end == len(self.costs) - 1
        arrived = 0 if is_last else self.costs.layers[end].gradient_bytes + self.costs.loss_bytes
        needed = max(layer.forward_bytes + arrived, layer.backward_bytes + self.costs.loss_bytes)
        spare = self.budget_bytes - self.units * self.unit_bytes
        return max(0, -(-(needed - spare) // self.unit_bytes))

    def _walk(self, start: int, end: int, units: int) -> Iterator[Item]:
        """The items that reverse start..end in `units`, read off the tables."""
        while start < end:
            cuts = torch.arange(1, end - start + 1)
            rest = self._stored[end - start - cuts, start + cuts, units]
            cheapest = torch.min(self._segments[: end - start, start, units] + rest, dim=0)
            if self._kept(start, end, units) <= cheapest.values.item():
                yield start
                units -= self._saved[start]
                start += 1
            else:
                split = start + 1 + int(cheapest.indices.item())
                yield Segment(tuple(self._walk(start, split - 1, units)))
                units -= self._output[split - 1]
                start = split
        yield end

    def _kept(self, start: int, end: int, units: int) -> float:
        """What start..end costs in `units` when `start` keeps what it saves."""
        extra = self._saved[start] - self._output[start]
        if units < max(self._room(start, end), extra):
            return math.inf
        return float(self._stored[end - start - 1, start + 1, units - extra].item())


def _shifted(columns: Tensor, shifts: list[int]) -> Tensor:
    """For each shift, the column that is so much before each column; the first stands in for none."""
    return (columns + 1 - torch.tensor(shifts)[:, None]).clamp_(min=0)


def _gather(rows: Tensor, at: Tensor) -> Tensor:
    """Each row read `at` its columns plus one, where 0 means that there is none, and so infinity."""
    return nn.functional.pad(rows, (1, 0), value=math.inf).gather(1, at)


def _choose_unit(costs: ChainCosts, budget_bytes: int, units: int) -> int:
    """The greatest common measure of the sizes, or as much as makes at most `units` of the budget."""
    sizes = (
        size
        for layer in costs.layers
        for size in (layer.output_bytes, layer.saved_bytes, layer.forward_bytes, layer.backward_bytes)
    )
    return max(math.gcd(*sizes), -(-budget_bytes // units), 1)


def _list_known(
    costs: ChainCosts, budget_bytes: int, below_cost: float
) -> Iterator[tuple[Schedule, Simulation]]:
    """The simple schedules that fit and cost less than `below_cost`; what cannot is not even built."""
    layers, before = len(costs), costs.costs_before()
    least = min(layer.forward_cost for layer in costs.layers)
    cuts = range(1, layers + 1)
    repeats = ((count, count_revolve_steps(layers, count) * least) for count in range(1, layers + 1))
    schedules = chain(
        (cut_evenly(layers, k) for k in cuts if before[count_extra_forwards(layers, k)] < below_cost),
        (revolve(layers, count) for count, least_cost in repeats if least_cost < below_cost),
    )
    for schedule in schedules:
        simulation = simulate(costs, schedule)
        if simulation.peak_bytes <= budget_bytes and simulation.extra_cost < below_cost:
            yield schedule, simulation
