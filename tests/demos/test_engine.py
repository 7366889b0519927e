"""The engine with a worker that stays: what a request becomes, and how each kind of run ends."""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from app.demos.engine import ASKED, PREPARED
from app.demos.runs import ProgressValue
from tests.demos.conftest import Site, is_running, request, wait_until


def follow(site: Site, run_id: str, *, after: int | None = None) -> list[tuple[int, ProgressValue]]:
    async def collect() -> list[tuple[int, ProgressValue]]:
        return [numbered async for numbered in site.runs.follow(run_id, after=after)]

    return asyncio.run(asyncio.wait_for(collect(), 20))


class TestOneRun:
    def test_its_result_is_stored_with_where_it_was_measured(self, served_site: Site) -> None:
        run_id = served_site.enqueue("sleep", 1, ms=50)
        state = served_site.wait_for(run_id, "done")
        [measurement] = [each for each in served_site.measurements() if each.run_id == run_id]
        assert state.measurement_id == measurement.id
        assert measurement.result["metrics"] == {"answer": 42}
        assert measurement.params == {"what": "sleep", "n": 1, "ms": 50}
        assert (measurement.device_class, measurement.device_name) == ("cpu", "fake processor")
        assert measurement.software == "fake 1, harness 1"

    def test_thirty_identical_requests_at_once_share_it(self, served_site: Site) -> None:
        with ThreadPoolExecutor(30) as threads:
            ids = set(threads.map(lambda _: served_site.enqueue("sleep", 2, ms=300), range(30)))
        assert len(ids) == 1
        served_site.wait_for(ids.pop(), "done")
        assert len(served_site.begun(2)) == 1

    def test_a_request_after_its_end_is_a_new_one(self, served_site: Site) -> None:
        first = served_site.enqueue("sleep", 3, ms=10)
        served_site.wait_for(first, "done")
        second = served_site.enqueue("sleep", 3, ms=10)
        assert second != first
        served_site.wait_for(second, "done")

    def test_it_is_found_by_what_it_measures_while_it_is_open(self, served_site: Site) -> None:
        wanted = request("sleep", 4, ms=400)
        run_id = served_site.runs.enqueue(wanted)
        assert served_site.runs.find_open_run(wanted) == run_id
        served_site.wait_for(run_id, "done")
        assert served_site.runs.find_open_run(wanted) is None

    def test_an_unknown_one_is_none(self, served_site: Site) -> None:
        assert served_site.runs.find_run("no-such-run") is None


class TestProgress:
    def test_it_goes_from_start_over_rising_fractions_to_the_measurement(self, served_site: Site) -> None:
        values = [value for _, value in follow(served_site, served_site.enqueue("sleep", 10, ms=700))]
        assert [value["kind"] for value in (values[0], values[-1])] == ["start", "end"]
        fractions = [value["fraction"] for value in values[1:-1]]
        assert fractions == sorted(fractions)
        assert len(fractions) >= 2
        assert values[-1]["measurement"] is not None

    def test_it_resumes_past_the_last_value_that_was_seen(self, served_site: Site) -> None:
        run_id = served_site.enqueue("sleep", 11, ms=500)
        whole = follow(served_site, run_id)
        assert [offset for offset, _ in whole] == list(range(len(whole)))
        assert follow(served_site, run_id, after=1) == whole[2:]
        assert follow(served_site, run_id, after=len(whole) - 1) == []

    def test_a_state_read_in_the_middle_knows_the_latest(self, served_site: Site) -> None:
        run_id = served_site.enqueue("sleep", 12, ms=900)
        wait_until(lambda: served_site.state(run_id).fraction > 0.2)
        state = served_site.state(run_id)
        assert (state.status, state.message) == ("running", "Measuring")
        served_site.wait_for(run_id, "done")

    def test_many_followers_of_one_run_see_the_same(self, served_site: Site) -> None:
        run_id = served_site.enqueue("sleep", 13, ms=500)

        async def collect() -> list[list[tuple[int, ProgressValue]]]:
            async def one() -> list[tuple[int, ProgressValue]]:
                return [numbered async for numbered in served_site.runs.follow(run_id)]

            return await asyncio.gather(*(one() for _ in range(20)))

        seen = asyncio.run(asyncio.wait_for(collect(), 20))
        assert all(each == seen[0] for each in seen)


class TestTheQueue:
    def test_each_waiting_run_knows_its_place(self, served_site: Site) -> None:
        running = served_site.enqueue("sleep", 20, ms=900)
        served_site.wait_for(running, "running")
        prepared = served_site.runs.enqueue(request("sleep", 21, ms=10), priority=PREPARED)
        asked = [served_site.enqueue("sleep", n, ms=10) for n in (22, 23)]
        places = [served_site.state(run_id).position for run_id in (*asked, prepared)]
        assert places == [1, 2, 3]  # what a learner waits for goes before what was only prepared
        assert served_site.runs.count_queued("cpu", priority=ASKED) == 2
        assert served_site.state(running).position is None
        for run_id in (running, *asked, prepared):
            served_site.wait_for(run_id, "done")

    def test_a_worker_does_one_at_a_time(self, served_site: Site) -> None:
        runs = [served_site.enqueue("sleep", n, ms=100) for n in (25, 26, 27)]
        for run_id in runs:
            served_site.wait_for(run_id, "done")
        lines = served_site.trace.read_text(encoding="utf-8").splitlines()
        events = [line.split()[0] for line in lines if line.split()[2] in {"25", "26", "27"}]
        assert events == ["begin", "end"] * 3


class TestFailures:
    @pytest.mark.parametrize(
        ("what", "code"),
        [("raise", "failed"), ("die", "failed"), ("eat", "out_of_memory"), ("hang", "timed_out")],
    )
    def test_each_has_its_code_and_the_worker_goes_on(self, served_site: Site, what: str, code: str) -> None:
        run_id = served_site.enqueue(what, 30)
        following = served_site.enqueue("sleep", 31, ms=10)
        assert served_site.wait_for(run_id, "failed").failure_code == code
        served_site.wait_for(following, "done")
        assert not [pid for pid in served_site.begun(30) if is_running(pid)]
        assert run_id not in {measurement.run_id for measurement in served_site.measurements()}


class TestCancelling:
    def test_a_running_one_loses_its_process_at_once(self, served_site: Site) -> None:
        run_id = served_site.enqueue("hang", 40)
        wait_until(lambda: bool(served_site.begun(40)))
        cancelled_at = time.monotonic()
        served_site.runs.cancel(run_id)
        wait_until(lambda: not is_running(served_site.begun(40)[-1]), seconds=3)
        assert time.monotonic() - cancelled_at < 2.5  # the worker looks once a second
        state = served_site.state(run_id)
        assert (state.status, state.failure_code) == ("cancelled", "cancelled")
        served_site.wait_for(served_site.enqueue("sleep", 41, ms=10), "done")

    def test_a_waiting_one_never_begins(self, served_site: Site) -> None:
        running = served_site.enqueue("sleep", 42, ms=500)
        waiting = served_site.enqueue("sleep", 43, ms=10)
        served_site.runs.cancel(waiting)
        served_site.wait_for(running, "done")
        assert served_site.state(waiting).status == "cancelled"
        assert served_site.begun(43) == []

    def test_a_finished_one_stays_finished(self, served_site: Site) -> None:
        run_id = served_site.enqueue("sleep", 44, ms=10)
        served_site.wait_for(run_id, "done")
        served_site.runs.cancel(run_id)
        assert served_site.state(run_id).status == "done"
