"""Fixtures of the engine's tests: a database of each kind, a client, and real worker processes."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from sqlalchemy import Engine, select
from sqlalchemy.orm import Session

from app.core.db import make_engine
from app.core.settings import ROOT, Settings
from app.demos import queries
from app.demos.engine import DemoEngine
from app.demos.runs import RunRequest, RunState
from app.demos.tables import Measurement, Worker
from tests.support.databases import fresh_settings

BEAT_SECONDS = 0.5
SOFTWARE = "fake 1, harness 1"  # what the fake lab says of itself


@dataclass
class Site:
    """A site without a web server: its databases, a client of the engine, and its workers."""

    settings: Settings
    engine: Engine
    runs: DemoEngine
    folder: Path
    workers: list["WorkerProcess"] = field(default_factory=list)

    @property
    def trace(self) -> Path:
        """Where the fake lab leaves a line at each beginning and end of a demo."""
        return self.folder / "trace"

    def enqueue(self, what: str, n: int, **params: int | str) -> str:
        return self.runs.enqueue(request(what, n, **params))

    def start_worker(self, *arguments: str, host: str | None = None) -> "WorkerProcess":
        worker = WorkerProcess(self, arguments, host)
        self.workers.append(worker)
        return worker

    def state(self, run_id: str) -> RunState:
        found = self.runs.find_run(run_id)
        assert found is not None
        return found

    def wait_for(self, run_id: str, status: str, seconds: float = 20.0) -> RunState:
        wait_until(lambda: self.state(run_id).status == status, seconds)
        return self.state(run_id)

    def measurements(self) -> list[Measurement]:
        with Session(self.engine) as session:
            return list(session.scalars(select(Measurement).order_by(Measurement.id)))

    def count_beats(self, host: str) -> float:
        """How many heartbeats a worker of that host has sent after its first."""
        with Session(self.engine) as session:
            worker = session.scalar(select(Worker).where(Worker.host == host))
            if worker is None:
                return 0
            return (worker.heartbeat_at - worker.started_at).total_seconds() / BEAT_SECONDS

    def begun(self, n: int) -> list[int]:
        """The processes that began demo number `n`."""
        if not self.trace.exists():
            return []
        lines = [line.split() for line in self.trace.read_text(encoding="utf-8").splitlines()]
        return [int(pid) for event, pid, number in lines if event == "begin" and int(number) == n]


class WorkerProcess:
    """A worker, as `rematch run` starts one, with the fake lab."""

    def __init__(self, site: Site, arguments: tuple[str, ...], host: str | None) -> None:
        self._site = site
        environment = os.environ | {
            "REMATCH_DATA": str(site.settings.data),
            "DATABASE_URL": site.settings.database_url,
            "FAKE_LAB_TRACE": str(site.trace),
        }
        program = ["-m", "app.demos.worker"]
        if host is not None:  # another machine, as far as anyone can tell
            program = ["-m", "tests.demos.worker_elsewhere", host]
        self.process = subprocess.Popen(
            [
                sys.executable,
                *program,
                "--lab=tests.demos.fake_lab",
                f"--beat-seconds={BEAT_SECONDS}",
                *arguments,
            ],
            cwd=ROOT,
            env=environment,
        )

    def wait_ready(self) -> "WorkerProcess":
        """Return once it has said that it lives; it takes runs a moment later."""
        wait_until(self._has_beaten)
        return self

    def kill(self) -> None:
        """What `kill -9` does, to this worker alone."""
        self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(timeout=20)

    def _has_beaten(self) -> bool:
        assert self.process.poll() is None, "the worker did not start"
        with Session(self._site.engine) as session:
            return bool(queries.list_current_workers(session))


def request(what: str, n: int, **params: int | str) -> RunRequest:
    """A request for one of the fake lab's demos."""
    return RunRequest("fake", {"what": what, "n": n, **params}, f"{what}-{n}", "cpu", SOFTWARE, "somebody")


def wait_until(is_so: Callable[[], bool], seconds: float = 20.0) -> None:
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline, "this did not come about in time"
        time.sleep(0.05)


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


@contextmanager
def open_site(settings: Settings) -> Iterator[Site]:
    engine = make_engine(settings.app_database_url)
    runs = DemoEngine(settings)
    site = Site(settings, engine, runs, settings.data)
    try:
        yield site
    finally:
        for worker in site.workers:
            worker.stop()
        runs.close()
        engine.dispose()


@pytest.fixture
def site(settings: Settings) -> Iterator[Site]:
    """A site with a database of its own, on each kind; the test starts its workers."""
    with open_site(settings) as opened:
        yield opened


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def shared_site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A site for a whole module of tests, on each kind of database."""
    data = tmp_path_factory.mktemp("shared") / "data"
    with fresh_settings(request.param, data, request) as settings, open_site(settings) as opened:
        yield opened


@pytest.fixture(scope="module")
def served_site(shared_site: Site) -> Site:
    """The module's site with one worker; its tests tell their runs apart by number."""
    shared_site.start_worker("--seconds=3", "--memory-mib=400").wait_ready()
    return shared_site
