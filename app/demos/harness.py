"""One run from its parameters to its JSON. Importing this imports every experiment, and touches no device."""

import gc
import importlib
import math
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

from app.demos import catalog
from app.demos.passes import Lab, Progress
from app.demos.provenance import THREADS, describe_run, is_shared
from app.demos.results import Number, Result
from app.demos.spec import Demo

_RUN_BY_DEMO = {
    demo.id: importlib.import_module(f"{catalog.__name__}.{demo.package}.experiment").run
    for demo in catalog.all_demos().values()
}


class UnknownDemoError(LookupError):
    """There is no demo of that id."""


class ExperimentError(RuntimeError):
    """An experiment did not measure what its spec declares."""


def measure(
    demo_id: str,
    params: Mapping[str, object],
    *,
    device: str = "cpu",
    progress: Progress = lambda _, __: None,
) -> dict[str, Any]:
    """Run a demo and return its result, ready for JSON; `progress` gets a fraction and a msgid.

    Raises UnknownDemoError, ParamError where the spec does not allow `params`, ExperimentError where a metric
    is missing, and whatever PyTorch raises, out of memory above all.
    """
    demo = catalog.find_demo(demo_id)
    if demo is None:
        raise UnknownDemoError(demo_id)
    parsed = demo.parse_params(params)
    where = torch.device(device)
    shared_device = is_shared(where)
    started_at, started = datetime.now(UTC), time.monotonic()
    with _settled(where):
        result: Result = _RUN_BY_DEMO[demo_id](Lab(where, progress), parsed)
        duration_ms = round((time.monotonic() - started) * 1000)
        run = describe_run(where, result.dtype, started_at=started_at, duration_ms=duration_ms)
    return {
        "demo": demo_id,
        "params": parsed.to_json(),
        "variants": [variant.to_json() for variant in result.variants.values()],
        "metrics": _declared_metrics(demo, result),
        "picture": result.picture,
        "provenance": {**run, "shared_device": shared_device},
    }


def _declared_metrics(demo: Demo, result: Result) -> dict[str, Number]:
    """Every metric that the spec declares, in its order."""
    measured = dict(result.metrics)
    for variant in result.variants.values():
        measured |= variant.metrics()
    wanted = {metric.id for metric in demo.metrics}
    if missing := sorted(wanted - measured.keys()):
        raise ExperimentError(f"{demo.id} did not measure {', '.join(missing)}")
    if unknown := sorted(result.metrics.keys() - wanted):
        raise ExperimentError(f"{demo.id} does not declare {', '.join(unknown)}")
    if strange := [name for name in wanted if not math.isfinite(measured[name] or 0)]:
        raise ExperimentError(f"{demo.id} measured no finite number for {', '.join(sorted(strange))}")
    return {metric.id: measured[metric.id] for metric in demo.metrics}


@contextmanager
def _settled(device: torch.device) -> Iterator[None]:
    """A fixed number of threads and one attention backend; afterwards everything is as it was found.

    What Python holds already is put beyond its collector: only the run's own garbage is looked for, often.
    """
    threads = torch.get_num_threads()
    gc.collect()
    gc.freeze()
    seeded = [device] if device.type == "cuda" else []  # by default it would wake every CUDA device
    with torch.random.fork_rng(devices=seeded), sdpa_kernel(SDPBackend.MATH):
        torch.set_num_threads(THREADS)
        try:
            yield
        finally:
            torch.set_num_threads(threads)
            gc.unfreeze()
