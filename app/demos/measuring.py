"""The worker's side of the import-only parent: start it, hand it one run at a time, kill what must end."""

import asyncio
import json
import os
import socket
import subprocess
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

READY_SECONDS = 120.0  # importing PyTorch from a cold disk
STOP_SECONDS = 5.0  # killing a child takes a tenth of one
HEARTBEAT_SECONDS = 0.5  # progress is repeated at least so often: see `ForkParent.run`
LINE_LIMIT_BYTES = 64 * 1024 * 1024

Report = Callable[[float, str], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Device:
    """What the parent measures on."""

    device: str  # "cpu", "cuda:0"
    device_class: str  # "cpu", "cuda"
    device_name: str
    software: str


@dataclass(frozen=True, slots=True)
class Limits:
    """What one run may take."""

    seconds: float = 120.0
    memory_bytes: int = 4 * 1024**3  # of data, on a CPU
    memory_fraction: float = 0.8  # of a CUDA device
    niceness: int = 5  # answers come first


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended: its result, or the code of a failure with a detail for the log."""

    result: dict[str, Any] | None = None
    failure: str | None = None
    detail: str = ""


class LabStartError(RuntimeError):
    """The parent did not come up: the lab cannot be imported, or there is no such device."""


class ForkParent:
    """A process that has imported the lab, and the socket to it.

    `start` blocks, so that a worker knows its device before it does anything else; `run` is async, one at a
    time, from whichever event loop calls it. A parent that died is started again at the next run.
    """

    def __init__(self, *, lab: str, device: str, threads: int = 1) -> None:
        self._lab = lab
        self._wanted = device
        self._threads = threads
        self._lock = asyncio.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._socket: socket.socket | None = None

    def start(self) -> Device:
        """Start the parent and return its device; raise LabStartError where it does not come up."""
        self.close()
        ours, theirs = socket.socketpair()
        command = [sys.executable, "-m", "app.demos.fork", f"--fd={theirs.fileno()}", f"--lab={self._lab}"]
        threads = str(self._threads)  # fixed before the import: a pool that started has its size
        environment = os.environ | {"OMP_NUM_THREADS": threads, "MKL_NUM_THREADS": threads}
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 - our own module
                [*command, f"--device={self._wanted}"],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                env=environment,
            )
        self._socket = ours
        ours.settimeout(READY_SECONDS)
        try:
            with ours.makefile("rb") as lines:
                line = lines.readline()
        except TimeoutError:
            line = b""
        answer: dict[str, Any] = json.loads(line) if line else {"detail": "the lab did not start"}
        if "ready" not in answer:
            self.close()
            raise LabStartError(answer["detail"])
        return Device(**answer["ready"])

    async def run(
        self, demo: str, params: dict[str, Any], device: str, limits: Limits, report: Report
    ) -> Outcome:
        """Measure in a child and return how it ended; `report` gets its progress, at least twice a second.

        `report` may raise (the engine does, when this worker has lost the run), and the task may be
        cancelled: either way the child is killed before this returns.
        """
        async with self._lock:
            if self._process is None or self._process.poll() is not None:
                await asyncio.to_thread(self.start)
            assert self._socket is not None  # noqa: S101 - `start` has set it
            request = {
                "demo": demo,
                "params": params,
                "device": device,
                "seconds": limits.seconds,
                "memory_bytes": limits.memory_bytes,
                "memory_fraction": limits.memory_fraction,
                "niceness": limits.niceness,
            }
            reader, writer = await asyncio.open_connection(sock=self._socket.dup(), limit=LINE_LIMIT_BYTES)
            has_ended = False
            try:
                writer.write(json.dumps({"run": request}).encode() + b"\n")
                outcome = await self._follow(reader, report)
                has_ended = True
                return outcome
            finally:
                if not has_ended:
                    await self._stop(reader, writer)
                writer.close()

    async def _follow(self, reader: asyncio.StreamReader, report: Report) -> Outcome:
        fraction, message = 0.0, ""
        while True:
            try:
                line = await asyncio.wait_for(reader.readline(), HEARTBEAT_SECONDS)
            except TimeoutError:
                pass  # nothing new: what was said last is said again below
            except ConnectionError as error:
                return Outcome(failure="failed", detail=f"the lab's process ended: {error}")
            else:
                if not line:
                    return Outcome(failure="failed", detail="the lab's process ended")
                answer = json.loads(line)
                if "progress" not in answer:
                    return Outcome(answer.get("result"), answer.get("failure"), answer.get("detail", ""))
                fraction, message = answer["progress"]
            await report(fraction, message)

    async def _stop(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Have the child killed and read on to its last word; a parent that does not answer is killed too."""
        try:
            writer.write(b'{"stop": true}\n')
            async with asyncio.timeout(STOP_SECONDS):
                while (line := await reader.readline()) and line.startswith(b'{"progress"'):
                    pass
        except (TimeoutError, ConnectionError):
            self.close()

    def close(self) -> None:
        """End the parent and with it any child; nothing is left when this returns."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
