"""Schedules held against the optimum, and every prediction against what was executed.

x_BW is batch by width, fp32; one activation of full width is u = 4 * B * W bytes. A layer is a Linear without
bias and one tanh or several in a row, each of which keeps its output. Even layers are all of full width with
one tanh. Uneven ones go through the widths W, W/2, W/4, W/2 and through one, three, one and two tanh, so that
a layer's boundary may be a third of what it saves and its cost a sixteenth of its neighbour's: √N and
revolve, which count layers, do not see that; the dynamic program does.

With even layers, N of them in k segments: (k + N/k - 1) * u kept and N - N/k layers again; revolve with c
checkpoints (the network's input is one): (c + 1) * u kept, r * N - C(c + r, r - 1) layers again, whatever N.

Sources: Chen et al. 2016, "Training deep nets with sublinear memory cost"; Griewank and Walther 2000,
"Algorithm 799: revolve"; Beaumont et al. 2019, "Optimal checkpointing for heterogeneous chains: how to train
deep neural networks with limited memory"; Jain et al. 2020, "Checkmate".
"""

import math
from collections.abc import Iterable
from functools import partial
from itertools import cycle, islice
from typing import Any

import torch
from torch import nn

from app.demos.catalog.schedules.spec import SCHEDULED, Params
from app.demos.passes import Lab
from app.demos.results import Number, Result, VariantResult
from app.demos.schedules import (
    ChainCosts,
    Schedule,
    Simulation,
    cut_evenly,
    cut_sqrt,
    keep_everything,
    revolve,
    simulate,
    spread_segments,
    sqrt_segments,
)
from app.demos.schedules.costs import tanh_chain
from app.demos.schedules.execute import run_schedule
from app.demos.schedules.ilp import MOST_LAYERS, is_solver_installed, solve_exactly
from app.demos.schedules.optimal import find_optimal, list_optimal
from app.demos.spec import N_, Phase
from app.demos.steps import TrainingStep, Variant

ELEMENT_BYTES = 4  # fp32
EVEN, UNEVEN = ((1,), (1,)), ((1, 2, 4, 2), (1, 3, 1, 2))  # what divides the width, and the number of tanh
CURVE_POINTS = 16  # of the optimum: more would not be told apart
CURVE_CHECKPOINTS = range(2, 9)  # with one, revolve computes so much that nothing else is seen
COMPARE_SHARE = 0.9  # of the run's time, as seen on a CPU


def run(lab: Lab, params: Params) -> Result:
    """Find the schedules, measure them, and hold the predictions against the measurements."""
    widths, repeats = shape_of(params)
    costs = tanh_chain(widths, repeats, batch=params.batch, element_bytes=ELEMENT_BYTES)
    sqrt, thrifty = cut_sqrt(params.layers), revolve(params.layers, params.checkpoints)
    sqrt_bytes, thrifty_bytes = (simulate(costs, schedule).peak_bytes for schedule in (sqrt, thrifty))
    optimal, tight = find_optimal(costs, sqrt_bytes), find_optimal(costs, thrifty_bytes)
    schedules = {
        "plain": keep_everything(params.layers),
        "sqrt": sqrt,
        "revolve": thrifty,
        "optimal": optimal.schedule,
        "tight": tight.schedule,
    }
    variants = lab.compare(
        *(Variant(name, partial(build, params, schedule)) for name, schedule in schedules.items()),
        share=COMPARE_SHARE,
    )
    predicted = {name: simulate(costs, schedule) for name, schedule in schedules.items()}
    activation_bytes = ELEMENT_BYTES * params.batch * params.width
    return Result(
        variants,
        metrics={
            "activation_bytes": activation_bytes,
            "segments": sqrt_segments(params.layers),
            **compare_predictions(variants, predicted),
            "optimal.is_proven": optimal.is_proven,
            "tight.is_proven": tight.is_proven,
            "ilp.optimal_flops": solve_again(costs, sqrt_bytes),
            "ilp.tight_flops": solve_again(costs, thrifty_bytes),
        },
        picture=draw_costs(lab, costs, activation_bytes),
    )


def compare_predictions(
    variants: dict[str, VariantResult], predicted: dict[str, Simulation]
) -> dict[str, Number]:
    """What was predicted of each schedule and what it gains, and the greatest error of a peak."""
    metrics: dict[str, Number] = {}
    plain = variants["plain"]
    for name in SCHEDULED:
        measured, expected = variants[name], predicted[name]
        metrics |= {
            f"{name}.predicted_saved_bytes": expected.saved_bytes,
            f"{name}.predicted_peak_bytes": expected.peak_bytes,
            f"{name}.predicted_forwards": expected.extra_forwards,
            f"{name}.predicted_flops": expected.extra_cost,
            # One matrix product in each layer's forward pass
            f"{name}.extra_forwards": sum(op.flops > 0 for op in measured.count.list_ops(Phase.RECOMPUTE)),
            f"{name}.peak_saving": plain.peak_bytes / measured.peak_bytes,
            f"{name}.flops_ratio": measured.flops / plain.flops,
        }
    for name, rival in (("optimal", "sqrt"), ("tight", "revolve")):
        again, by_rival = (variants[each].count.flops()[Phase.RECOMPUTE] for each in (name, rival))
        metrics[f"{name}.flops_saving"] = by_rival / again if again else None  # the optimum may need none
    errors = (abs(variants[name].peak_bytes - predicted[name].peak_bytes) for name in predicted)
    return {**metrics, "prediction_error_bytes": max(errors)}


def solve_again(costs: ChainCosts, budget_bytes: int) -> int | None:
    """What the integer program computes again; None where the chain is too long or SciPy is absent."""
    if len(costs) > MOST_LAYERS or not is_solver_installed():
        return None
    return simulate(costs, solve_exactly(costs, budget_bytes)).extra_cost


def draw_costs(lab: Lab, costs: ChainCosts, activation_bytes: int) -> dict[str, Any]:
    """Computation over memory: even cuts, revolve, and the optimum at every budget, all predicted."""
    lab.progress(COMPARE_SHARE, N_("Searching every budget"))
    layers, forward_cost = len(costs), costs.costs_before()[-1]

    def place(simulations: Iterable[Simulation], most: float = math.inf) -> list[list[float]]:
        """Each peak with its computation, from the lowest peak, without what another one beats in both."""
        points: list[list[float]] = []
        for each in sorted(simulations, key=lambda each: (each.peak_bytes, each.extra_cost)):
            again = round(each.extra_cost / forward_cost, 3)
            if again <= most and not (points and points[-1][1] <= again):
                points.append([round(each.peak_bytes / activation_bytes, 2), again])
        return points

    most_bytes = simulate(costs, keep_everything(layers)).peak_bytes
    cuts = place(simulate(costs, cut_evenly(layers, segments)) for segments in spread_segments(layers))
    thrifty = place(simulate(costs, revolve(layers, c)) for c in CURVE_CHECKPOINTS if c <= layers)
    found = (simulation for _, simulation in list_optimal(costs, most_bytes, most=CURVE_POINTS))
    optimal = place(found, most=max(again for _, again in [*cuts, *thrifty]))
    return {
        "kind": "curve",
        "x": N_("Activations of full width at the peak"),
        "y": N_("Forward passes computed again"),
        "log": False,
        "series": [
            {"id": "segments", "label": N_("Even segments"), "points": cuts},
            {"id": "revolve", "label": N_("Revolve"), "points": thrifty},
            {"id": "optimal", "label": N_("Optimum"), "points": optimal},
        ],
    }


def shape_of(params: Params) -> tuple[list[int], list[int]]:
    """The widths, the input's first, and each layer's number of tanh."""
    parts, repeats = EVEN if params.shape == "even" else UNEVEN
    widths = [params.width // part for part in islice(cycle(parts), params.layers)]
    return [params.width, *widths], list(islice(cycle(repeats), params.layers))


def build(params: Params, schedule: Schedule) -> TrainingStep:
    """The chain under `schedule`, and the sum of its result."""
    widths, repeats = shape_of(params)
    layers = nn.ModuleList(
        make_layer(before, after, tanhs)
        for before, after, tanhs in zip(widths[:-1], widths[1:], repeats, strict=True)
    )
    x_BW = torch.randn(params.batch, params.width)
    return TrainingStep(layers, (x_BW,), lambda: run_schedule(list(layers), schedule, x_BW).sum())


def make_layer(before: int, after: int, tanhs: int) -> nn.Sequential:
    """A Linear that neither grows nor fades what it is given, and its tanh."""
    linear = nn.Linear(before, after, bias=False)
    nn.init.normal_(linear.weight, std=before**-0.5)
    return nn.Sequential(linear, *(nn.Tanh() for _ in range(tanhs)))
