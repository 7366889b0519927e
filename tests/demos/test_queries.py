"""Which measurement a learner is shown, and whether it counts as made now."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from sqlalchemy.orm import Session

from app.core.db import now
from app.core.errors import NotFoundError
from app.demos import queries
from app.demos.tables import Measurement, Worker
from tests.demos.conftest import Site


@pytest.fixture
def session(shared_site: Site) -> Iterator[Session]:
    """A session that is rolled back."""
    with Session(shared_site.engine) as opened:
        yield opened


def add_worker(
    session: Session, device_class: str = "cpu", *, silent_seconds: float = 1.0, **other: str
) -> None:
    given = {"device_name": f"a {device_class}", "software": "torch 2", "host": "here"} | other
    session.add(
        Worker(
            executor_id=f"{given['host']}-{device_class}",
            device_class=device_class,
            started_at=now(),
            heartbeat_at=now() - timedelta(seconds=silent_seconds),
            **given,
        )
    )
    session.flush()


def add_measurement(
    session: Session, age_seconds: float, device_class: str = "cpu", prefix: str = "", **other: str
) -> Measurement:
    given = {"device_name": f"a {device_class}", "software": "torch 2", "host": "here"} | other
    measurement = Measurement(
        run_id=f"{prefix}run {age_seconds}",
        demo_id="trade",
        params_hash="hash",
        params={},
        device_class=device_class,
        result={},
        measured_at=now() - timedelta(seconds=age_seconds),
        **given,
    )
    session.add(measurement)
    session.flush()
    return measurement


class TestFindEvidence:
    def test_the_newest_of_the_living_workers_device_is_fresh(self, session: Session) -> None:
        add_worker(session)
        add_measurement(session, 300)
        newest = add_measurement(session, 200)
        add_measurement(session, 100, "cuda")
        evidence = queries.find_evidence(session, "trade", "hash")
        assert evidence.measurement is newest
        assert (evidence.is_fresh, evidence.is_here) == (True, True)
        assert evidence.worker is not None

    def test_other_software_is_shown_and_not_fresh(self, session: Session) -> None:
        add_worker(session, software="torch 3")
        earlier = add_measurement(session, 100)
        evidence = queries.find_evidence(session, "trade", "hash")
        assert evidence.measurement is earlier
        assert not evidence.is_fresh

    def test_another_machines_is_said_so(self, session: Session) -> None:
        add_worker(session)
        add_measurement(session, 100, host="elsewhere", device_name="another cpu")
        evidence = queries.find_evidence(session, "trade", "hash")
        assert (evidence.is_fresh, evidence.is_here) == (False, False)

    def test_a_cuda_worker_goes_before_a_cpu_one(self, session: Session) -> None:
        add_worker(session, "cpu")
        add_worker(session, "cuda", silent_seconds=9)
        add_measurement(session, 100, "cpu")
        cuda = add_measurement(session, 900, "cuda")
        evidence = queries.find_evidence(session, "trade", "hash")
        assert evidence.measurement is cuda
        assert evidence.worker is not None
        assert evidence.worker.device_class == "cuda"

    def test_a_dead_workers_device_still_says_what_is_fresh(self, session: Session) -> None:
        add_worker(session, silent_seconds=60)
        add_measurement(session, 100)
        evidence = queries.find_evidence(session, "trade", "hash")
        assert evidence.is_fresh
        assert evidence.worker is None

    def test_without_worker_and_measurement_there_is_nothing(self, session: Session) -> None:
        evidence = queries.find_evidence(session, "trade", "hash")
        assert (evidence.measurement, evidence.is_fresh, evidence.is_here) == (None, False, False)


def import_measurement(session: Session, age_seconds: float, device_class: str, **other: str) -> Measurement:
    return add_measurement(session, age_seconds, device_class, "import:", **other)


class TestFindEvidenceFromFiles:
    def test_this_sites_own_stands_before_a_newer_one_from_a_file_and_a_gpus_is_beside_it(
        self, session: Session
    ) -> None:
        add_worker(session)
        own = add_measurement(session, 500)
        gpu = import_measurement(session, 100, "cuda", device_name="NVIDIA H200", host="elsewhere")
        evidence = queries.find_evidence(session, "trade", "hash")
        assert (evidence.measurement, evidence.is_fresh, evidence.is_here) == (own, True, True)
        assert evidence.elsewhere is gpu

    def test_it_takes_the_place_of_a_measurement_that_this_site_has_not(self, session: Session) -> None:
        add_worker(session)
        import_measurement(session, 50, "cpu", device_name="a server's cpu", host="elsewhere")
        gpu = import_measurement(session, 100, "cuda", device_name="NVIDIA H200", host="elsewhere")
        evidence = queries.find_evidence(session, "trade", "hash")
        assert (evidence.measurement, evidence.is_fresh, evidence.is_here) == (gpu, False, False)
        assert evidence.elsewhere is None

    def test_of_the_same_device_software_and_host_it_is_still_not_measured_here(
        self, session: Session
    ) -> None:
        add_worker(session)
        alike = import_measurement(session, 100, "cpu")
        evidence = queries.find_evidence(session, "trade", "hash")
        assert (evidence.measurement, evidence.is_fresh, evidence.is_here) == (alike, False, False)

    def test_of_a_gpu_that_this_site_has_it_is_not_beside_its_own(self, session: Session) -> None:
        add_worker(session, "cuda")
        add_measurement(session, 500, "cuda")
        import_measurement(session, 100, "cuda")
        assert queries.find_evidence(session, "trade", "hash").elsewhere is None


class TestGetMeasurement:
    def test_it_finds_by_id_and_says_when_there_is_none(self, session: Session) -> None:
        measurement = add_measurement(session, 1)
        assert queries.get_measurement(session, measurement.id) is measurement
        with pytest.raises(NotFoundError):
            queries.get_measurement(session, measurement.id + 1)
