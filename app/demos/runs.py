"""A run as plain values: what was asked for, what it reports, and the state that both make."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, NotRequired, TypedDict

Status = Literal["queued", "running", "done", "failed", "cancelled"]


class ProgressValue(TypedDict):
    """One value of a run's stream.

    `start` opens every attempt (a run whose worker was killed begins again), `progress` follows at least once
    a second, `end` closes the last one with a measurement's id or a failure's code.
    """

    kind: Literal["start", "progress", "end"]
    fraction: NotRequired[float]
    message: NotRequired[str]
    measurement: NotRequired[int | None]
    failure: NotRequired[str | None]


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What is to be measured, and for which device."""

    demo: str
    params: dict[str, int | str]
    params_hash: str
    device_class: str
    software: str
    asked_by: str = ""  # an opaque name; only who asked first may cancel

    @property
    def deduplication_id(self) -> str:
        """The same for requests that one run answers."""
        return f"{self.params_hash}:{self.device_class}:{self.software}"


@dataclass(frozen=True, slots=True)
class RunState:
    """A run as the engine knows it. `offset` is that of the last stream value it reflects."""

    id: str
    demo: str
    params: dict[str, int | str]
    device_class: str
    status: Status
    position: int | None
    fraction: float
    message: str
    failure_code: str | None
    measurement_id: int | None
    asked_by: str
    requested_at: datetime
    started_at: datetime | None
    offset: int | None = None

    @property
    def is_open(self) -> bool:
        """Whether it is still to end."""
        return self.status in {"queued", "running"}

    def after(self, offset: int, value: ProgressValue) -> "RunState":
        """The state once `value` was read from the stream at `offset`."""
        status, failure, measurement = self.status, self.failure_code, self.measurement_id
        if value["kind"] == "end":
            status, failure, measurement = read_end(value)
        elif self.is_open:
            status = "running"
        return replace(
            self,
            status=status,
            position=None,
            fraction=value.get("fraction", 0.0),
            message=value.get("message", ""),
            failure_code=failure,
            measurement_id=measurement,
            offset=offset,
        )


def read_end(value: ProgressValue) -> tuple[Status, str | None, int | None]:
    """Status, failure code and measurement id of a run that ended with this value."""
    failure = value.get("failure")
    return ("failed", failure, None) if failure else ("done", None, value.get("measurement"))
