"""What a demo found, as the JSON that is stored and drawn."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from app.demos.allocator import Allocation
from app.demos.meter import Count
from app.demos.spec import Phase
from app.demos.timing import Spread

TIMELINE_POINTS = 240  # two for each of the 120 columns that a chart on a telephone can show

Number = int | float | bool | None
Point = tuple[int, str, int]


@dataclass(frozen=True, slots=True)
class Prediction:
    """The Meter's integers for a step on fake tensors, which hold no data."""

    saved_bytes: int
    peak_bytes: int


@dataclass(frozen=True, slots=True)
class VariantResult:
    """One variant's step in all four passes; what has no meaning for it is None."""

    id: str
    count: Count
    gradient_bytes: int
    parameter_bytes: int
    state_bytes: int
    allocation: Allocation
    step_ms: Spread
    time_ratio: Spread | None
    gradients_equal: bool | None
    predicted: Prediction

    @property
    def saved_bytes(self) -> int:
        """Activations kept for the backward pass."""
        return self.count.saved_bytes

    @property
    def peak_bytes(self) -> int:
        """The most activations at any time of the step."""
        return self.count.peak_bytes

    @property
    def flops(self) -> int:
        """Floating-point operations of the whole step."""
        return sum(self.count.flops().values())

    @property
    def total_bytes(self) -> int:
        """Everything the step needs: parameters, gradients, optimizer state, and the activations' peak."""
        return self.parameter_bytes + self.gradient_bytes + self.state_bytes + self.peak_bytes

    def metrics(self) -> dict[str, Number]:
        """The metrics that every variant has, by their full ids."""
        values: dict[str, Number] = {
            "saved_bytes": self.saved_bytes,
            "peak_bytes": self.peak_bytes,
            "flops": self.flops,
            "recompute_flops": self.count.flops()[Phase.RECOMPUTE],
            "step_ms": self.step_ms.median,
            "time_ratio": self.time_ratio.median if self.time_ratio else None,
            "gradients_equal": self.gradients_equal,
        }
        return {f"{self.id}.{name}": value for name, value in values.items()}

    def to_json(self) -> dict[str, Any]:
        """The variant's part of a result."""
        return {
            "id": self.id,
            "saved_bytes": self.saved_bytes,
            "peak_bytes": self.peak_bytes,
            "gradient_bytes": self.gradient_bytes,
            "parameter_bytes": self.parameter_bytes,
            "state_bytes": self.state_bytes,
            "allocator_peak_bytes": self.allocation.peak_bytes,
            "reserved_bytes": self.allocation.reserved_bytes,
            "flops": {phase.value: flops for phase, flops in self.count.flops().items()},
            "ops": {phase.value: number for phase, number in self.count.op_counts().items()},
            "step_ms": self.step_ms.to_json(),
            "time_ratio": self.time_ratio.to_json() if self.time_ratio else None,
            "gradients_equal": self.gradients_equal,
            "predicted": {
                "saved_bytes": self.predicted.saved_bytes,
                "peak_bytes": self.predicted.peak_bytes,
            },
            "timeline": [list(point) for point in thin(timeline(self.count), TIMELINE_POINTS)],
        }


class Measured(Protocol):
    """One variant, however it was measured; `VariantResult` is one that went through all passes here."""

    def metrics(self) -> dict[str, Number]:
        """The metrics that it has, by their full ids."""

    def to_json(self) -> dict[str, Any]:
        """Its part of a result: every key that `VariantResult` has, None for what was not measured."""


@dataclass(frozen=True, slots=True)
class Result:
    """What an experiment gives back: its variants, its own metrics beside theirs, and its picture."""

    variants: Mapping[str, Measured]
    metrics: Mapping[str, Number]
    picture: dict[str, Any]
    dtype: str = "float32"


def timeline(count: Count) -> list[Point]:
    """(op index, phase, live bytes) after each operator."""
    return [
        (index, op.phase.value, live)
        for index, (op, live) in enumerate(zip(count.ops, count.live_bytes, strict=True))
    ]


def thin(points: list[Point], most: int) -> list[Point]:
    """At most `most` of the points, an even number: the lowest and the highest of each stretch.

    No peak and no trough of the whole is lost.
    """
    if len(points) <= most:
        return points
    stretches = most // 2
    kept: list[Point] = []
    for number in range(stretches):
        start, end = (len(points) * each // stretches for each in (number, number + 1))
        stretch = points[start:end]
        kept += sorted({min(stretch, key=_live_bytes), max(stretch, key=_live_bytes)})
    return kept


def _live_bytes(point: Point) -> int:
    return point[2]
