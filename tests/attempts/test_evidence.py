"""The evidence beside an answered question, from a stored measurement, on both databases."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from app.core.settings import Settings
from tests.support.clients import Visitor, open_site
from tests.support.measurements import store_measurement
from tests.support.quizzes import prepare_quiz, quiz_data, with_evidence

EQUAL = {"metric": "segments.gradients_equal", "is": "==", "value": True}


@pytest.fixture
def measured_site(settings: Settings, tmp_path: Path) -> Iterator[TestClient]:
    data = with_evidence(quiz_data())
    data["items"][0]["options"][1]["refuted_by"] = {"expect": [EQUAL]}
    prepare_quiz(settings, tmp_path / "quizzes", data)
    with open_site(settings) as client:
        yield client


def answered(client: TestClient, option: str = "b", **headers: str) -> tuple[Visitor, str, str]:
    visitor = Visitor(client)
    attempt = visitor.start()
    return visitor, attempt, visitor.answer(attempt, 1, option, **headers).text


def test_a_whole_page_has_the_measured_numbers_in_its_sentence(
    settings: Settings, measured_site: TestClient
) -> None:
    store_measurement(settings, {"segments.gradients_equal": True})
    _, _, page = answered(measured_site)
    assert '<data class="measured" value="589824"' in page
    assert "Counted on CPU" in page
    assert "CUDA" not in page


def test_an_htmx_answer_fetches_its_evidence_in_a_second_step(
    settings: Settings, measured_site: TestClient
) -> None:
    store_measurement(settings, {"segments.gradients_equal": True})
    visitor, attempt, part = answered(measured_site, **{"HX-Request": "true"})
    assert "589824" not in part
    region = visitor.get(f"{attempt}/questions/1/evidence", **{"HX-Request": "true"}).text
    assert "<html" not in region
    assert '<data class="measured" value="589824"' in region


def test_the_measurement_supports_the_key_and_refutes_a_wrong_option(
    settings: Settings, measured_site: TestClient
) -> None:
    store_measurement(settings, {"segments.gradients_equal": True})
    _, _, page = answered(measured_site)
    assert "Supported:" in page
    assert "Refuted:" in page


def test_a_claim_that_does_not_hold_here_is_not_told_as_a_fact(
    settings: Settings, measured_site: TestClient
) -> None:
    store_measurement(settings, {"segments.gradients_equal": False, "segments.peak_bytes": 99 * 65_536})
    _, _, page = answered(measured_site)
    assert "Supported:" not in page
    assert "Refuted:" not in page


def test_without_a_measurement_the_page_says_so_and_nothing_is_claimed(measured_site: TestClient) -> None:
    _, _, page = answered(measured_site)
    assert "not yet measured" in page
    assert "Supported:" not in page


def test_no_evidence_is_shown_before_the_answer(settings: Settings, measured_site: TestClient) -> None:
    store_measurement(settings, {})
    visitor = Visitor(measured_site)
    attempt = visitor.start()
    assert "589824" not in visitor.get(f"{attempt}/questions/1").text
    assert visitor.get(f"{attempt}/questions/1/evidence").status_code == 400
