"""A lab without PyTorch: demos that sleep, raise, eat memory or kill themselves, to test the engine."""

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Progress = Callable[[float, str], None]
STEP_SECONDS = 0.02


def describe(device: str) -> dict[str, Any]:
    return {
        "device": "cpu" if device == "auto" else device,
        "device_class": device.partition(":")[0] if device != "auto" else "cpu",
        "device_name": "fake processor",
        "software": "fake 1, harness 1",
    }


def limit_memory(device: str, fraction: float) -> None:
    """The parent's rlimit is enough here."""


def measure(demo_id: str, params: dict[str, Any], *, device: str, progress: Progress) -> dict[str, Any]:
    """Do what `params["what"]` says; leave a line in the trace file for each beginning and end.

    The web process accepts real demos only: of those, one with nine layers fails and the others sleep.
    """
    if "what" not in params:
        params = {
            "what": "raise" if params["depth"] == 9 else "sleep",
            "n": params["depth"],
            "ms": 400,
        } | params
    _trace("begin", params)
    answer = DEEDS[params["what"]](params, progress) or 42
    _trace("end", params)
    return {
        "demo": demo_id,
        "params": params,
        "metrics": {"answer": answer},
        "provenance": {"device": device},
    }


def _trace(event: str, params: dict[str, Any]) -> None:
    if path := os.environ.get("FAKE_LAB_TRACE"):
        with Path(path).open("a", encoding="utf-8") as lines:
            lines.write(f"{event} {os.getpid()} {params['n']}\n")


def _sleep(params: dict[str, Any], progress: Progress) -> None:
    milliseconds = params["ms"]
    started = time.monotonic()
    while (done := (time.monotonic() - started) * 1000) < milliseconds:
        progress(done / milliseconds, "Measuring")
        time.sleep(STEP_SECONDS)
    progress(1.0, "Finishing")


def _raise(params: dict[str, Any], progress: Progress) -> None:
    progress(0.5, "About to fail")
    raise ValueError(f"no luck with {params['n']}")


def _eat(params: dict[str, Any], progress: Progress) -> None:  # noqa: ARG001 - one signature for all
    eaten = []
    while True:
        eaten.append(bytearray(1024**3))  # refused before a page of it is touched


def _die(params: dict[str, Any], progress: Progress) -> None:  # noqa: ARG001
    os.kill(os.getpid(), signal.SIGSEGV)


def _hang(params: dict[str, Any], progress: Progress) -> None:  # noqa: ARG001
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM, signal.SIGALRM])
    while True:
        time.sleep(60)


def _hang_once(params: dict[str, Any], progress: Progress) -> None:
    trace = Path(os.environ["FAKE_LAB_TRACE"]).read_text(encoding="utf-8").splitlines()
    if sum(line.endswith(f" {params['n']}") for line in trace) == 1:
        _hang(params, progress)


def _not_a_number(params: dict[str, Any], progress: Progress) -> float:  # noqa: ARG001
    return float("nan")


DEEDS = {
    "sleep": _sleep,
    "raise": _raise,
    "eat": _eat,
    "die": _die,
    "hang": _hang,
    "hang_once": _hang_once,
    "nan": _not_a_number,
}
