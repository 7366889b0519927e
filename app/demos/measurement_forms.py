"""What a file of measurements must look like, which may come from a stranger's machine."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, StringConstraints

from app.demos.spec import Phase

Word = Annotated[str, StringConstraints(max_length=200)]
Words = Annotated[str, StringConstraints(max_length=1000)]
Whole = Annotated[int, Field(ge=0, le=10**18)]
Cell = str | bool | int | float | None


class Form(BaseModel):
    """Strict: no number is read from a word, none is infinite; what is unknown is not taken along."""

    model_config = ConfigDict(strict=True, allow_inf_nan=False, extra="ignore", frozen=True)


class SpreadForm(Form):
    """A median with two deciles."""

    median: float
    p10: float
    p90: float
    n: Annotated[int, Field(ge=1, le=10**6)]


class PredictionForm(Form):
    """What was predicted of a variant."""

    saved_bytes: Whole | None
    peak_bytes: Whole | None


class VariantForm(Form):
    """One variant of a demo."""

    id: Word
    saved_bytes: Whole | None
    peak_bytes: Whole | None
    gradient_bytes: Whole | None
    parameter_bytes: Whole | None
    state_bytes: Whole | None
    allocator_peak_bytes: int | None  # above what was there before, so it may be below zero
    reserved_bytes: Whole | None
    flops: dict[Phase, Whole] | None
    ops: dict[Phase, Whole] | None
    step_ms: SpreadForm | None
    time_ratio: SpreadForm | None
    gradients_equal: bool | None
    predicted: PredictionForm | None
    timeline: Annotated[list[tuple[Whole, Phase, int]], Field(max_length=1000)]


class ProvenanceForm(Form):
    """Where and how it was measured."""

    device_class: Literal["cpu", "cuda"]
    device_name: Word
    capability: Word | None
    driver: Word | None
    torch: Word
    cuda: Word | None
    dtype: Word
    tf32: bool | None
    sdpa: Word
    threads: Whole
    seed: Whole
    harness_version: Whole
    host: Word
    python: Word
    started_at: AwareDatetime
    duration_ms: Whole
    warmups: Whole
    repeats: Whole
    shared_device: bool


class TimelineForm(Form):
    """Drawn from the variants."""

    kind: Literal["timeline"]


class BarForm(Form):
    """One bar."""

    label: Word
    group: Word
    phase: Phase
    value: float | int | None


class BarsForm(Form):
    """Bars, in groups."""

    kind: Literal["bars"]
    unit: Word
    bars: Annotated[list[BarForm], Field(max_length=500)]


class SeriesForm(Form):
    """One line."""

    id: Word
    label: Words
    points: Annotated[list[tuple[float | int, float | int]], Field(max_length=1000)]


class CurveForm(Form):
    """Lines over a number."""

    kind: Literal["curve"]
    x: Words
    y: Words
    x_unit: Word = "number"
    y_unit: Word = "number"
    log: bool
    series: Annotated[list[SeriesForm], Field(max_length=20)]


class LoggedForm(Form):
    """One operator."""

    phase: Phase
    op: Word
    bytes: Whole


class ColumnForm(Form):
    """One variant's operators."""

    id: Word
    label: Words
    rows: Annotated[list[LoggedForm], Field(max_length=2000)]


class OplogForm(Form):
    """Operators side by side."""

    kind: Literal["oplog"]
    columns: Annotated[list[ColumnForm], Field(max_length=8)]


class TableForm(Form):
    """Rows of cells."""

    kind: Literal["table"]
    columns: Annotated[list[Words], Field(max_length=20)]
    rows: Annotated[list[list[Cell]], Field(max_length=200)]


class ResultForm(Form):
    """One run's result."""

    demo: Word
    params: dict[Word, int | Word]
    variants: Annotated[list[VariantForm], Field(max_length=20)]
    metrics: dict[Word, bool | int | float | None]
    picture: Annotated[
        TimelineForm | BarsForm | CurveForm | OplogForm | TableForm, Field(discriminator="kind")
    ]
    provenance: ProvenanceForm

    @property
    def measured_at(self) -> datetime:
        """When the run began."""
        return self.provenance.started_at

    @property
    def software(self) -> str:
        """Framework and harness, in the words of a worker."""
        return f"torch {self.provenance.torch}, harness {self.provenance.harness_version}"

    def to_json(self) -> dict[str, Any]:
        """What is stored: what was looked at, and nothing else of the file."""
        return self.model_dump(mode="json", exclude_unset=True)


class FileForm(Form):
    """The whole file. Its failures are for whoever made it."""

    format: Literal[1]
    results: Annotated[list[ResultForm], Field(max_length=500)]
