"""`./rematch run`: prepare the data, then run the web server and the demo worker until told to stop."""

import contextlib
import http.client
import logging
import os
import signal
import socket
import sys
import time
from collections.abc import Iterator
from types import FrameType

from sqlalchemy.exc import DBAPIError

from app.banks import loader
from app.core.db import make_engine, wait_for_database, writing
from app.core.migrations import upgrade
from app.core.settings import Settings
from app.demos.engine import prepare_database
from app.demos.imports import MeasurementFileError, load_folder
from app.processes import Child, stop_all

logger = logging.getLogger(__name__)

BACKLOG = 2048
START_SECONDS = 60.0  # a cold disk takes long over the first import; a healthy start takes two or three
WATCH_SECONDS = 0.2
OK = 200


class CannotServeError(Exception):
    """Why the site cannot start, in one sentence for whoever started it."""


def serve(settings: Settings, *, host: str, port: int, has_worker: bool = True) -> int:
    """Serve until SIGINT or SIGTERM. Returns the exit code: 0 after a clean stop, 1 where it cannot start."""
    try:
        with _listening(host, port) as listener:
            _prepare(settings)
            return _run(settings, listener, has_worker=has_worker)
    except CannotServeError as error:
        print(f"rematch: {error}", file=sys.stderr)
        return 1


@contextlib.contextmanager
def _listening(host: str, port: int) -> Iterator[socket.socket]:
    """The socket that the web process serves on; it stays open over a restart, so no request is refused."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listener = socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OverflowError as error:
        raise CannotServeError(
            f"{port} is not a port: choose one between 1 and 65535 with --port."
        ) from error
    except PermissionError as error:
        raise CannotServeError(
            f"port {port} may not be opened by this user: choose one above 1023 with --port."
        ) from error
    except socket.gaierror as error:
        raise CannotServeError(
            f"{host} is not an address of this machine: choose another with --host."
        ) from error
    except OSError as error:
        taken = f"port {port} on {host} is taken ({os.strerror(error.errno or 0)})"
        raise CannotServeError(f"{taken}: stop what uses it, or choose another with --port.") from error
    with listener:
        yield listener


def _prepare(settings: Settings) -> None:
    """Bring both databases up to date, load the quizzes. Raises SourceFaultsError where they have faults."""
    try:
        settings.data.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CannotServeError(
            f"{settings.data} cannot be made ({error.strerror}): choose another with --data."
        ) from error
    sources = loader.read_all(settings.quizzes)
    engine = make_engine(settings.app_database_url)
    try:
        wait_for_database(engine)
        upgrade(settings.app_database_url)
        prepare_database(settings)
        with writing(engine) as session:
            loader.load_all(session, sources)
            load_folder(session, settings.quizzes / "measurements")
    except MeasurementFileError as error:
        raise CannotServeError(str(error)) from error
    except DBAPIError as error:
        raise CannotServeError(f"the database does not answer: {error.orig}") from error
    finally:
        engine.dispose()


def _run(settings: Settings, listener: socket.socket, *, has_worker: bool) -> int:
    environment = {**os.environ, "REMATCH_DATA": str(settings.data)}
    python = sys.executable
    web = Child(
        "web server",
        [python, "-m", "app.web", "--fd", str(listener.fileno())],
        environment=environment,
        pass_fds=[listener.fileno()],
    )
    worker = Child("demo worker", [python, "-m", "app.demos.worker"], environment=environment)
    children = [web, worker] if has_worker else [web]
    stopping = _Stopping()
    try:
        for child in children:
            child.start()
        _wait_until_healthy(web, listener, stopping)
        if not stopping.asked:
            host, port = listener.getsockname()[:2]
            shown = f"[{host}]" if ":" in host else host
            print(f"Rematch is at http://{shown}:{port}/  (stop it with Ctrl-C)", flush=True)
        while not stopping.asked:
            for child in children:
                child.revive()
            time.sleep(WATCH_SECONDS)
    finally:
        stop_all(children)
    return 0


class _Stopping:
    """Whether a signal asked us to stop. A second one changes nothing: the children are already told."""

    def __init__(self) -> None:
        self.asked = False
        for name in (signal.SIGINT, signal.SIGTERM):
            signal.signal(name, self._note)

    def _note(self, _signal: int, _frame: FrameType | None) -> None:
        self.asked = True


def _wait_until_healthy(web: Child, listener: socket.socket, stopping: _Stopping) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not stopping.asked:
        if web.exit_code is not None:
            raise CannotServeError("the web server could not start; its reason stands above.")
        if _answers_healthz(listener):
            return
        if time.monotonic() > deadline:
            raise CannotServeError(f"the web server did not answer within {START_SECONDS:.0f} seconds.")
        time.sleep(WATCH_SECONDS / 4)


def _answers_healthz(listener: socket.socket) -> bool:
    host, port = listener.getsockname()[:2]
    reachable = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - compared, not opened
    connection = http.client.HTTPConnection(reachable, port, timeout=1)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status == OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
