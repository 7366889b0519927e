"""A file of measurements: made by the lab on this CPU, checked, and loaded once."""

import copy
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app import cli
from app.core.db import make_engine, writing
from app.core.migrations import upgrade
from app.core.settings import ROOT, Settings
from app.demos import imports
from app.demos.imports import MeasurementFileError, load_folder, read_measurements, store_measurements
from app.demos.spec import params_hash
from app.demos.tables import Measurement
from tests.demos.measured import measured

Change = Callable[[dict[str, Any]], Any]


@pytest.fixture
def report() -> dict[str, Any]:
    return {"format": 1, "results": [copy.deepcopy(measured("replay")), copy.deepcopy(measured("rng"))]}


@pytest.fixture
def session(settings: Settings) -> Iterator[Session]:
    settings.data.mkdir(parents=True, exist_ok=True)
    upgrade(settings.app_database_url)
    engine = make_engine(settings.app_database_url)
    with Session(engine) as opened:
        yield opened
    engine.dispose()


def write(path: Path, report: object) -> Path:
    path.write_text(json.dumps(report), encoding="utf-8")
    return path


class TestStoring:
    def test_a_file_is_loaded_once_with_where_it_was_measured(
        self, session: Session, tmp_path: Path, report: dict[str, Any]
    ) -> None:
        results = read_measurements(write(tmp_path / "file.json", report))
        assert store_measurements(session, results) == 2
        assert store_measurements(session, results) == 0
        row = session.scalars(select(Measurement).where(Measurement.demo_id == "rng")).one()
        given = report["results"][1]
        assert row.is_imported
        assert row.params_hash == params_hash("rng", results[1].params)
        assert row.device_name == given["provenance"]["device_name"]
        assert row.software == f"torch {given['provenance']['torch']}, harness 1"
        assert row.measured_at.isoformat() == given["provenance"]["started_at"]
        assert row.result["metrics"] == given["metrics"]
        assert row.result["picture"] == given["picture"]

    def test_every_file_of_a_folder_is_loaded(
        self, session: Session, tmp_path: Path, report: dict[str, Any]
    ) -> None:
        assert load_folder(session, tmp_path / "absent") == 0
        write(tmp_path / "a.json", report)
        write(tmp_path / "b.json", report)
        assert load_folder(session, tmp_path) == 2
        (tmp_path / "b.json").write_text("{", encoding="utf-8")
        with pytest.raises(MeasurementFileError, match=r"b\.json: "):
            load_folder(session, tmp_path)

    def test_what_is_not_known_is_not_taken_along(self, tmp_path: Path, report: dict[str, Any]) -> None:
        report["results"][0]["surprise"] = "<script>"
        (first, _) = read_measurements(write(tmp_path / "file.json", report))
        assert "surprise" not in first.form.to_json()


def first(report: dict[str, Any]) -> dict[str, Any]:
    result: dict[str, Any] = report["results"][0]
    return result


CHANGES: dict[str, tuple[Change, str]] = {
    "another format": (lambda r: r.update(format=2), "format"),
    "no results": (lambda r: r.pop("results"), "results"),
    "an unknown demo": (lambda r: first(r).update(demo="alchemy"), "no demo alchemy"),
    "a parameter out of bounds": (lambda r: first(r)["params"].update(batch=10**6), "must be between"),
    "a parameter too many": (lambda r: first(r)["params"].update(magic=1), "no parameter"),
    "a parameter too few": (lambda r: first(r)["params"].pop("batch"), "missing"),
    "a variant too few": (lambda r: first(r)["variants"].pop(), "variants"),
    "a metric too many": (lambda r: first(r)["metrics"].update(magic=1), "metrics"),
    "infinite bytes": (lambda r: first(r)["variants"][0]["step_ms"].update(median=float("inf")), "finite"),
    "no number at all": (lambda r: first(r)["metrics"].update({"plain.step_ms": float("nan")}), "finite"),
    "half a byte": (lambda r: first(r)["metrics"].update({"plain.saved_bytes": 0.5}), "is no bytes"),
    "a number for a truth": (
        lambda r: first(r)["metrics"].update({"mended.gradients_equal": 1}),
        "is no boolean",
    ),
    "negative bytes": (lambda r: first(r)["variants"][0].update(saved_bytes=-1), "greater than"),
    "words for a number": (lambda r: first(r)["variants"][0].update(saved_bytes="many"), "integer"),
    "another picture": (lambda r: first(r).update(picture={"kind": "timeline"}), "oplog"),
    "an unknown phase": (
        lambda r: first(r)["picture"]["columns"][0]["rows"][0].update(phase="lunch"),
        "phase",
    ),
    "a device of no class": (lambda r: first(r)["provenance"].update(device_class="abacus"), "device_class"),
    "a later harness": (lambda r: first(r)["provenance"].update(harness_version=99), "later version"),
    "the future": (lambda r: first(r)["provenance"].update(started_at="2999-01-01T00:00:00+00:00"), "future"),
    "a time without a zone": (
        lambda r: first(r)["provenance"].update(started_at="2026-01-01T00:00:00"),
        "time",
    ),
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_file_is_refused_whole_for(what: str, tmp_path: Path, report: dict[str, Any]) -> None:
    change, message = CHANGES[what]
    change(report)
    with pytest.raises(MeasurementFileError, match=message):
        read_measurements(write(tmp_path / "file.json", report))


def test_what_is_no_json_or_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file.json"
    path.write_bytes(b"[" * 100_000)
    with pytest.raises(MeasurementFileError, match="JSON"):
        read_measurements(path)
    monkeypatch.setattr(imports, "SIZE_LIMIT_BYTES", 1000)
    with pytest.raises(MeasurementFileError, match="larger than"):
        read_measurements(path)


class TestTheTask:
    def test_it_loads_a_file_and_says_how_many_were_new(
        self,
        settings: Settings,
        tmp_path: Path,
        report: dict[str, Any],
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        monkeypatch.setenv("REMATCH_DATA", str(settings.data))
        monkeypatch.setenv("DATABASE_URL", settings.database_url)
        path = write(tmp_path / "file.json", report)
        assert [cli.main(["import-measurements", str(path)]) for _ in range(2)] == [0, 0]
        assert capsys.readouterr().out.splitlines() == [
            f"{path}: 2 measurements, 2 of them new",
            f"{path}: 2 measurements, 0 of them new",
        ]
        engine = make_engine(settings.app_database_url)
        with writing(engine) as session:
            assert session.scalar(select(func.count(Measurement.id))) == 2
        engine.dispose()

    def test_a_bad_file_and_an_absent_one_are_a_sentence_each(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        path = write(tmp_path / "file.json", {"format": 1})
        assert cli.main(["import-measurements", str(path)]) == 1
        assert cli.main(["import-measurements", str(tmp_path / "absent")]) == 1
        bad, absent = capsys.readouterr().err.splitlines()
        assert bad == f"{path}: results: Field required"
        assert absent == f"{tmp_path / 'absent'}: No such file or directory"


def test_reading_a_file_needs_no_pytorch() -> None:
    code = "import sys, app.demos.imports; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0
