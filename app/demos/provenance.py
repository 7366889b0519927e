"""Where a number comes from: the device, its software, and how it was set."""

import os
import platform
import re
from datetime import datetime
from pathlib import Path
from typing import Any

import torch

from app.demos.spec import HARNESS_VERSION
from app.demos.timing import REPEATS, WARMUPS

SEED = 0
THREADS = 1  # on a shared host a second thread waits for the first more than it helps
OTHERS_BYTES = 1 << 30  # more than a context of our own takes: somebody else is on the device
OTHERS_LOAD = 1.0  # one other process, on average, wants to run


def describe_run(
    device: torch.device, dtype: str, *, started_at: datetime, duration_ms: int
) -> dict[str, Any]:
    """The provenance of a run on `device`; what has no meaning there is None."""
    is_cuda = device.type == "cuda"
    return {
        "device_class": device.type,
        "device_name": torch.cuda.get_device_name(device) if is_cuda else processor_name(),
        "capability": "{}.{}".format(*torch.cuda.get_device_capability(device)) if is_cuda else None,
        "driver": _driver_version() if is_cuda else None,
        "torch": torch.__version__,
        "cuda": torch.version.cuda if is_cuda else None,
        "dtype": dtype,
        "tf32": torch.get_float32_matmul_precision() != "highest" if is_cuda else None,
        "sdpa": "math",  # `measure` allows no other: the one backend whose work is counted everywhere
        "threads": torch.get_num_threads(),
        "seed": SEED,
        "harness_version": HARNESS_VERSION,
        "host": platform.node(),
        "python": platform.python_version(),
        "started_at": started_at.isoformat(),
        "duration_ms": duration_ms,
        "warmups": WARMUPS,
        "repeats": REPEATS,
    }


def is_shared(device: torch.device) -> bool:
    """Whether others seem to use the device; ask before the run, which would be seen itself."""
    if device.type == "cuda":
        free, total = torch.cuda.mem_get_info(device)
        return total - free - torch.cuda.memory_reserved(device) > OTHERS_BYTES
    return os.getloadavg()[0] > OTHERS_LOAD


def processor_name() -> str:
    """The processor's name as the kernel gives it, else its architecture."""
    cpuinfo = Path("/proc/cpuinfo")
    text = cpuinfo.read_text(encoding="ascii", errors="replace") if cpuinfo.exists() else ""
    match = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    return match[1].strip() if match else platform.processor() or platform.machine()


def _driver_version() -> str | None:
    """The NVIDIA kernel module's version; PyTorch has no public name for it."""
    path = Path("/proc/driver/nvidia/version")
    text = path.read_text(encoding="ascii", errors="replace") if path.exists() else ""
    match = re.search(r"\s(\d+\.\d+(?:\.\d+)?)\s", text)
    return match[1] if match else None
