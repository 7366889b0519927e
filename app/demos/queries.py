from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from app.core.db import now
from app.core.errors import NotFoundError
from app.core.marking import N_
from app.demos.tables import IMPORTED, Measurement, Worker

ALIVE_SECONDS = 15  # seven heartbeats: a worker that is only slow is not called dead


@dataclass(frozen=True, slots=True)
class Evidence:
    """The best measurement at hand for a demo with its parameters, and who could make a newer one.

    `is_fresh`: measured by this site, on the device and with the software that a worker has now. `is_here`:
    on the host of a known worker. `worker`: the one that answers; None when none does. `elsewhere`: where the
    measurement is this site's, the newest that came in a file from a GPU that this site has not.
    """

    measurement: Measurement | None
    is_fresh: bool
    is_here: bool
    worker: Worker | None
    elsewhere: Measurement | None = None


def find_evidence(session: Session, demo_id: str, params_hash: str) -> Evidence:
    """The newest measurement of this site for its current device and software, else the newest of this site.

    What came in a file stands beside it, and takes its place only where this site has none: then the page
    says where it was measured.
    """
    workers = list_current_workers(session)
    newest = _newest_first(demo_id, params_hash)
    own, imported = _own(newest), _imported(newest)
    measurement: Measurement | None = session.scalar(_of_workers(own, workers)) if workers else None
    is_fresh = measurement is not None
    measurement = measurement or session.scalar(own)
    elsewhere: Measurement | None = session.scalar(_of_other_devices(imported, workers))
    if measurement is None:
        measurement, elsewhere = elsewhere or session.scalar(imported), None
    return Evidence(
        measurement=measurement,
        is_fresh=is_fresh,
        is_here=measurement is not None and _is_here(measurement, workers),
        worker=next((worker for worker in workers if is_alive(worker)), None),
        elsewhere=elsewhere,
    )


find_measurement = find_evidence


def get_measurement(session: Session, measurement_id: int) -> Measurement:
    """The measurement of that id; NotFoundError if there is none."""
    measurement = session.get(Measurement, measurement_id)
    if measurement is None:
        raise NotFoundError(N_("There is no such measurement."))
    return measurement


def find_measurement_of_run(session: Session, run_id: str) -> Measurement | None:
    """The measurement that this run stored, or None."""
    return session.scalar(select(Measurement).where(Measurement.run_id == run_id))


def is_alive(worker: Worker) -> bool:
    """Whether it was heard of within the last seconds."""
    return now() - worker.heartbeat_at < timedelta(seconds=ALIVE_SECONDS)


def list_current_workers(session: Session) -> list[Worker]:
    """The workers whose device a run would be for: the living of the best class, else the last one seen.

    The most recently heard of comes first; an empty list means that there never was a worker.
    """
    known = session.scalars(select(Worker).order_by(Worker.heartbeat_at.desc())).all()
    living = [worker for worker in known if is_alive(worker)]
    if not living:
        return list(known[:1])
    best = "cuda" if any(worker.device_class == "cuda" for worker in living) else "cpu"
    return [worker for worker in living if worker.device_class == best]


def has_living_worker(session: Session, device_class: str) -> bool:
    """Whether a worker for that class of device answers."""
    workers = session.scalars(select(Worker).where(Worker.device_class == device_class))
    return any(is_alive(worker) for worker in workers)


Newest = Select[Any]


def _newest_first(demo_id: str, params_hash: str) -> Newest:
    return (
        select(Measurement)
        .where(Measurement.demo_id == demo_id, Measurement.params_hash == params_hash)
        .order_by(Measurement.measured_at.desc(), Measurement.id.desc())
        .limit(1)
    )


def _own(newest: Newest) -> Newest:
    return newest.where(Measurement.run_id.not_like(f"{IMPORTED}%"))


def _imported(newest: Newest) -> Newest:
    return newest.where(Measurement.run_id.like(f"{IMPORTED}%"))


def _of_workers(newest: Newest, workers: Sequence[Worker]) -> Newest:
    """Of one of these workers' devices and software."""
    return newest.where(
        Measurement.device_class == workers[0].device_class,
        Measurement.device_name.in_({worker.device_name for worker in workers}),
        Measurement.software.in_({worker.software for worker in workers}),
    )


def _of_other_devices(newest: Newest, workers: Sequence[Worker]) -> Newest:
    """Of a GPU, where it is not one that a worker has."""
    return newest.where(
        Measurement.device_class == "cuda",
        Measurement.device_name.not_in({worker.device_name for worker in workers}),
    )


def _is_here(measurement: Measurement, workers: Sequence[Worker]) -> bool:
    return not measurement.is_imported and measurement.host in {worker.host for worker in workers}
