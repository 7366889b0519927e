from datetime import datetime
from typing import Any

from sqlalchemy import JSON, Index
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import Base

IMPORTED = "import:"  # how the run id of a measurement begins that came in a file from another machine


class Measurement(Base):
    """The immutable result of a finished run, with where it was measured."""

    __tablename__ = "measurement"
    __table_args__ = (Index("ix_measurement_newest", "demo_id", "params_hash", "measured_at"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    run_id: Mapped[str] = mapped_column(unique=True)  # a run that is done again after a crash stores one row
    demo_id: Mapped[str]
    params_hash: Mapped[str]
    params: Mapped[dict[str, Any]] = mapped_column(JSON)
    device_class: Mapped[str]
    device_name: Mapped[str]
    software: Mapped[str]  # framework and harness version: a change makes older measurements "earlier"
    host: Mapped[str]
    result: Mapped[dict[str, Any]] = mapped_column(JSON)  # not JSONB: it is drawn in the order it came in
    measured_at: Mapped[datetime]

    @property
    def is_imported(self) -> bool:
        """Whether it came in a file, and was not measured by a worker of this site."""
        return self.run_id.startswith(IMPORTED)


class Worker(Base):
    """A process that measures on one device, and when it was last heard of."""

    __tablename__ = "worker"

    executor_id: Mapped[str] = mapped_column(primary_key=True)
    device_class: Mapped[str]
    device_name: Mapped[str]
    software: Mapped[str]
    host: Mapped[str]
    started_at: Mapped[datetime]
    heartbeat_at: Mapped[datetime]
