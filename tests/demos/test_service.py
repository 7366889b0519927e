"""What asking for a measurement leads to; no worker serves, so what is queued stays queued."""

from datetime import timedelta

import pytest
from sqlalchemy import delete

from app.core.db import now, writing
from app.core.errors import ForbiddenError
from app.core.ratelimit import RateLimit
from app.demos import records, service
from app.demos.catalog import find_demo
from app.demos.engine import PREPARED
from app.demos.measuring import Device
from app.demos.service import Asker
from app.demos.spec import Demo, Params, params_hash
from app.demos.tables import Measurement, Worker
from app.demos.views import RunView
from tests.demos.conftest import SOFTWARE, Site

LEARNER = Asker("a learner", "192.0.2.1")
OTHER = Asker("another", "192.0.2.2")
DEVICE = Device("cpu", "cpu", "fake processor", SOFTWARE)


def trade(depth: int = 16) -> tuple[Demo, Params]:
    demo = find_demo("trade")
    assert demo is not None
    return demo, demo.parse_params({"depth": depth})


def ask(site: Site, depth: int = 16, asker: Asker = LEARNER) -> RunView:
    demo, params = trade(depth)
    return service.request_run(site.engine, site.runs, site.settings, demo=demo, params=params, asker=asker)


@pytest.fixture
def site(shared_site: Site) -> Site:
    """A site whose worker was heard of a moment ago, and takes nothing; nothing was asked for yet."""
    with writing(shared_site.engine) as session:
        for table in (Measurement, RateLimit):
            session.execute(delete(table))
    for run in shared_site.runs._client.list_workflows(status="ENQUEUED"):
        shared_site.runs.cancel(run.workflow_id)
    records.beat(shared_site.engine, executor_id="here-cpu", device=DEVICE, host="here", started_at=now())
    shared_site.settings.measure_limit_per_hour = 30
    return shared_site


class TestRequestRun:
    def test_it_queues_one_and_lets_others_join(self, site: Site) -> None:
        first = ask(site)
        joined = ask(site, asker=OTHER)
        assert (first.status, first.position, first.failure_code) == ("queued", 1, None)
        assert joined.id == first.id
        assert (first.can_cancel, joined.can_cancel) == (True, False)

    def test_joining_costs_nothing_and_new_ones_are_limited(self, site: Site) -> None:
        site.settings.measure_limit_per_hour = 2
        assert [ask(site, 16).status for _ in range(5)] == ["queued"] * 5
        assert ask(site, 17).status == "queued"
        refused = ask(site, 18)
        assert (refused.id, refused.failure_code) == ("", "rate_limited")
        assert refused.retry_seconds is not None
        assert 1700 < refused.retry_seconds <= 1800
        assert ask(site, 18, OTHER).status == "queued"

    def test_an_address_is_limited_whatever_name_it_goes_by(
        self, site: Site, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(service, "ADDRESS_FACTOR", 1)
        site.settings.measure_limit_per_hour = 2
        codes = [ask(site, 10 + n, Asker(f"name {n}", "192.0.2.9")).failure_code for n in range(3)]
        assert codes == [None, None, "rate_limited"]

    def test_a_full_queue_refuses_what_is_new(self, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(service, "QUEUE_LIMIT", 2)
        assert [ask(site, depth).status for depth in (16, 17)] == ["queued"] * 2
        assert ask(site, 18).failure_code == "queue_full"
        assert ask(site, 17, OTHER).status == "queued"

    def test_a_worker_that_went_silent_is_named_while_the_run_waits(self, site: Site) -> None:
        with writing(site.engine) as session:
            session.get_one(Worker, "here-cpu").heartbeat_at = now() - timedelta(minutes=1)
        run = ask(site)
        assert (run.status, run.failure_code, run.worker_alive) == ("queued", "worker_down", False)

    def test_where_no_worker_was_ever_heard_of_nothing_is_queued(self, site: Site) -> None:
        with writing(site.engine) as session:
            session.delete(session.get_one(Worker, "here-cpu"))
        assert (ask(site).id, ask(site).failure_code) == ("", "worker_down")


class TestCancelRun:
    def test_only_who_asked_first_may(self, site: Site) -> None:
        run = ask(site)
        with pytest.raises(ForbiddenError):
            service.cancel_run(site.runs, run.id, OTHER)
        service.cancel_run(site.runs, run.id, LEARNER)
        assert site.state(run.id).status == "cancelled"


class TestMeasureMissing:
    def test_it_queues_what_has_no_fresh_measurement_behind_what_learners_ask_for(self, site: Site) -> None:
        wanted = [trade(depth) for depth in (16, 17, 18)]
        demo, params = wanted[1]
        records.store(
            site.engine,
            run_id="earlier",
            demo_id=demo.id,
            params=dict(params.to_json()),
            params_hash=params_hash(demo.id, params),
            device=DEVICE,
            host="here",
            result={},
        )
        assert service.measure_missing(site.engine, site.runs, wanted) == 2
        assert ask(site, 20).position == 1
        assert site.runs.count_queued("cpu") == 1
        assert site.runs.count_queued("cpu", priority=PREPARED) == 3

    def test_what_a_learner_asks_for_after_all_waits_no_longer_behind_the_rest(self, site: Site) -> None:
        wanted = [trade(depth) for depth in (16, 17, 18)]
        service.measure_missing(site.engine, site.runs, wanted)
        run = ask(site, 18)
        assert (run.position, run.can_cancel) == (1, True)
        assert site.runs.count_queued("cpu", priority=PREPARED) == 3

    def test_it_waits_for_a_device_to_ask_for(self, site: Site) -> None:
        with writing(site.engine) as session:
            session.delete(session.get_one(Worker, "here-cpu"))
        assert service.measure_missing(site.engine, site.runs, [trade()]) is None


class TestStore:
    def test_a_run_is_stored_once(self, site: Site) -> None:
        def store(result: dict[str, int]) -> int:
            return records.store(
                site.engine,
                run_id="run",
                demo_id="trade",
                params={},
                params_hash="hash",
                device=DEVICE,
                host="here",
                result=result,
            )

        assert store({"first": 1}) == store({"second": 2})
        assert [measurement.result for measurement in site.measurements()] == [{"first": 1}]
