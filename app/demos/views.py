"""What the templates draw of a run."""

from dataclasses import dataclass
from datetime import datetime

from app.demos.runs import RunState, Status


@dataclass(frozen=True, slots=True)
class RunView:
    """A run as a page shows it. `id` is empty for a request that was refused: there is no such run.

    `failure_code` says why a closed run failed, why a request was refused, or, while the run is open, that no
    worker answers (`worker_down`): it then goes on by itself once one does.
    """

    id: str
    demo: str
    params: dict[str, int | str]
    status: Status
    position: int | None = None  # 1 is next
    fraction: float = 0.0
    message: str = ""  # msgid
    failure_code: str | None = None
    can_cancel: bool = False
    worker_alive: bool = True
    expected_seconds: int = 0
    measurement_id: int | None = None
    requested_at: datetime | None = None
    started_at: datetime | None = None
    retry_seconds: int | None = None

    @property
    def is_open(self) -> bool:
        """Whether it is still to end: the page follows it."""
        return self.status in {"queued", "running"}


def view_state(state: RunState, *, worker_alive: bool, expected_seconds: int, asked_by: str = "") -> RunView:
    """A run's state for the page of whoever `asked_by` names."""
    failure_code = state.failure_code
    if state.is_open and not worker_alive:
        failure_code = "worker_down"
    return RunView(
        id=state.id,
        demo=state.demo,
        params=state.params,
        status=state.status,
        position=state.position,
        fraction=state.fraction,
        message=state.message,
        failure_code=failure_code,
        can_cancel=state.is_open and bool(asked_by) and state.asked_by == asked_by,
        worker_alive=worker_alive,
        expected_seconds=expected_seconds,
        measurement_id=state.measurement_id,
        requested_at=state.requested_at,
        started_at=state.started_at,
    )


def view_refusal(
    demo: str, params: dict[str, int | str], failure_code: str, retry_seconds: int | None = None
) -> RunView:
    """A request that no run was made for."""
    return RunView(
        id="",
        demo=demo,
        params=params,
        status="failed",
        failure_code=failure_code,
        worker_alive=failure_code != "worker_down",
        retry_seconds=retry_seconds,
    )
