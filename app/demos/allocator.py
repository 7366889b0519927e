"""The allocator pass: what the device's own allocator says, beside the Meter's count and never in its place.

It sees what the Meter cannot, the temporaries inside operators, and cannot tell an activation from a
gradient. Both kinds of device give the most that was allocated above what was there when the step began:
parameters, buffers, inputs and optimizer state are not in it, gradients are.
"""

import json
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch
from torch.autograd.profiler import profile  # `torch.profiler` would import for two seconds at first use

os.environ.setdefault(
    "KINETO_LOG_LEVEL", "99"
)  # read at the profiler's first use: it reports each start and stop


@dataclass(frozen=True, slots=True)
class Allocation:
    """`reserved_bytes` is what a caching allocator took from the device, None where there is none."""

    peak_bytes: int
    reserved_bytes: int | None


def measure_allocation(step: Callable[[], None], device: torch.device) -> Allocation:
    """Run `step` once and ask the allocator of `device` for its peak."""
    if device.type == "cuda":
        return _measure_on_cuda(step, device)
    return _measure_on_cpu(step)


def _measure_on_cuda(step: Callable[[], None], device: torch.device) -> Allocation:
    torch.cuda.synchronize(device)
    torch.cuda.reset_peak_memory_stats(device)
    before = torch.cuda.memory_allocated(device)
    step()
    torch.cuda.synchronize(device)
    peak = torch.cuda.max_memory_allocated(device) - before
    return Allocation(peak, torch.cuda.max_memory_reserved(device))


def _measure_on_cpu(step: Callable[[], None]) -> Allocation:
    with profile(profile_memory=True) as profiler:
        step()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.json"
        profiler.export_chrome_trace(str(path))
        trace = json.loads(path.read_text(encoding="utf-8"))
    events = [event for event in trace["traceEvents"] if event.get("name") == "[memory]"]
    live = peak = 0
    for event in sorted(events, key=lambda event: event["ts"]):
        live += event["args"]["Bytes"]
        peak = max(peak, live)
    return Allocation(peak, None)
