import asyncio
import contextlib
import hashlib
import logging
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from app.core.db import writing
from app.core.errors import ForbiddenError, NotFoundError
from app.core.marking import N_
from app.core.ratelimit import Allowance, RateLimitError, take
from app.core.settings import Settings
from app.demos import queries
from app.demos.catalog import find_demo
from app.demos.engine import ASKED, PREPARED, DemoEngine
from app.demos.runs import RunRequest, RunState
from app.demos.spec import Demo, Params, params_hash
from app.demos.views import RunView, view_refusal, view_state

logger = logging.getLogger(__name__)

QUEUE_LIMIT = 40  # runs that learners wait for: a minute or two of a worker's time
ADDRESS_FACTOR = 20  # a classroom behind one address may ask for as much as so many learners
READY_POLL_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Asker:
    """Who asks for a run: the browser's name and the client's address."""

    public_id: str
    address: str

    @property
    def name(self) -> str:
        """What the engine keeps of who asked: enough to know them again, and not who they are."""
        return hashlib.sha256(f"run {self.public_id}".encode()).hexdigest()[:16]


def request_run(
    engine: Engine, runs: DemoEngine, settings: Settings, *, demo: Demo, params: Params, asker: Asker
) -> RunView:
    """Ask for a measurement: a run in flight is shared, else one is queued, else the refusal says why not.

    Joining a run costs nothing; a new one is taken from the asker's allowance and their address's.
    """
    with Session(engine) as session:
        request = _make_request(session, demo, params, asker.name)
    if request is None:
        return view_refusal(demo.id, params.to_json(), "worker_down")
    run_id = runs.find_open_run(request, is_asked=True)
    if run_id is None:
        if runs.count_queued(request.device_class, priority=ASKED) >= QUEUE_LIMIT:
            return view_refusal(demo.id, params.to_json(), "queue_full")
        try:
            _take_allowance(engine, settings, asker)
        except RateLimitError as error:
            return view_refusal(demo.id, params.to_json(), "rate_limited", error.retry_seconds)
        run_id = runs.enqueue(request)
    with Session(engine) as session:
        return get_run_view(session, runs, run_id, asker)


def find_open_run(
    session: Session, runs: DemoEngine, demo: Demo, params: Params, asker: Asker
) -> RunView | None:
    """The run in flight that will measure this, or None."""
    request = _make_request(session, demo, params, asker.name)
    run_id = request and runs.find_open_run(request)
    return find_run_view(session, runs, run_id, asker) if run_id else None


def find_run_view(
    session: Session, runs: DemoEngine, run_id: str, asker: Asker | None = None
) -> RunView | None:
    """The run of that id for the asker's page, or None."""
    state = runs.find_run(run_id)
    return view_run(session, state, asker) if state else None


def get_run_view(session: Session, runs: DemoEngine, run_id: str, asker: Asker | None = None) -> RunView:
    """The run of that id for the asker's page; NotFoundError if there is none."""
    view = find_run_view(session, runs, run_id, asker)
    if view is None:
        raise NotFoundError(N_("There is no such run: finished runs are kept for a week."))
    return view


def view_run(session: Session, state: RunState, asker: Asker | None = None) -> RunView:
    """A state as a page shows it, with whether a worker answers."""
    demo = find_demo(state.demo)
    return view_state(
        state,
        worker_alive=queries.has_living_worker(session, state.device_class),
        expected_seconds=demo.expected_seconds if demo else 0,
        asked_by=asker.name if asker else "",
    )


def cancel_run(runs: DemoEngine, run_id: str, asker: Asker) -> None:
    """Cancel a run for whoever asked for it first; ForbiddenError for others, who share it."""
    state = runs.find_run(run_id)
    if state is None:
        raise NotFoundError(N_("There is no such run: finished runs are kept for a week."))
    if state.asked_by != asker.name:
        raise ForbiddenError(N_("Only who asked for a run can cancel it; others wait for it too."))
    if state.is_open:
        runs.cancel(run_id)


def measure_missing(engine: Engine, runs: DemoEngine, wanted: Iterable[tuple[Demo, Params]]) -> int | None:
    """Queue, behind what learners ask for, every measurement that is wanted and not fresh.

    Returns how many were queued, or None while no worker was ever heard of: there is no device to ask for.
    """
    queued = 0
    with Session(engine) as session:
        for demo, params in wanted:
            request = _make_request(session, demo, params, "")
            if request is None:
                return None
            if not queries.find_evidence(session, demo.id, request.params_hash).is_fresh:
                runs.enqueue(request, priority=PREPARED)
                queued += 1
    return queued


async def keep_measured(
    engine: Engine, runs: DemoEngine, wanted: list[tuple[Demo, Params]], stopping: asyncio.Event
) -> None:
    """Wait for a worker, then have what is missing measured. A background task of the web process's start.

    It ends at `stopping`, and not in the middle of a query: a connection that is out when its pool is
    disposed of is closed by nobody.
    """
    while not stopping.is_set():
        with contextlib.suppress(DBAPIError):  # the database may be away; the pages say so themselves
            if await asyncio.to_thread(_has_worker, engine):
                queued = await asyncio.to_thread(measure_missing, engine, runs, wanted)
                logger.info("%d of %d measurements are to be made", queued, len(wanted))
                return
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(stopping.wait(), READY_POLL_SECONDS)


def _has_worker(engine: Engine) -> bool:
    with Session(engine) as session:
        return any(queries.is_alive(worker) for worker in queries.list_current_workers(session))


def _make_request(session: Session, demo: Demo, params: Params, asked_by: str) -> RunRequest | None:
    workers = queries.list_current_workers(session)
    if not workers:
        return None
    return RunRequest(
        demo=demo.id,
        params=params.to_json(),
        params_hash=params_hash(demo.id, params),
        device_class=workers[0].device_class,
        software=workers[0].software,
        asked_by=asked_by,
    )


def _take_allowance(engine: Engine, settings: Settings, asker: Asker) -> None:
    each = settings.measure_limit_per_hour
    with writing(engine) as session:
        take(session, f"measure:visitor:{asker.name}", Allowance(each, timedelta(hours=1)))
        take(
            session,
            f"measure:address:{asker.address}",
            Allowance(each * ADDRESS_FACTOR, timedelta(hours=1)),
        )
