"""Workers of a live site that has none of its own: heard of, silent, or really measuring."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest
from sqlalchemy import delete
from sqlalchemy.orm import Session

from app.core.db import make_engine, now, writing
from app.core.settings import ROOT, Settings
from app.demos import queries
from app.demos.tables import Worker
from tests.support.site import LiveSite

START_SECONDS = 100  # with PyTorch, on a busy machine
STOP_SECONDS = 20


@pytest.fixture(scope="session")
def measuring_site(live_site: LiveSite) -> LiveSite:
    """The live site, once its worker answers: that takes some seconds longer than the pages."""
    engine = make_engine(Settings(data=live_site.data, DATABASE_URL="").app_database_url)
    deadline = time.monotonic() + START_SECONDS
    with Session(engine) as session:
        while not queries.list_current_workers(session):
            assert time.monotonic() < deadline, "the worker did not start"
            session.rollback()
            time.sleep(0.1)
    engine.dispose()
    return live_site


@contextmanager
def heard_of(site: LiveSite, *, ago: timedelta) -> Iterator[None]:
    """A worker that takes no run, last heard of so long ago: one hour hence, it answers all the while."""
    engine = make_engine(Settings(data=site.data, DATABASE_URL="").app_database_url)
    row = Worker(
        executor_id="elsewhere-cpu",
        device_class="cpu",
        device_name="A processor elsewhere",
        software="none, harness 0",
        host="elsewhere",
        started_at=now() - ago,
        heartbeat_at=now() - ago,
    )
    with writing(engine) as session:
        session.add(row)
    try:
        yield
    finally:
        with writing(engine) as session:
            session.execute(delete(Worker))
        engine.dispose()


@contextmanager
def measuring(site: LiveSite) -> Iterator[None]:
    """A worker process with the real lab, until the journey is over."""
    worker = subprocess.Popen(
        [sys.executable, "-m", "app.demos.worker"],
        cwd=ROOT,
        env=os.environ | {"REMATCH_DATA": str(site.data), "DATABASE_URL": ""},
        stderr=subprocess.DEVNULL,
    )
    try:
        yield
    finally:
        worker.terminate()
        worker.wait(STOP_SECONDS)
