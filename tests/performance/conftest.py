"""What the bench needs: sites with the real quizzes, bare servers, and the table at the end."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from app.banks import loader
from app.core.db import make_engine, writing
from app.core.settings import ROOT, Settings
from tests.performance.figures import Table
from tests.performance.servers import Server, environment_of, serve
from tests.support.databases import PostgresServer

TABLE = pytest.StashKey[Table]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[TABLE] = Table()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Without `-m performance` nothing here runs: times have no place among tests."""
    if "performance" in config.getoption("markexpr"):
        return
    benches = [item for item in items if item.get_closest_marker("performance")]
    items[:] = [item for item in items if item not in benches]
    config.hook.pytest_deselected(items=benches)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    table = config.stash[TABLE]
    if table.rows:
        terminalreporter.section("bench")
        for line in table.lines():
            terminalreporter.write_line(line)


@pytest.fixture(scope="session")
def table(request: pytest.FixtureRequest) -> Table:
    """Where figures are noted and held against their targets."""
    return request.config.stash[TABLE]


def load_quizzes(settings: Settings) -> Settings:
    """Load the site's own quizzes into the database of these settings."""
    engine = make_engine(settings.app_database_url)
    with writing(engine) as session:
        loader.load_all(session, loader.read_all(ROOT / "quizzes"))
    engine.dispose()
    return settings


@pytest.fixture
def sqlite_site(sqlite_settings: Settings) -> Settings:
    """Settings of a site on SQLite with the real quizzes."""
    return load_quizzes(sqlite_settings)


@pytest.fixture
def sqlite_server(sqlite_site: Settings) -> Iterator[Server]:
    """The real web process on SQLite, no worker beside it."""
    with serve("app.web", environment=environment_of(sqlite_site)) as server:
        yield server


@pytest.fixture
def durable_postgresql(postgresql_server: PostgresServer) -> int:
    """The process of a PostgreSQL server that waits for its disk, as one in use does."""
    with psycopg.connect(postgresql_server.url(), autocommit=True) as connection:
        connection.execute("ALTER SYSTEM SET fsync = on")
        connection.execute("SELECT pg_reload_conf()")
    pid: int = postgresql_server._server.get_pid()
    return pid


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder for the bare servers."""
    with tempfile.TemporaryDirectory(prefix="rematch-bench-") as path:
        yield Path(path)
