"""What a worker does beside measuring."""

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session

from app.core.db import now, writing
from app.core.ratelimit import Allowance, RateLimit, take
from app.core.settings import ROOT, Settings
from app.demos import queries
from app.demos.runs import RunRequest
from tests.demos.conftest import Site, is_running, open_site, request, wait_until

LONG_AGO = timedelta(days=8)


@pytest.fixture
def sqlite_site(sqlite_settings: Settings) -> Iterator[Site]:
    with open_site(sqlite_settings) as opened:
        yield opened


def age(site: Site, run_id: str) -> None:
    """Make a run look as if it were of last week."""
    milliseconds = int((now() - LONG_AGO).timestamp() * 1000)
    statement = (
        "UPDATE workflow_status SET created_at = :then, completed_at = :then WHERE workflow_uuid = :id"
    )
    with site.runs._client._sys_db.engine.begin() as connection:
        connection.execute(text(statement), {"then": milliseconds, "id": run_id})


def test_it_never_imports_pytorch() -> None:
    program = "import sys, app.demos.worker; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False, cwd=ROOT).returncode == 0


def test_it_measures_with_the_real_lab(sqlite_site: Site) -> None:
    sqlite_site.start_worker("--lab=app.demos.lab", "--device=cpu")
    run_id = sqlite_site.runs.enqueue(RunRequest("replay", {}, "hash", "cpu", "torch"))
    sqlite_site.wait_for(run_id, "done", seconds=60)
    [measurement] = sqlite_site.measurements()
    assert measurement.software.startswith("torch ")
    assert measurement.result["metrics"]["checkpointed.batches_tracked"] == 2
    assert measurement.result["provenance"]["device_name"] == measurement.device_name


class TestStopping:
    def test_it_leaves_its_run_to_the_next_worker(self, sqlite_site: Site) -> None:
        site = sqlite_site
        worker = site.start_worker()
        run_id = site.enqueue("hang_once", 1)
        wait_until(lambda: bool(site.begun(1)))
        worker.process.terminate()
        assert worker.process.wait(timeout=10) == 0
        assert not is_running(site.begun(1)[0])
        assert site.state(run_id).status == "running"
        site.start_worker()
        site.wait_for(run_id, "done")


class TestHousekeeping:
    def test_old_runs_and_whole_allowances_are_forgotten(self, sqlite_site: Site) -> None:
        site = sqlite_site
        finished, recent = (site.enqueue("sleep", n, ms=1) for n in (1, 2))
        stranded = site.runs.enqueue(replace(request("sleep", 3), device_class="cuda"))
        worker = site.start_worker()
        site.wait_for(recent, "done")
        worker.stop()
        for run_id in (finished, stranded):
            age(site, run_id)
        with writing(site.engine) as session:
            take(session, "somebody", Allowance(1, timedelta(hours=1)), at=now() - timedelta(hours=2))

        site.start_worker()
        wait_until(lambda: site.runs.find_run(finished) is None)
        wait_until(lambda: site.state(stranded).status == "cancelled")
        assert site.state(recent).status == "done"
        with Session(site.engine) as session:
            wait_until(lambda: session.query(RateLimit).count() == 0)
        assert len(site.measurements()) == 2  # what was measured stays

    def test_it_is_known_as_alive_while_it_runs(self, sqlite_site: Site) -> None:
        site = sqlite_site
        site.start_worker().wait_ready()
        with Session(site.engine) as session:
            [worker] = queries.list_current_workers(session)
            assert queries.is_alive(worker)
            assert (worker.device_class, worker.device_name) == ("cpu", "fake processor")
