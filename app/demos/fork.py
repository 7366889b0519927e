"""The import-only parent: imports the lab once, then forks a child for each run.

Importing PyTorch takes seconds and a fork takes a tenth of one, so a run starts warm; and a child can crash,
hang or eat its memory without taking anything with it. The parent itself runs no operator (a fork after one
hung with two threads) and touches no CUDA device (its children could not use it then).

It speaks lines of JSON over the socket whose descriptor it is given, one run at a time:
`{"run": {...}}` and `{"stop": true}` come in; `{"ready": ...}`, `{"progress": [fraction, message]}`,
`{"result": ...}` and `{"failure": code, "detail": text}` go out. When the socket closes, the worker is gone:
the child is killed and the parent ends.

Standard library only, so that what it forks holds nothing but the lab.
"""

import argparse
import contextlib
import ctypes
import gc
import importlib
import json
import math
import os
import resource
import select
import signal
import socket
import sys
import time
import traceback
from pathlib import Path
from typing import Any, NoReturn

PR_SET_PDEATHSIG = 1
REAP_SECONDS = 0.05  # how often a child that says nothing is looked at
PROGRESS_SECONDS = 0.2  # each report is a row in the engine's database
ALARM_GRACE_SECONDS = 5  # after the parent should have killed the child, the child ends itself
DETAIL_LIMIT = 500
READ_BYTES = 1 << 20


def main(arguments: list[str] | None = None) -> int:
    """Serve runs until the worker closes the socket."""
    parser = argparse.ArgumentParser(prog="python -m app.demos.fork")
    parser.add_argument("--fd", type=int, required=True)
    parser.add_argument("--lab", required=True)
    parser.add_argument("--device", required=True)
    options = parser.parse_args(arguments)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the worker decides
    control = socket.socket(fileno=options.fd)
    parent = Parent(control, options.lab)
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # the worker is gone, and so are we
        parent.serve(options.device)
    return 0


class Parent:
    """Holds the imported lab and the socket to the worker."""

    def __init__(self, control: socket.socket, lab: str) -> None:
        self._control = control
        self._lab = importlib.import_module(lab)
        self._unread = b""
        gc.collect()
        gc.freeze()  # children share these pages for longer

    def serve(self, device: str) -> None:
        """Say what the device is, then answer one request after another."""
        self._run_child({"describe": device, "device": "cpu", "seconds": 60})
        while (message := self._read_message()) is not None:
            if "run" in message:  # a late stop, for a run that has just ended, asks for nothing
                self._run_child(message["run"])

    def _read_message(self) -> dict[str, Any] | None:
        while b"\n" not in self._unread:
            received = self._control.recv(65536)
            if not received:
                return None
            self._unread += received
        line, _, self._unread = self._unread.partition(b"\n")
        message: dict[str, Any] = json.loads(line)
        return message

    def _run_child(self, run: dict[str, Any]) -> None:
        """Fork a child for `run`, pass on what it says, and end with exactly one result or failure."""
        kills_before = _count_oom_kills()
        reader, writer = os.pipe()
        parent = os.getpid()
        child = os.fork()
        if child == 0:
            os.close(reader)
            self._control.close()
            _Child(self._lab, run, writer, parent).run()
        os.close(writer)
        try:
            last, killed_as, status = self._follow(child, reader, float(run["seconds"]))
        finally:
            os.close(reader)
        if last is not None:
            self._control.sendall(last)
        elif killed_as:
            self._control.sendall(_encode({"failure": killed_as, "detail": ""}))
        else:
            starved = os.WIFSIGNALED(status) and _count_oom_kills() > kills_before
            code = "out_of_memory" if starved else "failed"
            self._control.sendall(_encode({"failure": code, "detail": _describe(status)}))

    def _follow(self, child: int, reader: int, seconds: float) -> tuple[bytes | None, str, int]:
        """Relay the child's progress until it ends: its last word, why it was killed, its exit status."""
        deadline = time.monotonic() + seconds
        heard = _Heard()
        killed_as = ""
        while True:
            sources = [self._control.fileno()] if heard.is_over else [self._control.fileno(), reader]
            ready, _, _ = select.select(sources, [], [], REAP_SECONDS)
            if reader in ready:
                for line in heard.take(os.read(reader, READ_BYTES)):
                    self._control.sendall(line)
            if not killed_as and (killed_as := self._find_reason_to_kill(ready, deadline)):
                _kill_group(child)
            if reader not in ready:  # all that was written has been read
                ended, status = os.waitpid(child, os.WNOHANG)
                if ended:
                    _kill_group(child)  # whatever it started in turn
                    return heard.last, killed_as, status

    def _find_reason_to_kill(self, ready: list[int], deadline: float) -> str:
        if self._control.fileno() in ready:  # a stop, or the end of the worker: nothing else comes in a run
            return "cancelled"
        return "timed_out" if time.monotonic() > deadline else ""


class _Heard:
    """What a child has said: progress is passed on, the last other line is how it ended."""

    def __init__(self) -> None:
        self.last: bytes | None = None
        self.is_over = False
        self._unfinished = b""

    def take(self, chunk: bytes) -> list[bytes]:
        """Take what was read, nothing at its end; returns the whole lines of progress in it."""
        self.is_over = not chunk
        *lines, self._unfinished = (self._unfinished + chunk).split(b"\n")
        progress = [line + b"\n" for line in lines if line.startswith(b'{"progress"')]
        others = [line + b"\n" for line in lines if not line.startswith(b'{"progress"')]
        self.last = others[-1] if others else self.last
        return progress


class _Child:
    """One run, in a process of its own that ends with it."""

    def __init__(self, lab: Any, run: dict[str, Any], writer: int, parent: int) -> None:
        self._lab = lab
        self._run = run
        self._writer = writer
        self._parent = parent
        self._progress_at = -math.inf

    def run(self) -> NoReturn:
        """Confine this process, do the work, say how it ended, and end."""
        try:
            self._confine()
            last = _encode(self._work())
        except BaseException as error:  # noqa: BLE001 - reported to the worker; the process ends here
            _lift_memory_limit()
            traceback.print_exc()
            detail = f"{type(error).__name__}: {error}"[:DETAIL_LIMIT]
            code = "out_of_memory" if _is_out_of_memory(error) else "failed"
            last = _encode({"failure": code, "detail": detail})
        self._write(last)
        sys.stderr.flush()
        os._exit(0)  # no destructor of a device runtime may turn a result into a crash

    def _confine(self) -> None:
        os.setsid()  # a group of its own: killed whole, and out of the terminal's reach
        _die_with(self._parent)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.alarm(math.ceil(self._run["seconds"]) + ALARM_GRACE_SECONDS)
        with Path(os.devnull).open("rb") as nothing:
            os.dup2(nothing.fileno(), 0)
        os.dup2(2, 1)  # what a demo prints is for the log
        os.nice(int(self._run.get("niceness", 0)))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        memory_bytes = self._run.get("memory_bytes")
        if memory_bytes and self._run["device"] == "cpu":
            resource.setrlimit(resource.RLIMIT_DATA, (memory_bytes, resource.RLIM_INFINITY))

    def _work(self) -> dict[str, Any]:
        run = self._run
        if "describe" in run:
            return {"ready": self._lab.describe(run["describe"])}
        self._lab.limit_memory(run["device"], run["memory_fraction"])
        return {
            "result": self._lab.measure(
                run["demo"], run["params"], device=run["device"], progress=self._report
            )
        }

    def _report(self, fraction: float, message: str) -> None:
        if time.monotonic() - self._progress_at < PROGRESS_SECONDS:
            return
        self._progress_at = time.monotonic()
        self._write(_encode({"progress": [min(max(float(fraction), 0.0), 1.0), message]}))

    def _write(self, unsent: bytes) -> None:
        while unsent:
            unsent = unsent[os.write(self._writer, unsent) :]


def _encode(message: dict[str, Any]) -> bytes:
    return json.dumps(message, allow_nan=False).encode() + b"\n"


def _die_with(parent: int) -> None:
    """Have the kernel kill this process when its parent dies."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it died before the kernel was told
        os._exit(1)


def _kill_group(child: int) -> None:
    for kill in (os.killpg, os.kill):  # the child may not have made its group yet
        with contextlib.suppress(ProcessLookupError, PermissionError):
            kill(child, signal.SIGKILL)


def _lift_memory_limit() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (hard, hard))


def _is_out_of_memory(error: BaseException) -> bool:
    # PyTorch's CPU allocator raises a plain RuntimeError; its CUDA one a class of its own.
    return (
        isinstance(error, MemoryError)
        or type(error).__name__ == "OutOfMemoryError"
        or "allocate memory" in str(error)
    )


def _count_oom_kills() -> int:
    """Kills by the kernel for want of memory, in this control group or else on this machine."""
    for path in ("/sys/fs/cgroup/memory.events", "/proc/vmstat"):
        with contextlib.suppress(OSError), Path(path).open(encoding="ascii") as lines:
            for line in lines:
                name, _, count = line.partition(" ")
                if name == "oom_kill":
                    return int(count)
    return 0


def _describe(status: int) -> str:
    if os.WIFSIGNALED(status):
        return f"ended by {signal.Signals(os.WTERMSIG(status)).name}"
    return f"exited with {os.WEXITSTATUS(status)} without a result"


if __name__ == "__main__":
    sys.exit(main())
