"""Child processes that are kept alive: started, watched, started again when they die, stopped together."""

import contextlib
import ctypes
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from functools import partial

logger = logging.getLogger(__name__)

FIRST_PAUSE_SECONDS = 1.0
LONGEST_PAUSE_SECONDS = 30.0
STEADY_SECONDS = (
    60.0  # a child that lived this long is well: its next death pauses for the shortest time again
)
STOP_SECONDS = 10.0  # then the child is killed
PR_SET_PDEATHSIG = 1


class Child:
    """One command that should always run."""

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        *,
        environment: Mapping[str, str],
        pass_fds: Sequence[int] = (),
    ) -> None:
        self.name = name
        self._command = list(command)
        self._environment = dict(environment)
        self._pass_fds = tuple(pass_fds)
        self._process: subprocess.Popen[bytes] | None = None
        self._started_at = 0.0
        self._pause = FIRST_PAUSE_SECONDS
        self._restart_at: float | None = None

    @property
    def pid(self) -> int | None:
        """The process's id; None before the first start."""
        return self._process.pid if self._process else None

    @property
    def exit_code(self) -> int | None:
        """How the process ended, negative for a signal; None while it runs."""
        return self._process.poll() if self._process else None

    def start(self) -> None:
        """Start it in a session of its own: Ctrl-C reaches the parent only, which stops all in order."""
        self._started_at = time.monotonic()
        self._restart_at = None
        self._process = subprocess.Popen(  # noqa: S603 - the command is the site's own
            self._command,
            env=self._environment,
            pass_fds=self._pass_fds,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=partial(_die_with, os.getpid()) if sys.platform == "linux" else None,  # noqa: PLW1509 - one system call
        )

    def revive(self) -> None:
        """Start it again if it died, after a pause that doubles while it keeps dying. To be called often."""
        if self.exit_code is None:
            return
        now = time.monotonic()
        if self._restart_at is None:
            if now - self._started_at > STEADY_SECONDS:
                self._pause = FIRST_PAUSE_SECONDS
            self._restart_at = now + self._pause
            logger.error(
                "the %s ended with code %s; it starts again in %.0f s", self.name, self.exit_code, self._pause
            )
            self._pause = min(2 * self._pause, LONGEST_PAUSE_SECONDS)
        elif now >= self._restart_at:
            self.start()

    def ask_to_stop(self) -> None:
        """Send SIGTERM, if it runs."""
        if self._process and self._process.poll() is None:
            self._process.terminate()

    def wait_stopped(self, deadline: float) -> None:
        """Wait until `deadline` (monotonic), then kill."""
        if self._process is None:
            return
        try:
            self._process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            logger.warning("the %s did not stop in time and is killed", self.name)
            self._process.kill()
            self._process.wait()


def stop_all(children: Sequence[Child]) -> None:
    """Stop every child; those that do not obey within STOP_SECONDS are killed."""
    deadline = time.monotonic() + STOP_SECONDS
    for child in children:
        child.ask_to_stop()
    for child in children:
        child.wait_stopped(deadline)


def _die_with(parent_pid: int) -> None:
    # A parent that is killed with -9 runs no clean-up: the kernel then tells the child to go.
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent_pid:  # it was gone before the kernel was asked
        os.kill(os.getpid(), signal.SIGTERM)
