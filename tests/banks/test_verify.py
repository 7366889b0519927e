"""verify holds what questions say against measurements, and names what does not hold."""

from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree as ET

import yaml

from app.banks.source import QuizSource, parse_quiz
from app.banks.verify import Line, junit, verify
from tests.support.quizzes import Data, in_all, quiz_data, with_evidence

METRICS = {"plain.peak_bytes": 1000, "segments.peak_bytes": 400, "segments.gradients_equal": True}


def source_of(data: Data) -> QuizSource:
    return parse_quiz(yaml.safe_dump(data, allow_unicode=True).encode(), file="quiz.yaml")


def lines_of(data: Data, metrics: Mapping[str, Any]) -> list[Line]:
    return list(verify([source_of(data)], lambda _demo, _params: {"metrics": metrics}))


def refuted(data: Data, option: int, refutation: Data) -> Data:
    data["items"][0]["options"][option]["refuted_by"] = refutation
    return data


EQUAL = {"expect": [{"metric": "segments.gradients_equal", "is": "==", "value": True}]}


def test_a_claim_that_holds_is_a_line_that_holds() -> None:
    [line] = lines_of(with_evidence(quiz_data()), METRICS)
    assert line.holds
    assert (line.question, line.role) == ("small/item-0", "supports a")


def test_a_claim_that_does_not_hold_is_named() -> None:
    [line] = lines_of(with_evidence(quiz_data()), METRICS | {"segments.peak_bytes": 1000})
    assert not line.holds
    assert "1000 < 1000" in str(line)


def test_a_wrong_option_is_refuted_by_the_items_own_demo_or_by_another() -> None:
    data = refuted(with_evidence(quiz_data()), 1, EQUAL)
    other = {"demo": "rng", "expect": [{"metric": "preserved.mask_agreement", "is": "==", "value": 1.0}]}
    lines = lines_of(refuted(data, 2, other), METRICS | {"preserved.mask_agreement": 1.0})
    assert [(line.role, line.holds) for line in lines] == [
        ("supports a", True),
        ("refutes b", True),
        ("refutes c", True),
    ]
    assert lines[2].demo.startswith("rng(")


def test_a_number_that_a_text_places_must_have_been_measured() -> None:
    data = with_evidence(quiz_data())
    data["items"][0]["explanation"] = in_all("It kept {{segments.saved_bytes}}.")
    assert [line.holds for line in lines_of(data, METRICS)] == [True, False]


def test_a_demo_that_raises_fails_every_line_and_stops_nothing() -> None:
    def fail(_demo: str, _params: Mapping[str, object]) -> Mapping[str, Any]:
        raise MemoryError("no room")

    lines = list(verify([source_of(refuted(with_evidence(quiz_data()), 1, EQUAL))], fail))
    assert not any(line.holds for line in lines)
    assert "MemoryError: no room" in str(lines[0])


def test_each_demo_with_its_parameters_runs_once() -> None:
    runs: list[str] = []

    def measure(demo: str, _params: Mapping[str, object]) -> Mapping[str, Any]:
        runs.append(demo)
        return {"metrics": METRICS}

    data = refuted(with_evidence(quiz_data()), 1, EQUAL)
    list(verify([source_of(data), source_of(data)], measure))
    assert runs == ["trade"]


def test_the_junit_report_counts_what_fails() -> None:
    lines = lines_of(with_evidence(quiz_data()), {})
    suite = ET.fromstring(junit(lines))  # noqa: S314 - written by the line above
    assert suite.attrib == {"name": "verify", "tests": "2", "failures": "2"}
    assert len(suite.findall("testcase/failure")) == 2
