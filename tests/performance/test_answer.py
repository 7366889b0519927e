"""Answering, over a bare server that stores one row and sends the same bytes."""

from pathlib import Path

import pytest

from tests.performance.client import drive
from tests.performance.conftest import load_quizzes
from tests.performance.figures import Comparison, Table, compare
from tests.performance.learners import SLUG, read_options, start_learners
from tests.performance.servers import Server, environment_of, serve
from tests.support.databases import fresh_settings

pytestmark = [pytest.mark.performance, pytest.mark.timeout(600)]

QUESTIONS = 8
LEARNERS = 50  # in one round: 400 answers
CONNECTIONS = 32


class Answering:
    """One round after another of new learners who answer every question."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._options = read_options(server.port, start_learners(server.port, 1)[0], QUESTIONS)

    def sample(self) -> bytes:
        """What an answer sends back."""
        learner = start_learners(self._server.port, 1)[0]
        return drive(self._server.port, [learner.answer(1, self._options[0])], connections=1)[0].body

    def round(self) -> float:
        """CPU seconds of an answer."""
        learners = start_learners(self._server.port, LEARNERS)
        requests = [
            learner.answer(number, option)
            for number, option in enumerate(self._options, 1)
            for learner in learners
        ]
        return measure(self._server, requests)


def measure(server: Server, requests: list[bytes]) -> float:
    """CPU seconds of one of these requests."""
    before = server.cpu_seconds()
    drive(server.port, requests, connections=CONNECTIONS)
    return (server.cpu_seconds() - before) / len(requests)


def compare_answers(server: Server, folder: Path, database: str, postgres: int | None) -> Comparison:
    """The site's answers against a bare server's on the same kind of database."""
    answering = Answering(server)
    body = folder / "answer"
    body.write_bytes(answering.sample())
    learner = start_learners(server.port, 1)[0]
    requests = [learner.answer(1, "recompute")] * (QUESTIONS * LEARNERS)
    with serve(
        "tests.performance.bare", "answer", str(body), database, environment={}, database=postgres
    ) as bare:
        return compare(lambda: measure(bare, requests), answering.round)


def test_an_answer_on_sqlite(sqlite_server: Server, folder: Path, table: Table) -> None:
    seen = compare_answers(sqlite_server, folder, str(folder / "bare.sqlite3"), None)
    table.note("answer, SQLite: CPU bare / here", f"{seen.bare_us:,.0f} / {seen.real_us:,.0f} µs")
    table.at_least("answer, SQLite: bare group commit / here", seen.ratio, 1 / 4)


def test_an_answer_on_postgresql(
    request: pytest.FixtureRequest, durable_postgresql: int, folder: Path, table: Table
) -> None:
    with fresh_settings("postgresql", folder / "data", request) as settings:
        load_quizzes(settings)
        with serve("app.web", environment=environment_of(settings), database=durable_postgresql) as server:
            seen = compare_answers(server, folder, settings.database_url, durable_postgresql)
    table.note("answer, PostgreSQL: CPU bare / here", f"{seen.bare_us:,.0f} / {seen.real_us:,.0f} µs")
    table.at_least("answer, PostgreSQL: bare single insert / here", seen.ratio, 1 / 3)


def test_an_answer_weighs_little(sqlite_server: Server, table: Table) -> None:
    learners = start_learners(sqlite_server.port, 3)
    options = read_options(sqlite_server.port, learners[0], QUESTIONS)
    answers = drive(
        sqlite_server.port,
        [each.answer(n, option) for each in learners for n, option in enumerate(options, 1)],
        connections=1,
    )
    heaviest = max(len(answer.head) + 4 + len(answer.body) for answer in answers)
    table.at_most(f"the heaviest answer in {SLUG}, three languages, on the wire", heaviest, 4096, unit=" B")
