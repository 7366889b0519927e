"""The same optimum from an integer program, for chains of a few layers: a second opinion on `optimal`.

In the manner of Jain et al. 2020, "Checkmate: breaking the memory wall with optimal tensor
rematerialization": a stage for each layer's backward pass, from the last layer's down, and in each stage what
runs and what is alive. Three kinds of variables, all 0 or 1, for a stage j and a layer i <= j:

- R[j, i]: layer i runs in stage j (in the first stage, the forward pass, all do).
- K[j, i]: what layer i saves is alive at the backward pass of j.
- S[j, i]: the output of layer i is alive at that time, alone.

What is stored stays until the backward pass used it, as under nested checkpoints (Checkmate itself may drop
and make again). A stage runs the layers from the last stored output before j up to j.

SciPy, whose HiGHS solves it, is asked for only when a schedule is.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from app.demos.schedules.costs import BudgetError, ChainCosts
from app.demos.schedules.tree import Item, Schedule, Segment

MOST_LAYERS = 8  # seconds from here on
INFEASIBLE = 2  # what `milp` says of it

Key = tuple[str, int, int]


class SolverMissingError(RuntimeError):
    """SciPy is not installed; only the integer program needs it."""

    def __init__(self) -> None:
        super().__init__("the integer program needs SciPy 1.15 or later, which is not installed")


def is_solver_installed() -> bool:
    """Whether the integer program can be solved here."""
    try:
        _load_scipy()
    except SolverMissingError:
        return False
    return True


def solve_exactly(costs: ChainCosts, budget_bytes: int) -> Schedule:
    """The cheapest schedule that peaks at `budget_bytes` at most, for at most MOST_LAYERS layers.

    Raises BudgetError where none does, SolverMissingError where SciPy is absent, ValueError where the chain
    is too long.
    """
    if len(costs) > MOST_LAYERS:
        raise ValueError(f"the integer program takes at most {MOST_LAYERS} layers, not {len(costs)}")
    optimize = _load_scipy()
    program = _write(costs, budget_bytes)
    rows, lower = zip(*program.rows, strict=True)
    solved = optimize.milp(
        program.objective,
        integrality=[1] * len(program.columns),
        bounds=optimize.Bounds(0, 1),
        constraints=optimize.LinearConstraint([program.dense(row) for row in rows], lb=lower),
        options={"mip_rel_gap": 0.0},
    )
    if solved.status == INFEASIBLE:
        raise BudgetError(budget_bytes)
    if not solved.success:
        raise RuntimeError(f"the integer program was not solved: {solved.message}")
    ones = {key for key, column in program.columns.items() if solved.x[column] > 0.5}  # noqa: PLR2004
    return Schedule(tuple(_items(ones, 0, len(costs) - 1, len(costs) - 1)))


@dataclass(slots=True)
class _Program:
    """Columns by name, and rows that each say: the sum of coefficient times variable is at least a bound."""

    columns: dict[Key, int]
    objective: list[float]
    rows: list[tuple[dict[Key, float], float]] = field(default_factory=list)

    def add(self, terms: list[tuple[float, Key]], at_least: float) -> None:
        """Variables that do not exist (the input, always alive; a stage before the first) are left out."""
        row: dict[Key, float] = {}
        for coefficient, key in terms:
            if key in self.columns:
                row[key] = row.get(key, 0.0) + coefficient
        self.rows.append((row, at_least))

    def dense(self, row: dict[Key, float]) -> list[float]:
        return [row.get(key, 0.0) for key in self.columns]


def _write(costs: ChainCosts, budget_bytes: int) -> _Program:
    count = len(costs)
    pairs = [(j, i) for j in range(count) for i in range(j + 1)]
    keys = [(kind, j, i) for j, i in pairs for kind in "RKS" if kind != "S" or i < j]
    last = count - 1
    again = [costs.layers[i].forward_cost if kind == "R" and j < last else 0 for kind, j, i in keys]
    program = _Program({key: number for number, key in enumerate(keys)}, [float(cost) for cost in again])
    for j, i in pairs:
        _write_runs(program, j, i, last)
        _write_life(program, j, i)
        _write_memory(program, costs, budget_bytes, j, i)
    return program


def _write_runs(program: _Program, j: int, i: int, last: int) -> None:
    """Which layers run in stage j: all in the first one, else from what is stored up to j."""
    run, before = ("R", j, i), [("K", j + 1, i), ("S", j + 1, i)]  # what lived when the stage began
    if j == last:
        program.add([(1, run)], 1)
    elif i == j:  # exactly if it was not kept
        program.add([(1, run), (1, ("K", j + 1, j))], 1)
        program.add([(-1, run), (-1, ("K", j + 1, j))], -1)
    else:  # exactly if the next one runs and the output is not there
        following = ("R", j, i + 1)
        program.add([(1, run), (-1, following), *((1, key) for key in before)], 0)
        program.add([(-1, run), (1, following)], 0)
        program.add([(-1, run), *((-1, key) for key in before)], -1)
    for kind in "KS":  # what is new was made
        program.add([(1, (kind, j + 1, i)), (1, run), (-1, (kind, j, i))], 0)


def _write_life(program: _Program, j: int, i: int) -> None:
    """What is stored stays until it was used; a layer that keeps what it saves has its input."""
    kept, stored = ("K", j, i), ("S", j, i)
    if i == j:
        program.add([(1, kept)], 1)
    else:
        program.add([(-1, kept), (-1, stored)], -1)  # what is kept contains the output
        program.add([(1, kept), (-1, ("K", j + 1, i))], 0)
        program.add([(1, stored), (-1, ("S", j + 1, i))], 0)
    if i:
        program.add([(1, ("S", j, i - 1)), (1, ("K", j, i - 1)), (-1, kept)], 0)


def _write_memory(program: _Program, costs: ChainCosts, budget_bytes: int, j: int, i: int) -> None:
    """The budget when layer i runs in stage j to keep what it saves, and when the backward pass is at j."""
    layer, is_forward = costs.layers[i], j == len(costs) - 1
    alive: list[tuple[float, Key]] = []
    for each in range(i):
        alive.append((-costs.layers[each].output_bytes, ("S", j, each)))
        alive.append((-costs.layers[each].saved_bytes, ("K", j, each)))
    arrived = 0 if is_forward else costs.layers[j].gradient_bytes + costs.loss_bytes
    # Where the layer keeps nothing new the row must ask nothing.
    at_most = budget_bytes - layer.forward_bytes - arrived
    slack = max(0, sum(each.saved_bytes for each in costs.layers[:i]) - at_most)
    program.add([*alive, (-slack, ("K", j, i)), (slack, ("K", j + 1, i))], -at_most - slack)
    if i == j:
        program.add(alive, layer.backward_bytes + costs.loss_bytes - budget_bytes)


def _items(ones: set[Key], start: int, end: int, stage: int) -> Iterator[Item]:
    """The items of the run of start..end in `stage`, read off the variables that are 1."""
    cut = start  # where the segment began that is open
    for layer in range(start, end + 1):
        if ("K", stage, layer) in ones:
            yield layer
            cut = layer + 1
        elif ("S", stage, layer) in ones:
            yield Segment(tuple(_items(ones, cut, layer, layer)))
            cut = layer + 1


def _load_scipy() -> Any:
    try:
        from scipy import optimize  # noqa: PLC0415 - the lab runs where only PyTorch is installed
    except ImportError as error:
        raise SolverMissingError from error
    return optimize
