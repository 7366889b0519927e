"""A quiz.yaml is read whole or refused with every fault, each with its file, line and field."""

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from app.banks.checks import check
from app.banks.source import Fault, SourceFaultsError, parse_quiz, read_folder
from tests.support.quizzes import Data, in_all, quiz_data, with_evidence, write_quiz


def faults_of(data: Data | str | bytes) -> list[Fault]:
    text = yaml.safe_dump(data, allow_unicode=True, sort_keys=False) if isinstance(data, dict) else data
    encoded = text if isinstance(text, bytes) else text.encode()
    try:
        return check(parse_quiz(encoded, file="quiz.yaml"))
    except SourceFaultsError as error:
        return error.faults


def test_a_right_quiz_has_no_fault() -> None:
    assert faults_of(quiz_data()) == []
    assert faults_of(with_evidence(quiz_data())) == []


def test_a_fault_names_file_line_and_field() -> None:
    data = quiz_data()
    data["items"][1]["key"] = "nowhere"
    text = yaml.safe_dump(data, sort_keys=False)
    [fault] = faults_of(text)
    assert (fault.file, fault.field) == ("quiz.yaml", "items[1].key")
    assert text.splitlines()[fault.line - 1].strip() == "key: nowhere"
    assert "nowhere" in fault.message.format(**fault.values)


def test_every_fault_is_named_at_once() -> None:
    data = quiz_data()
    del data["items"][0]["stem"]
    data["items"][1]["colour"] = "red"
    data["level"] = "hard"
    assert {fault.field for fault in faults_of(data)} == {"items[0].stem", "items[1].colour", "level"}


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("items[0].stem.hi", lambda item: item["stem"].pop("hi")),
        ("items[0].options[1].text.vi", lambda item: item["options"][1]["text"].update(vi="  ")),
        ("items[0].options[1].id", lambda item: item["options"][1].update(id="a")),
        ("items[0].explanation.vi", lambda item: item["explanation"].update(vi="Số {{plain.peak_bytes}}")),
        ("items[0].stem.hi", lambda item: item["stem"].update(en="Use `torch.mm`", vi="`torch.mm`")),
        ("items[0].evidence.demo", lambda item: item["evidence"].update(demo="no-such-demo")),
        ("items[0].evidence.params.depth", lambda item: item["evidence"]["params"].update(depth=10**6)),
        ("items[0].evidence.params.height", lambda item: item["evidence"]["params"].update(height=1)),
        ("items[0].evidence.expect[0]", lambda item: item["evidence"]["expect"][0].update(metric="no")),
        ("items[0].evidence.expect[0]", lambda item: item["evidence"]["expect"][0].update(value=3)),
    ],
)
def test_what_is_wrong_in_an_item_is_found_where_it_stands(field: str, change: object) -> None:
    data = with_evidence(quiz_data())
    assert callable(change)
    change(data["items"][0])
    assert field in {fault.field for fault in faults_of(data)}


def test_a_number_in_the_stem_would_give_the_answer_away() -> None:
    data = with_evidence(quiz_data())
    data["items"][0]["stem"] = in_all("Is it {{segments.peak_bytes}}?")
    places = {f"items[0].stem.{code}" for code in ("en", "hi", "vi")}
    assert {fault.field for fault in faults_of(data)} == places


def test_a_metric_that_the_demo_does_not_measure_is_named() -> None:
    data = with_evidence(quiz_data())
    data["items"][0]["explanation"] = in_all("It took {{segments.miles}}.")
    assert {fault.values["token"] for fault in faults_of(data)} == {"segments.miles"}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (b"format: 1\nslug: [", 2),
        (b"format: 1\nformat: 1\n", 2),
        (b"a: &x [1]\nb: *x\n", 2),
        (b"format: 1\nslug: caf\xe9\n", 2),
        (b"", 1),
        (b"- 1\n", 1),
        (b"format: 1\n\x00", 1),
        (b"!!python/object/apply:os.system [ls]", 1),
        (b"[" * 20_000, 1),
    ],
    ids=["unclosed", "twice", "alias", "not-utf8", "empty", "list", "nul", "python-object", "deep"],
)
def test_what_is_no_quiz_is_refused_with_its_line(text: bytes, line: int) -> None:
    assert faults_of(text)[0].line == line


def test_a_file_that_is_too_large_is_refused_before_it_is_read() -> None:
    assert "too large" in faults_of(b"#" * (5 * 1024 * 1024))[0].message


@given(st.binary(max_size=400))
def test_any_bytes_are_read_or_refused(text: bytes) -> None:
    assert faults_of(text)


def test_a_missing_file_is_a_fault_and_so_is_a_missing_guide(tmp_path: Path) -> None:
    with pytest.raises(SourceFaultsError) as missing:
        read_folder(tmp_path)
    assert missing.value.faults[0].file.endswith("quiz.yaml")
    write_quiz(tmp_path, quiz_data() | {"guide": "guide"})
    with pytest.raises(SourceFaultsError) as no_guide:
        read_folder(tmp_path / "small")
    assert no_guide.value.faults[0].file.endswith("guide.en.md")


@pytest.mark.parametrize(
    ("option", "refutation", "field"),
    [
        (0, {"expect": [{"metric": "plain.flops", "is": ">", "value": 0}]}, "refuted_by"),
        (1, {"expect": [{"metric": "plain.miles", "is": ">", "value": 0}]}, "refuted_by.expect[0]"),
        (1, {"demo": "none", "expect": [{"metric": "x", "is": ">", "value": 0}]}, "refuted_by.demo"),
        (1, {"expect": [{"metric": "plain.flops", "is": ">", "value": True}]}, "refuted_by.expect[0]"),
        (1, {"expect": []}, "refuted_by.expect"),
    ],
    ids=["of-the-key", "metric", "demo", "relation", "empty"],
)
def test_what_is_wrong_in_a_refutation_is_found_where_it_stands(
    option: int, refutation: Data, field: str
) -> None:
    data = with_evidence(quiz_data())
    data["items"][0]["options"][option]["refuted_by"] = refutation
    assert f"items[0].options[{option}].{field}" in {fault.field for fault in faults_of(data)}


def test_a_refutation_without_a_demo_needs_the_items_own() -> None:
    data = quiz_data()
    data["items"][0]["options"][1]["refuted_by"] = {
        "expect": [{"metric": "plain.flops", "is": ">", "value": 0}]
    }
    assert [fault.field for fault in faults_of(data)] == ["items[0].options[1].refuted_by"]
