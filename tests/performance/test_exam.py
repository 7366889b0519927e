"""A class that starts an exam: how long each answer takes, and that none is lost."""

import json
import os
import subprocess
import sys

import pytest
from sqlalchemy import func, select

from app.attempts.models import Response
from app.core.db import make_engine
from app.core.settings import ROOT, Settings
from tests.core.samples import RESULT
from tests.performance.exam import GIVE_UP_SECONDS, QUESTIONS, Outcome
from tests.performance.figures import Table
from tests.performance.measured import store_measurement
from tests.performance.servers import Server

pytestmark = [pytest.mark.performance, pytest.mark.timeout(300)]


def run_exam(server: Server, learners: int, *options: str) -> Outcome:
    """Let another process send the learners."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.performance.exam", str(server.port), str(learners), *options],
        cwd=ROOT,
        env=os.environ,
        stdout=subprocess.PIPE,
        timeout=GIVE_UP_SECONDS + 30,
        check=True,
    )
    return Outcome(**json.loads(done.stdout))


def count_responses(settings: Settings) -> int:
    """How many answers the database holds."""
    engine = make_engine(settings.app_database_url)
    with engine.connect() as connection:
        found = connection.scalar(select(func.count()).select_from(Response))
    engine.dispose()
    return found or 0


@pytest.mark.parametrize(("learners", "most_ms"), [(500, 50), (1000, 100)])
def test_an_exam_starts(
    sqlite_server: Server, sqlite_site: Settings, table: Table, learners: int, most_ms: float
) -> None:
    before = sqlite_server.cpu_seconds()
    seen = run_exam(sqlite_server, learners)
    busy = (sqlite_server.cpu_seconds() - before) / seen.seconds
    median_ms, p99_ms = seen.answers()
    name = f"exam start, {learners:,} learners, SQLite"
    table.note(f"{name}: answer p50; of a core", f"{median_ms:.1f} ms; {busy:.0%}")
    table.at_most(f"{name}: failed requests", len(seen.errors), 0)
    table.at_most(f"{name}: answers not stored", learners * QUESTIONS - count_responses(sqlite_site), 0)
    table.at_most(f"{name}: answer p99", p99_ms, most_ms, unit=" ms")


def test_an_exam_of_browsers_that_fetch_evidence(
    sqlite_server: Server, sqlite_site: Settings, table: Table
) -> None:
    """A third request an answer, which draws the panel: noted, without a target yet."""
    store_measurement(sqlite_site, RESULT)
    seen = run_exam(sqlite_server, 200, "--evidence")
    median_ms, p99_ms = seen.answers()
    table.note(
        "exam start, 200 learners with evidence: answer p50 / p99", f"{median_ms:.1f} / {p99_ms:.1f} ms"
    )
    table.at_most("exam start, 200 learners with evidence: failed requests", len(seen.errors), 0)
