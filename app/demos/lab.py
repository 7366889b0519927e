"""What the fork parent imports: PyTorch and every experiment, and nothing that touches a device.

Another module with the same three functions can take its place (`--lab`), which is how tests measure the
engine without PyTorch.
"""

from typing import Any

import torch

from app.demos.harness import measure
from app.demos.provenance import processor_name
from app.demos.spec import HARNESS_VERSION

__all__ = ["describe", "limit_memory", "measure"]


def describe(device: str) -> dict[str, Any]:
    """The device that `device` ("auto", "cpu", "cuda", "cuda:1") means here, and the software that measures.

    Run in a child: asking CUDA anything would leave a parent whose forks cannot use it.
    """
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    software = f"torch {torch.__version__}, harness {HARNESS_VERSION}"
    if device == "cpu":
        return {
            "device": "cpu",
            "device_class": "cpu",
            "device_name": processor_name(),
            "software": software,
        }
    index = torch.device(device).index or 0
    return {
        "device": f"cuda:{index}",
        "device_class": "cuda",
        "device_name": torch.cuda.get_device_name(index),
        "software": software,
    }


def limit_memory(device: str, fraction: float) -> None:
    """Let this process have `fraction` of a CUDA device's memory; on a CPU the child's rlimit does that."""
    if device.startswith("cuda"):
        torch.cuda.set_per_process_memory_fraction(fraction, torch.device(device))
