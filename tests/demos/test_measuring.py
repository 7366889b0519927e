"""The import-only parent and its children, without an engine around them."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.demos.measuring import ForkParent, LabStartError, Limits, Outcome
from tests.demos.conftest import is_running, wait_until


@pytest.fixture
def trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "trace"
    monkeypatch.setenv("FAKE_LAB_TRACE", str(path))
    return path


@pytest.fixture
def parent(trace: Path) -> Iterator[ForkParent]:  # noqa: ARG001 - set before the parent starts
    started = ForkParent(lab="tests.demos.fake_lab", device="auto")
    started.start()
    yield started
    started.close()


async def _ignore(fraction: float, message: str) -> None:
    """Progress that nobody waits for."""


def measure(parent: ForkParent, what: str, *, limits: Limits | None = None, **params: Any) -> Outcome:
    asked = {"what": what, "n": 1, **params}
    return asyncio.run(parent.run("fake", asked, "cpu", limits or Limits(), _ignore))


class TestForkParent:
    def test_it_says_what_it_measures_on(self) -> None:
        parent = ForkParent(lab="tests.demos.fake_lab", device="cuda:1")
        try:
            assert parent.start().device_class == "cuda"
        finally:
            parent.close()

    def test_a_lab_that_cannot_be_imported_is_said_so(self) -> None:
        with pytest.raises(LabStartError):
            ForkParent(lab="tests.demos.no_such_lab", device="cpu").start()

    def test_each_run_has_a_process_of_its_own(self, parent: ForkParent, trace: Path) -> None:
        for _ in range(2):
            assert measure(parent, "sleep", ms=1).failure is None
        pids = {line.split()[1] for line in trace.read_text(encoding="utf-8").splitlines()}
        assert len(pids) == 2

    def test_a_result_that_is_no_json_is_a_failure(self, parent: ForkParent) -> None:
        outcome = measure(parent, "nan")
        assert (outcome.result, outcome.failure) == (None, "failed")

    def test_an_exception_is_named_in_the_detail(self, parent: ForkParent) -> None:
        assert measure(parent, "raise").detail == "ValueError: no luck with 1"

    def test_a_report_that_raises_kills_the_child(self, parent: ForkParent, trace: Path) -> None:
        async def refuse(fraction: float, message: str) -> None:
            raise PermissionError(f"{fraction} {message}")

        with pytest.raises(PermissionError):
            asyncio.run(parent.run("fake", {"what": "hang", "n": 1}, "cpu", Limits(), refuse))
        assert not is_running(int(trace.read_text(encoding="utf-8").split()[1]))
        assert measure(parent, "sleep", ms=1).failure is None

    def test_a_parent_that_died_is_started_again(self, parent: ForkParent) -> None:
        assert parent._process is not None
        parent._process.kill()
        parent._process.wait()
        assert measure(parent, "sleep", ms=1).failure is None

    def test_the_child_dies_with_its_parent(self, parent: ForkParent, trace: Path) -> None:
        async def kill_midway() -> Outcome:
            assert parent._process is not None
            run = asyncio.create_task(parent.run("fake", {"what": "hang", "n": 1}, "cpu", Limits(), _ignore))
            await asyncio.to_thread(wait_until, lambda: trace.exists() and bool(trace.read_text("utf-8")))
            parent._process.kill()
            return await run

        assert asyncio.run(kill_midway()).failure == "failed"
        child = int(trace.read_text(encoding="utf-8").split()[1])
        wait_until(lambda: not is_running(child), seconds=3)
