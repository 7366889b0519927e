"""Children that are kept alive: what happens when they die, and when they should and will not."""

import os
import sys
import time
from collections.abc import Callable

import pytest

from app import processes
from app.processes import Child, stop_all

SLEEP = "import time; time.sleep(60)"
STUBBORN = (
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True); time.sleep(60)"
)


def child(code: str) -> Child:
    return Child("test child", [sys.executable, "-c", code], environment=os.environ)


def wait_until(holds: Callable[[], bool], seconds: float = 10) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "FIRST_PAUSE_SECONDS", 0.05)


def test_a_child_that_died_is_started_again() -> None:
    kept = child(SLEEP)
    kept.start()
    first = kept.pid
    assert first is not None
    os.kill(first, 9)
    wait_until(lambda: kept.exit_code is not None)

    def is_back() -> bool:
        kept.revive()
        return kept.exit_code is None and kept.pid != first

    wait_until(is_back)
    stop_all([kept])
    assert kept.exit_code is not None


def test_the_pause_doubles_while_a_child_keeps_dying() -> None:
    kept = child("raise SystemExit(3)")
    kept.start()
    pauses = []
    for _ in range(3):
        wait_until(lambda: kept.exit_code == 3)
        pauses.append(kept._pause)
        kept.revive()  # notes the death
        before = kept.pid

        def is_back(before: int | None = before) -> bool:
            kept.revive()
            return kept.pid != before

        wait_until(is_back)
    stop_all([kept])
    assert pauses[1:] == [2 * pauses[0], 4 * pauses[0]]


def test_a_child_that_ignores_the_signal_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "STOP_SECONDS", 0.3)
    stubborn = child(STUBBORN)
    stubborn.start()
    time.sleep(0.5)  # until it has said that it ignores the signal
    stop_all([stubborn])
    assert stubborn.exit_code in {-9, -15}


def test_stopping_what_never_started_is_nothing() -> None:
    stop_all([child(SLEEP)])
