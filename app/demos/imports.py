"""Measurements that were made on another machine and came in a file."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from app.core.db import now
from app.demos.catalog import find_demo
from app.demos.measurement_forms import FileForm, ResultForm
from app.demos.spec import HARNESS_VERSION, Demo, Metric, ParamError, Params, params_hash
from app.demos.tables import IMPORTED, Measurement

SIZE_LIMIT_BYTES = 16 * 1024**2  # a check of all demos writes about one
CLOCK_SKEW = timedelta(days=1)
FAULTS_SHOWN = 5
WHOLE_UNITS = {"bytes", "count", "flops"}


class MeasurementFileError(ValueError):
    """A file cannot be taken; the message says what is wrong with it, and nothing of it was loaded."""


@dataclass(frozen=True, slots=True)
class ImportedResult:
    """A result that has been checked, with what it is stored under."""

    demo: Demo
    params: Params
    form: ResultForm

    @property
    def run_id(self) -> str:
        """The same for the same result, so that it is stored once."""
        canonical = json.dumps(self.form.to_json(), sort_keys=True, separators=(",", ":"))
        return IMPORTED + hashlib.sha256(canonical.encode()).hexdigest()[:40]


def read_measurements(path: Path) -> list[ImportedResult]:
    """Every result of a file, checked. Raises MeasurementFileError, or OSError where it cannot be read."""
    if path.stat().st_size > SIZE_LIMIT_BYTES:
        raise MeasurementFileError(f"it is larger than {SIZE_LIMIT_BYTES // 1024**2} MiB")
    with path.open("rb") as file:
        content = file.read(SIZE_LIMIT_BYTES)
    try:
        form = FileForm.model_validate_json(content)
    except ValidationError as error:
        faults = [_describe(fault) for fault in error.errors(include_url=False, include_input=False)]
        raise MeasurementFileError("; ".join(faults[:FAULTS_SHOWN])) from error
    return [_check(f"results[{number}]", result) for number, result in enumerate(form.results)]


def store_measurements(session: Session, results: Iterable[ImportedResult]) -> int:
    """Store what is not stored yet; how many that were."""
    stored = 0
    for result in results:
        if session.scalar(select(Measurement.id).where(Measurement.run_id == result.run_id)):
            continue
        try:
            with session.begin_nested():
                session.add(_make_row(result))
        except IntegrityError:
            continue  # another process has just stored it
        stored += 1
    return stored


def load_folder(session: Session, folder: Path) -> int:
    """Store the measurements of every file in `folder`, which need not exist; how many were new.

    Raises MeasurementFileError that names the file.
    """
    stored = 0
    for path in sorted(folder.glob("*.json")):
        try:
            results = read_measurements(path)
        except MeasurementFileError as error:
            raise MeasurementFileError(f"{path}: {error}") from error
        stored += store_measurements(session, results)
    return stored


def _make_row(result: ImportedResult) -> Measurement:
    form = result.form
    return Measurement(
        run_id=result.run_id,
        demo_id=result.demo.id,
        params_hash=params_hash(result.demo.id, result.params),
        params=result.params.to_json(),
        device_class=form.provenance.device_class,
        device_name=form.provenance.device_name,
        software=form.software,
        host=form.provenance.host,
        result=form.to_json(),
        measured_at=form.measured_at,
    )


def _check(where: str, form: ResultForm) -> ImportedResult:
    """What the schema cannot say: a known demo, its parameters in bounds, and a time that has been."""
    demo = find_demo(form.demo)
    if demo is None:
        raise MeasurementFileError(f"{where}: there is no demo {form.demo}")
    try:
        params = demo.parse_params(form.params)
    except ParamError as error:
        raise MeasurementFileError(f"{where}: {error}") from error
    if form.params != params.to_json():
        raise MeasurementFileError(f"{where}: a parameter of {demo.id} is missing")
    _check_content(where, demo, form)
    if form.provenance.harness_version > HARNESS_VERSION:
        raise MeasurementFileError(f"{where}: made by a later version of this software")
    if form.measured_at > now() + CLOCK_SKEW:
        raise MeasurementFileError(f"{where}: measured in the future")
    return ImportedResult(demo, params, form)


def _check_content(where: str, demo: Demo, form: ResultForm) -> None:
    if [variant.id for variant in form.variants] != [variant.id for variant in demo.variants]:
        raise MeasurementFileError(f"{where}: the variants are not those of {demo.id}")
    if form.picture.kind != demo.picture:
        raise MeasurementFileError(f"{where}: the picture of {demo.id} is a {demo.picture}")
    if form.metrics.keys() != {metric.id for metric in demo.metrics}:
        raise MeasurementFileError(f"{where}: the metrics are not those of {demo.id}")
    for metric in demo.metrics:
        if not _fits(metric, form.metrics[metric.id]):
            raise MeasurementFileError(f"{where}: {metric.id} is no {metric.unit}")


def _fits(metric: Metric, value: bool | float | None) -> bool:
    if value is None:
        return True
    if metric.unit == "boolean" or isinstance(value, bool):
        return metric.unit == "boolean" and isinstance(value, bool)
    return isinstance(value, int) or metric.unit not in WHOLE_UNITS


def _describe(fault: Any) -> str:
    where = ".".join(str(part) for part in fault["loc"])
    return f"{where}: {fault['msg']}" if where else str(fault["msg"])
