"""Which executors are alive, and taking over the runs of one that is not.

A worker holds a lock on its executor id for as long as it lives: a session's advisory lock on PostgreSQL, a
locked file beside the database on SQLite. Whoever can take another executor's lock knows that it is dead.
"""

import contextlib
import fcntl
import hashlib
import logging
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import psycopg
from dbos import DBOS
from sqlalchemy import make_url

from app.core.settings import Settings

logger = logging.getLogger(__name__)

# The server must notice a host that vanished without a word.
SERVER_KEEPALIVE = "-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3"


class ExecutorLocks(Protocol):
    """Locks on executor ids that end with the process that holds them."""

    def hold(self, executor_id: str) -> bool:
        """Take our own lock, or see that it is still ours; False while another has it."""

    def borrow(self, executor_id: str) -> contextlib.AbstractContextManager[bool]:
        """Try to take the lock of another executor for a moment; yields whether that worked."""

    def close(self) -> None:
        """Give up what is held."""


class FileLocks:
    """Locked files: every worker of a SQLite deployment runs on the host of the database."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._held: dict[str, int] = {}

    def hold(self, executor_id: str) -> bool:
        """Take our own lock; it is kept until `close` or the end of the process."""
        if executor_id not in self._held:
            descriptor = self._lock(executor_id)
            if descriptor is None:
                return False
            self._held[executor_id] = descriptor
        return True

    @contextlib.contextmanager
    def borrow(self, executor_id: str) -> Iterator[bool]:
        """Hold another's lock for as long as the block runs."""
        descriptor = self._lock(executor_id)
        try:
            yield descriptor is not None
        finally:
            if descriptor is not None:
                os.close(descriptor)

    def close(self) -> None:
        """Close the files, which unlocks them."""
        for descriptor in self._held.values():
            os.close(descriptor)
        self._held.clear()

    def _lock(self, executor_id: str) -> int | None:
        # Not inherited by the lab's process: the lock must end with this one.
        descriptor = os.open(
            self._folder / f"{executor_id}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600
        )
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return None
        return descriptor


class PostgresLocks:
    """Advisory locks of one session, which the server ends when the host is gone."""

    def __init__(self, url: str) -> None:
        self._conninfo = make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
        self._connection: psycopg.Connection | None = None
        self._held: set[str] = set()

    def hold(self, executor_id: str) -> bool:
        """Take our own lock, again when the server or the way to it was away."""
        try:
            if executor_id in self._held and self._session().execute("SELECT 1").fetchone():
                return True
            if self._try_lock(executor_id):
                self._held.add(executor_id)
                return True
        except psycopg.OperationalError:
            logger.warning("lost the session that holds the lock of %s", executor_id)
            self.close()
        return False

    @contextlib.contextmanager
    def borrow(self, executor_id: str) -> Iterator[bool]:
        """Hold another's lock for as long as the block runs."""
        is_ours = self._try_lock(executor_id)
        try:
            yield is_ours
        finally:
            if is_ours:
                self._session().execute("SELECT pg_advisory_unlock(%s)", [_key(executor_id)])

    def close(self) -> None:
        """End the session, and with it its locks."""
        self._held.clear()
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _session(self) -> psycopg.Connection:
        if self._connection is None:
            self._connection = psycopg.connect(
                self._conninfo,
                autocommit=True,
                application_name="rematch worker lock",
                options=SERVER_KEEPALIVE,
                keepalives=1,
                keepalives_idle=10,
                keepalives_interval=5,
                keepalives_count=3,
            )
        return self._connection

    def _try_lock(self, executor_id: str) -> bool:
        row = self._session().execute("SELECT pg_try_advisory_lock(%s)", [_key(executor_id)]).fetchone()
        return bool(row and row[0])


def make_locks(settings: Settings) -> ExecutorLocks:
    """The kind of locks that goes with the database."""
    if settings.is_postgresql:
        return PostgresLocks(settings.engine_database_url)
    return FileLocks(settings.data / "workers")


def take_over_dead(locks: ExecutorLocks, *, own_id: str, queue: str) -> int:
    """Queue again every run of `queue` whose executor is dead; returns how many there were.

    The first worker that gets the run from the queue does it: the engine's hand-over admits one.
    """
    running = DBOS.list_workflows(status=["PENDING"], queue_name=queue, load_input=False, load_output=False)
    recovered = 0
    for executor_id in {run.executor_id for run in running if run.executor_id} - {own_id}:
        with locks.borrow(executor_id) as is_dead:
            if is_dead:
                recovered += _recover(executor_id)
    return recovered


def _recover(executor_id: str) -> int:
    # No public call recovers another executor's runs without the vendor's service; hence dbos==3.4.*.
    recovered = DBOS._recover_pending_workflows([executor_id])  # noqa: SLF001
    logger.warning("executor %s is dead; took over %d of its runs", executor_id, len(recovered))
    return len(recovered)


def _key(executor_id: str) -> int:
    digest = hashlib.sha256(f"rematch executor {executor_id}".encode()).digest()
    return int.from_bytes(digest[:8], "big", signed=True)
