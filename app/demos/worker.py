"""The demo worker: `python -m app.demos.worker`. One process a device, one run at a time.

It takes runs from the engine's queue of its device class, has the import-only parent fork a child for each,
stores the measurement, and says every few seconds that it lives. It never imports PyTorch itself. A run that
is killed with it is done again by the next worker; the measurement is stored once.
"""

import argparse
import asyncio
import contextlib
import logging
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

from dbos import DBOS, DBOSConfig, WorkflowSerializationFormat
from dbos import error as dbos_error
from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError

from app.core.db import make_engine, now, wait_for_database, writing
from app.core.ratelimit import forget_whole
from app.core.settings import Settings
from app.demos import records
from app.demos.engine import (
    APPLICATION,
    APPLICATION_VERSION,
    FINISHED_STATUSES,
    SERIALIZER,
    STREAM,
    WORKFLOW,
    prepare_database,
    queue_name,
)
from app.demos.measuring import Device, ForkParent, LabStartError, Limits, Outcome
from app.demos.runs import ProgressValue
from app.demos.takeover import ExecutorLocks, make_locks, take_over_dead

logger = logging.getLogger("rematch.worker")

BEAT_SECONDS = 2.0
LOCK_SECONDS = 5.0  # a restart waits so long for whoever is just recovering our runs
SCHEMA_SECONDS = 60.0  # the web process may be migrating still
STEP_GRACE_SECONDS = 15.0  # the parent kills a run at its limit; past this the engine gives up on the parent
PURGE_SECONDS = 3600.0
KEEP_RUNS = timedelta(days=7)
KEEP_WORKERS = timedelta(days=30)
PURGE_BATCH = 500


class MeasuringWorker:
    """Does the runs of one device."""

    def __init__(self, engine: Engine, parent: ForkParent, device: Device, limits: Limits) -> None:
        self._engine = engine
        self._parent = parent
        self._limits = limits
        self.device = device
        self.host = socket.gethostname()
        self.executor_id = f"{self.host}-{device.device.replace(':', '-')}"

    def register(self) -> None:
        """Tell the engine what a run is. Before `DBOS.launch`."""

        @DBOS.step(
            name="measure", preemptible=True, timeout_seconds=self._limits.seconds + STEP_GRACE_SECONDS
        )
        async def measure(demo: str, params: dict[str, Any], params_hash: str) -> dict[str, Any]:
            return dict(await self._measure(demo, params, params_hash))

        @DBOS.workflow(
            name=WORKFLOW, max_recovery_attempts=3, serialization_type=WorkflowSerializationFormat.PORTABLE
        )
        async def measure_demo(demo: str, params: dict[str, Any], params_hash: str) -> dict[str, Any]:
            try:
                return await measure(demo, params, params_hash)
            except dbos_error.DBOSStepTimeoutError:
                return {"kind": "end", "failure": "timed_out"}

    async def _measure(self, demo: str, params: dict[str, Any], params_hash: str) -> ProgressValue:
        """One attempt at a run. What it writes to the stream fails once another worker has the run."""
        run_id = DBOS.workflow_id
        assert run_id is not None  # noqa: S101 - the engine sets it before it calls a workflow
        await self._say({"kind": "start"})
        stored = await asyncio.to_thread(records.find_stored, self._engine, run_id)
        end: ProgressValue = {"kind": "end", "measurement": stored}
        if stored is None:
            outcome = await self._parent.run(demo, params, self.device.device, self._limits, self._report)
            end = await asyncio.to_thread(self._conclude, run_id, demo, params, params_hash, outcome)
        await self._say(end)
        return end

    def _conclude(
        self, run_id: str, demo: str, params: dict[str, Any], params_hash: str, outcome: Outcome
    ) -> ProgressValue:
        if outcome.result is None:
            logger.warning("run %s of %s: %s (%s)", run_id, demo, outcome.failure, outcome.detail)
            return {"kind": "end", "failure": outcome.failure}
        stored = records.store(
            self._engine,
            run_id=run_id,
            demo_id=demo,
            params=params,
            params_hash=params_hash,
            device=self.device,
            host=self.host,
            result=outcome.result,
        )
        return {"kind": "end", "measurement": stored}

    async def _report(self, fraction: float, message: str) -> None:
        await self._say({"kind": "progress", "fraction": fraction, "message": message})

    async def _say(self, value: ProgressValue) -> None:
        await DBOS.write_stream_async(STREAM, value)


def main(arguments: list[str] | None = None) -> int:
    """Run the worker until SIGINT or SIGTERM; the exit status."""
    options = _parse(arguments)
    logging.basicConfig(level=logging.INFO, format="worker: %(message)s", stream=sys.stderr)
    stop = threading.Event()
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, lambda *_: stop.set())
    settings = Settings()
    parent = ForkParent(lab=options.lab, device=options.device or settings.device, threads=options.threads)
    try:
        device = parent.start()
    except LabStartError as error:
        logger.error("cannot measure here: %s", error)  # noqa: TRY400 - a sentence, not a traceback
        return 1
    limits = Limits(seconds=options.seconds, memory_bytes=options.memory_mib * 1024**2)
    engine = make_engine(settings.app_database_url)
    locks = make_locks(settings)
    try:
        worker = MeasuringWorker(engine, parent, device, limits)
        return serve(settings, locks, worker, engine, stop=stop, beat_seconds=options.beat_seconds)
    finally:
        parent.close()
        locks.close()
        engine.dispose()


def serve(
    settings: Settings,
    locks: ExecutorLocks,
    worker: MeasuringWorker,
    engine: Engine,
    *,
    stop: threading.Event,
    beat_seconds: float = BEAT_SECONDS,
) -> int:
    """Take runs until `stop` is set."""
    wait_for_database(engine)
    url = prepare_database(settings)
    if not _wait_for(lambda: locks.hold(worker.executor_id), LOCK_SECONDS, stop):
        logger.error("another worker serves %s already", worker.executor_id)
        return 1
    keeper = _Keeper(engine, locks, worker)
    if not _wait_for(keeper.beat, SCHEMA_SECONDS, stop):
        logger.error("the database does not answer or is not migrated")
        return 1
    _launch(url, worker, listen=settings.is_postgresql)
    device = worker.device
    logger.info("%s measures on %s (%s)", worker.executor_id, device.device_name, device.software)
    try:
        while not stop.wait(beat_seconds):
            keeper.tick()
    finally:
        DBOS.destroy()
    return 0


def _launch(url: str, worker: MeasuringWorker, *, listen: bool) -> None:
    config: DBOSConfig = {
        "name": APPLICATION,
        "system_database_url": url,
        "application_version": APPLICATION_VERSION,
        "executor_id": worker.executor_id,
        "serializer": SERIALIZER,
        "use_listen_notify": listen,
        "run_migrations": False,  # just done
        "log_level": "WARNING",
    }
    queue = queue_name(worker.device.device_class)
    DBOS(config=config)
    logging.getLogger("dbos").addFilter(_is_news)
    worker.register()
    DBOS.listen_queues([queue])
    DBOS.launch()
    DBOS.register_queue(queue, worker_concurrency=1, polling_interval_sec=0.1, on_conflict="always_update")


def _is_news(record: logging.LogRecord) -> bool:
    """Drop the traceback that the engine prints for each run that was cancelled: someone asked for that."""
    error = record.exc_info[1] if record.exc_info else None
    return not isinstance(error, dbos_error.DBOSAwaitedWorkflowCancelledError)


class _Keeper:
    """What a worker does beside measuring: heartbeat, other workers' deaths, old runs."""

    def __init__(self, engine: Engine, locks: ExecutorLocks, worker: MeasuringWorker) -> None:
        self._engine = engine
        self._locks = locks
        self._worker = worker
        self._started_at = now()
        self._purged_at: float | None = None

    def beat(self) -> bool:
        """Say that we live; False when the database did not take it."""
        worker = self._worker
        try:
            records.beat(
                self._engine,
                executor_id=worker.executor_id,
                device=worker.device,
                host=worker.host,
                started_at=self._started_at,
            )
        except DBAPIError as error:
            logger.warning("no heartbeat: %s", error.orig)
            return False
        return True

    def tick(self) -> None:
        """One round; whatever fails in it is logged and tried again in the next."""
        self.beat()
        try:
            if self._locks.hold(self._worker.executor_id):
                queue = queue_name(self._worker.device.device_class)
                take_over_dead(self._locks, own_id=self._worker.executor_id, queue=queue)
            if self._purged_at is None or time.monotonic() - self._purged_at > PURGE_SECONDS:
                self._purge()
                self._purged_at = time.monotonic()
        except Exception:
            # A worker outlives its database's absence, however that shows: it measures on when it is back.
            logger.exception("housekeeping failed")

    def _purge(self) -> None:
        before = (now() - KEEP_RUNS).isoformat()
        while finished := DBOS.list_workflows(
            status=FINISHED_STATUSES,
            completed_before=before,
            limit=PURGE_BATCH,
            load_input=False,
            load_output=False,
        ):
            DBOS.delete_workflows([run.workflow_id for run in finished])
        for run in DBOS.list_workflows(
            status=["ENQUEUED", "PENDING"], end_time=before, load_input=False, load_output=False
        ):
            DBOS.cancel_workflow(run.workflow_id)  # for a device that is gone
        with writing(self._engine) as session:
            records.forget_workers(session, before=now() - KEEP_WORKERS)
            forget_whole(session)


def _wait_for(attempt: Callable[[], bool], seconds: float, stop: threading.Event) -> bool:
    deadline = time.monotonic() + seconds
    while not attempt():
        if time.monotonic() > deadline or stop.wait(0.5):
            return False
    return True


def _parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m app.demos.worker", description="Measures demos.")
    parser.add_argument("--device", help="auto, cpu, cuda or cuda:N (default: REMATCH_DEVICE, else auto)")
    parser.add_argument(
        "--threads", type=int, default=1, help="CPU threads a run computes with (%(default)s)"
    )
    parser.add_argument("--seconds", type=float, default=Limits().seconds, help="of one run (%(default)s)")
    parser.add_argument(
        "--memory-mib", type=int, default=_half_of_memory_mib(), help="of one run (%(default)s)"
    )
    # What follows is for tests, which have a lab of their own and little time.
    parser.add_argument("--lab", default="app.demos.lab", help=argparse.SUPPRESS)
    parser.add_argument("--beat-seconds", type=float, default=BEAT_SECONDS, help=argparse.SUPPRESS)
    return parser.parse_args(arguments)


def _half_of_memory_mib() -> int:
    """Half of what this machine, or this container, has."""
    total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    with contextlib.suppress(OSError, ValueError):  # no control group, or one without a limit ("max")
        total = min(total, int(Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii")))
    return total // 2 // 1024**2


if __name__ == "__main__":
    sys.exit(main())
