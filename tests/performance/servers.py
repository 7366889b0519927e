"""Web servers to compare: the real one and bare ones, each a process on a port of its own."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from app.core.settings import ROOT, Settings
from tests.performance.client import HOST
from tests.performance.figures import cpu_seconds

BACKLOG = 2048
START_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Server:
    """A server's port and the processes whose CPU counts as its own."""

    port: int
    roots: tuple[int, ...]

    def cpu_seconds(self) -> float:
        """CPU time used so far, the database's included."""
        return sum(map(cpu_seconds, self.roots))


@contextmanager
def serve(
    module: str, *arguments: str, environment: Mapping[str, str], database: int | None = None
) -> Iterator[Server]:
    """Run `python -m module --fd …` until the block ends; `database` is a database server's process."""
    with socket.create_server((HOST, 0), backlog=BACKLOG) as listener:
        process = subprocess.Popen(
            [sys.executable, "-m", module, "--fd", str(listener.fileno()), *arguments],
            cwd=ROOT,
            env=os.environ | environment,
            pass_fds=[listener.fileno()],
        )
        port = listener.getsockname()[1]
        try:
            _wait_until_it_answers(port, process)
            yield Server(port, (process.pid,) if database is None else (process.pid, database))
        finally:
            process.terminate()
            process.wait(20)


def environment_of(settings: Settings) -> dict[str, str]:
    """What a process of the site must be told to use these settings."""
    return {
        "REMATCH_DATA": str(settings.data),
        "REMATCH_SECRET_KEY": settings.secret_key,
        "DATABASE_URL": settings.database_url,
    }


def _wait_until_it_answers(port: int, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        assert process.poll() is None, "the server did not start: its reason stands above"
        try:
            with socket.create_connection((HOST, port), timeout=1) as connection:
                connection.sendall(f"GET /healthz HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode())
                if b" 200 " in connection.recv(4096):
                    return
        except TimeoutError:
            continue
    raise AssertionError("the server did not answer")
