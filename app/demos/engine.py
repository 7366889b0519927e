"""The job engine as the web process sees it: ask for a run, look at it, follow it, cancel it.

The engine is DBOS Transact on its own SQLite file or on PostgreSQL's schema `dbos`; nothing outside this
module and the worker's names it. A run is one workflow, its progress one stream of JSON (`ProgressValue`).
"""

import logging
import sqlite3
import threading
import time
from collections.abc import AsyncGenerator
from datetime import UTC, datetime
from uuid import uuid4

from dbos import (
    DBOS,
    DBOSClient,
    DBOSPortableJSONSerializer,
    WorkflowHandle,
    WorkflowSerializationFormat,
    WorkflowStatus,
)
from dbos import error as dbos_error
from sqlalchemy import make_url

from app.core.settings import Settings
from app.demos.feeds import Feeds
from app.demos.runs import ProgressValue, RunRequest, RunState, Status, read_end

APPLICATION = "rematch"
APPLICATION_VERSION = "1"  # constant: the library's own is a hash of the code, and strands runs at each edit
WORKFLOW = "measure_demo"
STREAM = "progress"
SERIALIZER = DBOSPortableJSONSerializer()  # the library's default is pickle

ASKED, PREPARED = 10, 1000  # priorities: what a learner waits for runs before what may be wanted later
RUN_SECONDS = 600.0  # a run from its first start to its end, recoveries included; one attempt has less
QUEUE_SNAPSHOT_SECONDS = 0.5
POLL_SECONDS = 0.1  # of a stream on SQLite
FALLBACK_POLL_SECONDS = 1.0  # on PostgreSQL, which notifies: for the end of a cancelled run only

OPEN_STATUSES = ["ENQUEUED", "DELAYED", "PENDING"]
FINISHED_STATUSES = ["SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"]


def queue_name(device_class: str) -> str:
    """One queue a device class: a worker never takes a run that was asked for on another kind of device."""
    return f"measure-{device_class}"


def prepare_database(settings: Settings) -> str:
    """Create or migrate the engine's tables and return the engine's database URL."""
    logging.getLogger("dbos").setLevel(logging.WARNING)  # it tells of each step of its start
    url = settings.engine_database_url
    if not settings.is_postgresql:
        path = make_url(url).database or ""
        settings.data.mkdir(parents=True, exist_ok=True)
        with sqlite3.connect(path, timeout=30) as connection:
            connection.execute("PRAGMA journal_mode=WAL")  # kept in the file
        connection.close()
    DBOS.migrate(url)
    return url


class DemoEngine:
    """A client of the job engine, one a process; safe to call from any thread."""

    def __init__(self, settings: Settings) -> None:
        self._client = DBOSClient(
            system_database_url=prepare_database(settings),
            serializer=SERIALIZER,
            use_listen_notify=settings.is_postgresql,
            application_name=APPLICATION,
            retry_connection_errors=False,  # a database that is away is an error page, not a wait
            system_database_pool_size=20,
        )
        self._poll_seconds = FALLBACK_POLL_SECONDS if settings.is_postgresql else POLL_SECONDS
        self._feeds = Feeds(self._read_stream)
        self._snapshots: dict[str, tuple[float, list[WorkflowStatus]]] = {}
        self._lock = threading.Lock()

    def close(self) -> None:
        """Release the connections."""
        self._client.destroy()

    def enqueue(self, request: RunRequest, *, priority: int = ASKED) -> str:
        """The id of the run that will answer `request`: a new one, or the one already in flight.

        One that was only prepared gives way to one that a learner waits for: it would run last.
        """
        if priority == ASKED and (waiting := self._find_open(request)) and _is_waiting_prepared(waiting):
            self._client.cancel_workflow(waiting.workflow_id)
        handle: WorkflowHandle[object] = self._client.enqueue(
            {
                "workflow_name": WORKFLOW,
                "queue_name": queue_name(request.device_class),
                "workflow_id": uuid4().hex,
                "deduplication_id": request.deduplication_id,
                "duplication_policy": "return-existing",
                "priority": priority,
                "workflow_timeout": RUN_SECONDS,
                "serialization_type": WorkflowSerializationFormat.PORTABLE,
                "attributes": {"asked_by": request.asked_by, "device_class": request.device_class},
            },
            request.demo,
            request.params,
            request.params_hash,
        )
        with self._lock:
            self._snapshots.pop(request.device_class, None)
        return handle.workflow_id

    def find_run(self, run_id: str) -> RunState | None:
        """The run of that id with its position or its latest progress, or None."""
        found = self._client.list_workflows(workflow_ids=[run_id], name=WORKFLOW)
        if not found:
            return None
        state = self._to_state(found[0])
        latest = self._find_latest(run_id) if state.status == "running" else None
        return state.after(*latest) if latest else state

    def find_open_run(self, request: RunRequest, *, is_asked: bool = False) -> str | None:
        """The id of the run in flight that would answer `request`, or None.

        With `is_asked` a run that was only prepared and waits still does not count.
        """
        run = self._find_open(request)
        return None if run is None or (is_asked and _is_waiting_prepared(run)) else run.workflow_id

    def _find_open(self, request: RunRequest) -> WorkflowStatus | None:
        open_runs = self._client.list_workflows(
            status=OPEN_STATUSES,
            queue_name=queue_name(request.device_class),
            load_input=False,
            load_output=False,
        )
        wanted = request.deduplication_id
        return next((run for run in open_runs if run.deduplication_id == wanted), None)

    def count_queued(self, device_class: str, *, priority: int = ASKED) -> int:
        """How many runs of that priority or a better one wait for such a device."""
        return sum((run.priority or 0) <= priority for run in self._queue(device_class))

    def cancel(self, run_id: str) -> None:
        """Cancel a run that is queued or running; nothing happens to one that has ended."""
        self._client.cancel_workflow(run_id)
        with self._lock:
            self._snapshots.clear()

    async def follow(
        self, run_id: str, *, after: int | None = None
    ) -> AsyncGenerator[tuple[int, ProgressValue], None]:
        """The run's stream values with their offsets, from the one past `after`, until the run has ended."""
        async for numbered in self._feeds.follow(run_id, start=0 if after is None else after + 1):
            yield numbered

    def _read_stream(self, run_id: str) -> AsyncGenerator[ProgressValue, None]:
        return self._client.read_stream_async(run_id, STREAM, polling_interval_sec=self._poll_seconds)

    def _find_latest(self, run_id: str) -> tuple[int, ProgressValue] | None:
        latest: tuple[int, ProgressValue] | None = None
        try:
            for numbered in enumerate(self._client.read_stream(run_id, STREAM, timeout_seconds=0)):
                latest = numbered
        except (dbos_error.DBOSStreamTimeoutError, dbos_error.DBOSNonExistentWorkflowError):
            pass  # that was the last one written so far; or the run has just been purged
        return latest

    def _queue(self, device_class: str) -> list[WorkflowStatus]:
        """The waiting runs in the order they will be taken; a moment old, for every open page asks."""
        with self._lock:
            taken_at, queued = self._snapshots.get(device_class, (0.0, []))
            if time.monotonic() - taken_at > QUEUE_SNAPSHOT_SECONDS:
                queued = self._client.list_workflows(
                    status=["ENQUEUED"],
                    queue_name=queue_name(device_class),
                    load_input=False,
                    load_output=False,
                )
                queued.sort(key=lambda run: (run.priority or 0, run.created_at or 0))
                self._snapshots[device_class] = time.monotonic(), queued
        return queued

    def _to_state(self, run: WorkflowStatus) -> RunState:
        attributes = run.attributes or {}
        device_class = attributes.get("device_class", "")
        demo, params, *_ = run.input["args"] if run.input else ("", {})
        status, failure, measurement = _read_status(run)
        position = None
        if status == "queued":
            ids = [queued.workflow_id for queued in self._queue(device_class)]
            position = ids.index(run.workflow_id) + 1 if run.workflow_id in ids else 1
        return RunState(
            id=run.workflow_id,
            demo=demo,
            params=params,
            device_class=device_class,
            status=status,
            position=position,
            fraction=0.0,
            message="",
            failure_code=failure,
            measurement_id=measurement,
            asked_by=attributes.get("asked_by", ""),
            requested_at=_from_epoch_ms(run.created_at or 0),
            started_at=_from_epoch_ms(run.dequeued_at) if run.dequeued_at else None,
        )


def _is_waiting_prepared(run: WorkflowStatus) -> bool:
    return run.status == "ENQUEUED" and run.priority == PREPARED


def _read_status(run: WorkflowStatus) -> tuple[Status, str | None, int | None]:
    """Status, failure code and measurement id of a workflow."""
    match run.status:
        case "ENQUEUED" | "DELAYED":
            return "queued", None, None
        case "PENDING":
            return "running", None, None
        case "SUCCESS" if run.output:
            return read_end(run.output)
        case "CANCELLED":
            deadline = run.workflow_deadline_epoch_ms  # past it the engine itself cancels
            if deadline is not None and (run.completed_at or 0) >= deadline:
                return "failed", "timed_out", None
            return "cancelled", "cancelled", None
        case _:
            return "failed", "failed", None


def _from_epoch_ms(milliseconds: int) -> datetime:
    return datetime.fromtimestamp(milliseconds / 1000, UTC)
