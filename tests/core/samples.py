"""A demo, its result and texts in three languages: what the pages in `pages.py` are filled with."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from app.demos.spec import Demo, Metric, Params, Phase, VariantSpec, bounded, choice

NOW = datetime.now(UTC)
UNIT = 65_536  # bytes of one activation


@dataclass(frozen=True, slots=True)
class TradeParams(Params):
    depth: int = bounded(16, low=4, high=64, label="layers")
    segments: int = bounded(4, low=1, high=64, label="segments")
    mode: str = choice("plain", ("plain", "nested"), label="mode")


DEMO = Demo(
    id="trade",
    title="Memory for compute",
    summary="A chain of layers is trained for one step: plain, as one checkpoint, and in segments.",
    finding="In segments the peak is {{segments.peak_bytes}} in place of {{plain.peak_bytes}}, "
    "and the step computes {{segments.flops_ratio}} as much.",
    params=TradeParams,
    variants=(
        VariantSpec("plain", "plain"),
        VariantSpec("whole", "one checkpoint"),
        VariantSpec("segments", "segments"),
    ),
    metrics=(
        Metric("plain.peak_bytes", "bytes", "peak, plain"),
        Metric("segments.peak_bytes", "bytes", "peak, segments"),
        Metric("segments.peak_saving", "ratio", "saving"),
        Metric("segments.flops_ratio", "ratio", "work"),
    ),
    picture="timeline",
)


def timeline(checkpoint: int) -> list[list[Any]]:
    """A rising and falling line like a chain's; `checkpoint` layers are kept for each that is recomputed."""
    points: list[list[Any]] = []
    live = 0
    for layer in range(16):
        live += UNIT if layer % checkpoint == 0 else 0
        points.append([len(points), Phase.FORWARD.value, live + UNIT])
    for layer in reversed(range(16)):
        if checkpoint > 1 and layer % checkpoint == checkpoint - 1:
            for step in range(checkpoint):
                points.append([len(points), Phase.RECOMPUTE.value, live + step * UNIT])
        points.append([len(points), Phase.BACKWARD.value, max(UNIT, live + (layer % checkpoint) * UNIT)])
        live -= UNIT if layer % checkpoint == 0 else 0
    points.append([len(points), Phase.OPTIMIZER.value, 0])
    return points


def variant(name: str, *, saved: int, peak: int, recompute: int, checkpoint: int) -> dict[str, Any]:
    first = name == "plain"
    return {
        "id": name,
        "saved_bytes": saved,
        "peak_bytes": peak,
        "gradient_bytes": 4_194_304,
        "parameter_bytes": 4_194_304,
        "state_bytes": 0,
        "allocator_peak_bytes": peak + 4096,
        "reserved_bytes": None,
        "flops": {"forward": 134_217_728, "recompute": recompute, "backward": 268_435_456, "optimizer": 0},
        "ops": {"forward": 33, "recompute": 0, "backward": 66, "optimizer": 0},
        "step_ms": {"median": 4.21, "p10": 4.02, "p90": 5.13, "n": 20},
        "time_ratio": None if first else {"median": 1.28, "p10": 1.2, "p90": 1.4, "n": 20},
        "gradients_equal": None if first else True,
        "predicted": {"saved_bytes": saved, "peak_bytes": peak},
        "timeline": timeline(checkpoint),
    }


PROVENANCE: dict[str, Any] = {
    "device_class": "cpu",
    "device_name": "Intel(R) Xeon(R) Platinum 8481C CPU @ 2.70GHz",
    "capability": None,
    "driver": None,
    "torch": "2.13.0+cpu",
    "cuda": None,
    "dtype": "float32",
    "tf32": None,
    "sdpa": "math",
    "threads": 1,
    "seed": 0,
    "harness_version": 1,
    "host": "quiz",
    "python": "3.11.7",
    "started_at": NOW.isoformat(),
    "duration_ms": 812,
    "warmups": 3,
    "repeats": 20,
    "shared_device": False,
}

RESULT: dict[str, Any] = {
    "demo": "trade",
    "params": {"depth": 16, "segments": 4, "mode": "plain"},
    "variants": [
        variant("plain", saved=16 * UNIT + 4, peak=18 * UNIT, recompute=0, checkpoint=1),
        variant("whole", saved=4, peak=18 * UNIT, recompute=134_217_728, checkpoint=16),
        variant("segments", saved=7 * UNIT + 4, peak=9 * UNIT, recompute=100_663_296, checkpoint=4),
    ],
    "metrics": {
        "plain.peak_bytes": 18 * UNIT,
        "segments.peak_bytes": 9 * UNIT,
        "segments.peak_saving": 2.0,
        "segments.flops_ratio": 1.25,
    },
    "picture": {"kind": "timeline"},
    "provenance": PROVENANCE,
}

PICTURES: dict[str, dict[str, Any]] = {
    "timeline": {"kind": "timeline"},
    "bars": {
        "kind": "bars",
        "unit": "bytes",
        "bars": [
            {"label": "parameters", "group": "plain", "phase": "optimizer", "value": 4_194_304},
            {"label": "aten.relu", "group": "plain", "phase": "forward", "value": 1_048_576},
            {
                "label": "aten.native_dropout_backward.default.out",
                "group": "plain",
                "phase": "backward",
                "value": 65536,
            },
            {"label": "aten.relu", "group": "segments", "phase": "recompute", "value": 262_144},
            {"label": "aten.gelu", "group": "segments", "phase": "forward", "value": None},
        ],
    },
    "curve": {
        "kind": "curve",
        "x": "layers",
        "y": "at the peak",
        "y_unit": "bytes",
        "log": True,
        "series": [
            {"id": "plain", "label": "plain", "points": [[n, n * UNIT] for n in (16, 36, 64, 144, 256, 400)]},
            {
                "id": "sqrt",
                "label": "segments",
                "points": [[n, 2 * n**0.5 * UNIT] for n in (16, 36, 64, 144, 256, 400)],
            },
        ],
    },
    "oplog": {
        "kind": "oplog",
        "columns": [
            {
                "id": name,
                "label": name,
                "rows": [
                    {"phase": "forward", "op": "aten.native_batch_norm", "bytes": 65536},
                    {"phase": "recompute", "op": "aten.native_batch_norm", "bytes": 65536},
                    {"phase": "backward", "op": "aten.native_batch_norm_backward", "bytes": None},
                    {"phase": "optimizer", "op": "aten._foreach_add_", "bytes": 0},
                ],
            }
            for name in ("plain", "segments")
        ],
    },
    "table": {
        "kind": "table",
        "columns": ["variant", "value"],
        "rows": [["plain", 1.0], ["segments", 0.53], ["none", None]],
    },
}
