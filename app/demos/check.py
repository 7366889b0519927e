"""`python -m app.demos.check` (`./rematch gpu-check`): run every demo on this machine's GPU, write a file.

It needs PyTorch and the standard library alone, so a machine with a GPU needs no more than the source. Every
demo runs with its default parameters, for the pages that show those, then as large as its bounds allow. Each
run has a process of its own: one that fails is named in the file, and the rest go on. `--device cpu` runs the
default parameters on the CPU, which makes a file to try the import with.
"""

import argparse
import asyncio
import json
import platform
import re
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from app.demos.catalog import all_demos
from app.demos.measuring import Device, ForkParent, LabStartError, Limits, Outcome
from app.demos.spec import Demo, Params

FORMAT = 1
SECONDS = 270.0  # for all demos, so that starting and writing fit into five minutes
RUN_SECONDS = 90.0  # for one, which on a busy CPU takes longer than it promises
LEAST_SECONDS = 5.0  # less is left for no demo


@dataclass(frozen=True, slots=True)
class Planned:
    """A run that is to be done."""

    demo: Demo
    params: Params


def main(arguments: list[str] | None = None) -> int:
    """0 when every demo ran, or when there is no CUDA device; 1 when one failed."""
    options = _parse(arguments)
    parent = ForkParent(lab="app.demos.lab", device=options.device)
    try:
        device = parent.start()
    except LabStartError as error:
        print(f"The lab cannot start: {error}", file=sys.stderr)
        return 1
    try:
        if options.device != "cpu" and device.device_class != "cuda":
            print(f"There is no CUDA device here (only {device.device_name}): nothing was measured.")
            return 0
        print(f"{device.device_name}, {device.software}", flush=True)
        demos = [demo for demo in all_demos().values() if demo.id in (options.demo or all_demos())]
        report = check(parent, device, plan(demos, is_cuda=device.device_class == "cuda"), options.seconds)
    finally:
        parent.close()
    path = options.output or Path(f"{slug(device.device_name)}.json")
    path.write_text(json.dumps(report, allow_nan=False) + "\n", encoding="utf-8")
    failed = sorted({failure["demo"] for failure in report["failures"]})
    print(f"{len(report['results'])} measurements in {path}")
    print(f"failed: {', '.join(failed)}" if failed else "every demo ran")
    return 1 if failed else 0


def plan(demos: Iterable[Demo], *, is_cuda: bool) -> list[Planned]:
    """Every demo with its default parameters, then on a GPU every one as large as it goes."""
    demos = list(demos)
    default = [Planned(demo, demo.params()) for demo in demos]
    largest = [Planned(demo, demo.largest_params()) for demo in demos] if is_cuda else []
    return default + [each for each in largest if each not in default]


def check(parent: ForkParent, device: Device, planned: list[Planned], seconds: float) -> dict[str, Any]:
    """Do what is planned, for as long as there is time; what was measured, and what failed and why."""
    started_at, deadline = datetime.now(UTC), time.monotonic() + seconds
    results: list[dict[str, Any]] = []
    failures: list[dict[str, Any]] = []
    for each, outcome in _run_all(parent, device, planned, deadline):
        print(_describe(each, outcome), flush=True)
        if outcome.result is not None:
            results.append(outcome.result)
        else:
            failures.append(
                {
                    "demo": each.demo.id,
                    "params": each.params.to_json(),
                    "failure": outcome.failure,
                    "detail": outcome.detail,
                }
            )
    return {
        "format": FORMAT,
        "device_class": device.device_class,
        "device_name": device.device_name,
        "software": device.software,
        "host": platform.node(),
        "started_at": started_at.isoformat(),
        "duration_ms": round((datetime.now(UTC) - started_at).total_seconds() * 1000),
        "results": results,
        "failures": failures,
    }


def slug(device_name: str) -> str:
    """A file's name for a device: `nvidia-h200` for «NVIDIA H200»."""
    return re.sub(r"[^a-z0-9]+", "-", device_name.lower()).strip("-") or "device"


def _run_all(
    parent: ForkParent, device: Device, planned: list[Planned], deadline: float
) -> Iterator[tuple[Planned, Outcome]]:
    for each in planned:
        left = min(RUN_SECONDS, deadline - time.monotonic())
        if left < LEAST_SECONDS:
            yield each, Outcome(failure="not_run", detail="no time was left")
            continue
        yield each, asyncio.run(_run(parent, device, each, left))


async def _run(parent: ForkParent, device: Device, each: Planned, seconds: float) -> Outcome:
    async def ignore(_fraction: float, _message: str) -> None: ...

    limits = Limits(seconds=seconds)
    return await parent.run(each.demo.id, each.params.to_json(), device.device, limits, ignore)


def _describe(each: Planned, outcome: Outcome) -> str:
    given = ", ".join(f"{name}={value}" for name, value in each.params.to_json().items())
    if outcome.result is None:
        return f"{each.demo.id} ({given}): {outcome.failure}: {outcome.detail}"
    return f"{each.demo.id} ({given}): {outcome.result['provenance']['duration_ms']} ms"


def _parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m app.demos.check")
    parser.add_argument("--device", default="auto", help="cuda:1 for another GPU; cpu to try without one")
    parser.add_argument("--output", type=Path, help="the file to write; named after the device if not given")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="for all demos together")
    parser.add_argument(
        "--demo", action="append", choices=list(all_demos()), help="this one; may be repeated"
    )
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
