"""`./rematch gpu-check`: run every demo on this machine's CUDA device and print what it measured."""

import asyncio
import sys

from app.demos.catalog import all_demos
from app.demos.measuring import Device, ForkParent, LabStartError, Limits, Outcome
from app.demos.spec import Demo


def main() -> int:
    """0 when every demo ran, or when there is no CUDA device; 1 when one failed."""
    parent = ForkParent(lab="app.demos.lab", device="auto")
    try:
        device = parent.start()
    except LabStartError as error:
        print(f"The lab cannot start: {error}", file=sys.stderr)
        return 1
    try:
        if device.device_class != "cuda":
            print(f"There is no CUDA device here (only {device.device_name}): nothing was checked.")
            return 0
        print(f"{device.device_name}, {device.software}")
        failed = [demo.id for demo in all_demos().values() if not _check(parent, device, demo)]
    finally:
        parent.close()
    print(f"failed: {', '.join(failed)}" if failed else "every demo ran")
    return 1 if failed else 0


def _check(parent: ForkParent, device: Device, demo: Demo) -> bool:
    """Run `demo` with its default parameters and print its metrics; whether it ran."""
    outcome = asyncio.run(_run(parent, device, demo))
    if outcome.result is None:
        print(f"{demo.id}: {outcome.failure}: {outcome.detail}")
        return False
    print(f"{demo.id}: {outcome.result['provenance']['duration_ms']} ms")
    for name, value in outcome.result["metrics"].items():
        print(f"  {name} = {value}")
    return True


async def _run(parent: ForkParent, device: Device, demo: Demo) -> Outcome:
    async def ignore(_fraction: float, _message: str) -> None: ...

    return await parent.run(demo.id, demo.params().to_json(), device.device, Limits(), ignore)


if __name__ == "__main__":
    sys.exit(main())
