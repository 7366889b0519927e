# mypy: allow-untyped-calls
# (PyTorch types not all of its functions.)
"""The time pass: no instrument, variants interleaved, ratios paired.

Run one after the other, two variants meet different weather; interleaved, each round compares neighbours.
"""

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

import torch

from app.demos.steps import garbage_kept_out

WARMUPS = 3  # caches, allocator pools and lazy initialisation settle within two
REPEATS = 20  # the least at which the 10th and 90th percentile are not simply the extremes


@dataclass(frozen=True, slots=True)
class Spread:
    """A median with the 10th and the 90th percentile of `n` values."""

    median: float
    p10: float
    p90: float
    n: int

    @classmethod
    def of(cls, values: list[float]) -> "Spread":
        """The spread of at least two values."""
        deciles = statistics.quantiles(values, n=10, method="inclusive")
        return cls(statistics.median(values), deciles[0], deciles[-1], len(values))

    def to_json(self) -> dict[str, float | int]:
        """Its fields by name."""
        return asdict(self)


def time_interleaved(
    steps: Sequence[Callable[[], None]],
    device: torch.device,
    report: Callable[[float], None],
    *,
    warmups: int = WARMUPS,
    repeats: int = REPEATS,
) -> list[list[float]]:
    """Milliseconds of each step in each of `repeats` rounds, after `warmups` rounds that are not kept.

    Returns one list a step, in the same order of rounds. `report` is told the fraction that is done.
    """
    stopwatch = _time_on_cuda if device.type == "cuda" else _time_on_cpu
    times_ms: list[list[float]] = [[] for _ in steps]
    with garbage_kept_out():
        for number in range(warmups + repeats):
            for step, kept in zip(steps, times_ms, strict=True):
                elapsed_ms = stopwatch(step)
                if number >= warmups:
                    kept.append(elapsed_ms)
            report((number + 1) / (warmups + repeats))
    return times_ms


def _time_on_cpu(step: Callable[[], None]) -> float:
    started = time.perf_counter_ns()
    step()
    return (time.perf_counter_ns() - started) / 1e6


def _time_on_cuda(step: Callable[[], None]) -> float:
    started, ended = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    started.record()
    step()
    ended.record()
    ended.synchronize()
    return float(started.elapsed_time(ended))
