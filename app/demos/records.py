"""What the worker writes to the site's database: its heartbeat, and each measurement once."""

from datetime import datetime
from typing import Any

from sqlalchemy import Engine, delete, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from app.core.db import now, writing
from app.demos.measuring import Device
from app.demos.tables import Measurement, Worker


def beat(engine: Engine, *, executor_id: str, device: Device, host: str, started_at: datetime) -> None:
    """Say that this worker lives, and what it measures on."""
    with writing(engine) as session:
        session.merge(
            Worker(
                executor_id=executor_id,
                device_class=device.device_class,
                device_name=device.device_name,
                software=device.software,
                host=host,
                started_at=started_at,
                heartbeat_at=now(),
            )
        )


def forget_workers(session: Session, *, before: datetime) -> None:
    """Delete the workers that were last heard of before that time."""
    session.execute(delete(Worker).where(Worker.heartbeat_at < before))


def find_stored(engine: Engine, run_id: str) -> int | None:
    """The id of the measurement that this run has stored already, or None."""
    with engine.connect() as connection:
        return connection.scalar(select(Measurement.id).where(Measurement.run_id == run_id))


def store(
    engine: Engine,
    *,
    run_id: str,
    demo_id: str,
    params: dict[str, Any],
    params_hash: str,
    device: Device,
    host: str,
    result: dict[str, Any],
) -> int:
    """Store a run's measurement and return its id; the second time, the id of the first."""
    measurement = Measurement(
        run_id=run_id,
        demo_id=demo_id,
        params_hash=params_hash,
        params=params,
        device_class=device.device_class,
        device_name=device.device_name,
        software=device.software,
        host=host,
        result=result,
        measured_at=now(),
    )
    try:
        with writing(engine) as session:
            session.add(measurement)
    except IntegrityError:
        stored = find_stored(engine, run_id)
        if stored is None:
            raise
        return stored
    return measurement.id
