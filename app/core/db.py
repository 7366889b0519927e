"""The database: one engine, ordinary sessions, and the writer that groups small jobs into one commit."""

import asyncio
import contextlib
import logging
import queue
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Request
from sqlalchemy import JSON, Connection, DateTime, Engine, MetaData, create_engine, event
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.engine import Dialect
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import DeclarativeBase, Session
from sqlalchemy.types import TypeDecorator

from app.core.errors import UnavailableError
from app.core.marking import N_

T = TypeVar("T")
logger = logging.getLogger(__name__)

BATCH_LIMIT = 128  # jobs a transaction: past this the commit is no longer what costs
WRITES = "rematch_writes"  # execution option: this connection's transactions take the write lock at BEGIN


Json = JSON(none_as_null=True).with_variant(JSONB(none_as_null=True), "postgresql")


class UtcDateTime(TypeDecorator[datetime]):
    """An aware UTC time on both databases: SQLite drops the zone, so it is put back on reading."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        """Refuse a naive time; store in UTC."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a naive datetime has no place in the database")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        """Give back an aware UTC time."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class Base(DeclarativeBase):
    """All tables; constraint names are fixed so that migrations can name them on both databases."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map = {datetime: UtcDateTime()}  # noqa: RUF012 - SQLAlchemy's own declaration


def make_engine(url: str) -> Engine:
    """An engine with the settings that were measured: see CONTRIBUTING.md, «The database»."""
    if url.startswith("sqlite"):
        engine = create_engine(url, pool_size=5, max_overflow=0, connect_args={"check_same_thread": False})
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
        return engine
    return create_engine(url, pool_size=10, max_overflow=5, pool_pre_ping=True)


def _prepare_sqlite(connection: Any, _record: object) -> None:
    connection.isolation_level = None  # the driver must not begin transactions of its own: _begin_sqlite does
    cursor = connection.cursor()
    for pragma in ("busy_timeout=5000", "journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    # A deferred transaction that turns into a write fails at once with "database is locked" when another
    # process wrote since its first read; taking the lock at BEGIN waits busy_timeout instead.
    writes = connection.get_execution_options().get(WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def write_engine(engine: Engine) -> Engine:
    """The same pool, with transactions that take SQLite's write lock when they begin."""
    return engine.execution_options(**{WRITES: True})


class WriterDiedError(UnavailableError):
    """The writer's thread ended while it held this job; nothing of the job was committed."""

    def __init__(self) -> None:
        super().__init__(N_("This could not be stored just now. Send it again: nothing else was lost."))


@dataclass(frozen=True, slots=True)
class _Job:
    work: Callable[[Connection], Any]
    future: "asyncio.Future[Any]"  # of the loop that asked; only that loop may resolve it


Outcome = tuple[_Job, Any, BaseException | None]


class Writer:
    """One thread that runs small writing jobs, many to a transaction.

    A job takes a Connection and returns a plain value; its future resolves only after the commit, so what was
    acknowledged is on disk. When a batch fails, it is rolled back and each of its jobs runs alone, so one bad
    job harms no other. A thread that dies fails the futures it held, and another takes its place at once.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = write_engine(engine)
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._closed = False
        self.restarts = 0

    async def run(self, work: Callable[[Connection], T]) -> T:
        """Run `work` in a writing transaction and return its value once it is committed."""
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._ensure_started()
        self._jobs.put(_Job(work, future))
        return await future

    def close(self) -> None:
        """Finish what was handed in, then stop."""
        with self._lock:
            self._closed = True
            thread = self._thread
        if thread is not None:
            self._jobs.put(None)
            thread.join()

    def _ensure_started(self) -> None:
        if self._thread is not None and not self._closed:
            return
        with self._lock:
            if self._closed:
                raise RuntimeError("the writer is closed")
            if self._thread is None:
                self._start()

    def _start(self) -> None:
        self._thread = threading.Thread(target=self._serve, name="writer", daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        held: list[_Job] = []
        try:
            stop = False
            while not stop:
                held, stop = self._take_batch()
                if held and not self._commit_together(held):
                    for job in held:
                        self._commit_alone(job)
                held = []
        except BaseException:  # whatever ended this thread, nothing may wait for ever on it
            logger.exception("the writer thread died; another goes on with what waits")
            with self._lock:
                self.restarts += 1
                self._start()
            _resolve([(job, None, WriterDiedError()) for job in held])

    def _take_batch(self) -> tuple[list[_Job], bool]:
        batch: list[_Job] = []
        job = self._jobs.get()
        while job is not None:
            if not job.future.cancelled():
                batch.append(job)
            if len(batch) == BATCH_LIMIT:
                return batch, False
            try:
                job = self._jobs.get_nowait()
            except queue.Empty:
                return batch, False
        return batch, True

    def _commit_together(self, batch: list[_Job]) -> bool:
        try:
            with self._engine.begin() as connection:
                values = [job.work(connection) for job in batch]
        except Exception:
            if len(batch) > 1:
                logger.info("a batch of %d jobs failed; each runs alone", len(batch), exc_info=True)
            return False  # not swallowed: each job now runs alone and its future carries its own error
        _resolve([(job, value, None) for job, value in zip(batch, values, strict=True)])
        return True

    def _commit_alone(self, job: _Job) -> None:
        try:
            with self._engine.begin() as connection:
                value = job.work(connection)
        except Exception as error:  # noqa: BLE001 - the caller gets it
            _resolve([(job, None, error)])
        else:
            _resolve([(job, value, None)])


def _resolve(outcomes: list[Outcome]) -> None:
    """Give the askers their outcomes: each loop is woken once, however many of its jobs were in the batch."""
    by_loop: dict[asyncio.AbstractEventLoop, list[Outcome]] = {}
    for outcome in outcomes:
        by_loop.setdefault(outcome[0].future.get_loop(), []).append(outcome)
    for loop, own in by_loop.items():
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits there any more
            loop.call_soon_threadsafe(_resolve_here, own)


def _resolve_here(outcomes: list[Outcome]) -> None:
    for job, value, error in outcomes:
        if job.future.done():
            continue  # cancelled, or resolved before the thread died
        if error is None:
            job.future.set_result(value)
        else:
            job.future.set_exception(error)


def wait_for_database(engine: Engine, *, seconds: float = 20.0) -> None:
    """Return once the database answers; raise the last error after `seconds`."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            with engine.connect():
                return
        except DBAPIError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.25)


def read_session(request: Request) -> Iterator[Session]:
    """A session for a request that only reads; nothing is committed."""
    with Session(request.app.state.engine, expire_on_commit=False) as session:
        yield session


def write_session(request: Request) -> Iterator[Session]:
    """A session for a request that writes: commits when the view returns, rolls back when it raises."""
    with Session(request.app.state.write_engine, expire_on_commit=False) as session, session.begin():
        yield session


async def writer(request: Request) -> Writer:
    """The process's writer, for the answer path."""
    held: Writer = request.app.state.writer
    return held


# scope="function": the commit happens before the response leaves, and an error in it reaches the reader.
ReadSession = Annotated[Session, Depends(read_session, scope="function")]
WriteSession = Annotated[Session, Depends(write_session, scope="function")]
WriterDep = Annotated[Writer, Depends(writer)]


def now() -> datetime:
    """The server's clock, aware, in UTC."""
    return datetime.now(UTC)


@contextlib.contextmanager
def writing(engine: Engine) -> Iterator[Session]:
    """A writing session outside a request: commits at the end, rolls back on an error."""
    with Session(write_engine(engine), expire_on_commit=False) as session, session.begin():
        yield session
