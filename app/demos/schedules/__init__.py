"""Schedules of a chain: which layers keep what they save, which run again, and what that costs.

`even` has the closed forms of equal layers. `costs` says what a layer costs, `tree` what a schedule is and
how one is simulated; `simple`, `revolve`, `optimal` and `ilp` find one, and `execute` runs it. What is named
here needs the standard library only; `optimal` and `execute` need PyTorch, `ilp` needs SciPy.
"""

from app.demos.schedules.costs import BudgetError, ChainCosts, LayerCosts
from app.demos.schedules.even import (
    count_extra_forwards,
    count_saved,
    log_log_slope,
    spread_segments,
    sqrt_segments,
)
from app.demos.schedules.revolve import count_revolve_steps, revolve
from app.demos.schedules.simple import cut_evenly, cut_sqrt, keep_everything, recompute_every_layer
from app.demos.schedules.tree import Schedule, Segment, Simulation, simulate

__all__ = [
    "BudgetError",
    "ChainCosts",
    "LayerCosts",
    "Schedule",
    "Segment",
    "Simulation",
    "count_extra_forwards",
    "count_revolve_steps",
    "count_saved",
    "cut_evenly",
    "cut_sqrt",
    "keep_everything",
    "log_log_slope",
    "recompute_every_layer",
    "revolve",
    "simulate",
    "spread_segments",
    "sqrt_segments",
]
