"""Workers that are killed: no run is lost, none is measured twice, nothing is left running."""

import threading
from collections import Counter

import pytest

from app.demos import worker
from app.demos.engine import STREAM
from app.demos.measuring import Device, ForkParent, Limits
from app.demos.takeover import ExecutorLocks, make_locks
from tests.demos.conftest import Site, is_running, wait_until


class TestKilledInTheMiddle:
    def test_every_run_is_done_by_a_restarted_worker_and_stored_once(self, site: Site) -> None:
        runs = [site.enqueue("sleep", n, ms=900 if n == 0 else 250) for n in range(6)]
        killed = site.start_worker()
        wait_until(lambda: site.state(runs[0]).fraction > 0.2)
        killed.kill()
        wait_until(lambda: not is_running(site.begun(0)[0]), seconds=3)  # the child dies with it
        assert site.state(runs[0]).status == "running"  # nobody has said otherwise yet

        killed = site.start_worker()
        wait_until(lambda: len(site.measurements()) > 1 and bool(running(site, runs)))
        killed.kill()

        site.start_worker()
        for run_id in runs:
            site.wait_for(run_id, "done")
        assert Counter(measurement.run_id for measurement in site.measurements()) == Counter(runs)
        assert len(site.begun(0)) == 2
        kinds = [value["kind"] for value in site.runs._client.read_stream(runs[0], STREAM)]
        assert (kinds.count("start"), kinds.count("end")) == (2, 1)  # a page begins again on the second start


def running(site: Site, runs: list[str]) -> list[str]:
    return [run_id for run_id in runs if site.state(run_id).status == "running"]


class TestAHostThatIsGone:
    def test_another_one_takes_over_its_run_and_not_before(self, site: Site) -> None:
        lost = site.start_worker(host="lost")
        run_id = site.enqueue("hang_once", 1)
        wait_until(lambda: bool(site.begun(1)))
        site.start_worker(host="other")
        wait_until(lambda: site.count_beats("other") > 2)  # it has looked for the dead more than once
        assert len(site.begun(1)) == 1
        lost.kill()
        site.wait_for(run_id, "done")
        assert [measurement.host for measurement in site.measurements()] == ["other"]
        assert len(site.begun(1)) == 2


def is_free(locks: ExecutorLocks, name: str) -> bool:
    with locks.borrow(name) as is_dead:
        return is_dead


class TestOneWorkerADevice:
    def test_a_second_one_with_the_same_name_gives_up(
        self, site: Site, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(worker, "LOCK_SECONDS", 0.1)
        device = Device("cpu", "cpu", "fake processor", "fake 1")
        parent = ForkParent(lab="tests.demos.fake_lab", device="cpu")
        second = worker.MeasuringWorker(site.engine, parent, device, Limits())
        first, late = make_locks(site.settings), make_locks(site.settings)
        try:
            assert first.hold(second.executor_id)
            assert worker.serve(site.settings, late, second, site.engine, stop=threading.Event()) == 1
        finally:
            first.close()
            late.close()

    def test_a_lock_ends_with_its_holder(self, site: Site) -> None:
        holder, other = make_locks(site.settings), make_locks(site.settings)
        try:
            assert holder.hold("here-cpu")
            assert holder.hold("here-cpu")
            with other.borrow("here-cpu") as is_dead:
                assert not is_dead
            holder.close()
            wait_until(
                lambda: is_free(other, "here-cpu"), seconds=5
            )  # a server ends a session after its client
        finally:
            holder.close()
            other.close()
