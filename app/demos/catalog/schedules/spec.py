from collections.abc import Iterator
from dataclasses import dataclass

from app.demos import spec
from app.demos.declare import step_metrics
from app.demos.spec import N_, Demo, Metric, VariantSpec, bounded, choice

SCHEDULED = ("sqrt", "revolve", "optimal", "tight")  # the variants that a schedule was predicted for


@dataclass(frozen=True, slots=True)
class Params(spec.Params):
    """The worst case, 64 layers of 128 by 128 at batch 64 with two checkpoints, runs 420 layers again."""

    layers: int = bounded(16, low=4, high=64, label=N_("Layers"))
    shape: str = choice("uneven", ("uneven", "even"), label=N_("Sizes of the layers"))
    checkpoints: int = bounded(3, low=2, high=8, label=N_("Checkpoints of revolve"))
    width: int = bounded(64, low=16, high=128, label=N_("Width of a layer"))
    batch: int = bounded(32, low=8, high=64, label=N_("Batch size"))


def schedule_metrics(variant: str) -> Iterator[Metric]:
    """What was predicted of a schedule, and what it gains and costs."""
    yield Metric(f"{variant}.predicted_saved_bytes", "bytes", N_("Saved for the backward pass, predicted"))
    yield Metric(f"{variant}.predicted_peak_bytes", "bytes", N_("Peak activation memory, predicted"))
    yield Metric(f"{variant}.predicted_forwards", "count", N_("Layers computed again, predicted"))
    yield Metric(f"{variant}.predicted_flops", "flops", N_("Computation done again, predicted"))
    yield Metric(f"{variant}.extra_forwards", "count", N_("Layers computed again"))
    yield Metric(f"{variant}.peak_saving", "ratio", N_("Plain peak over the peak of the schedule"))
    yield Metric(f"{variant}.flops_ratio", "ratio", N_("Computation under the schedule against plain"))


DEMO = Demo(
    id="schedules",
    title=N_("Schedules and the optimum"),
    summary=N_(
        "One chain under √N segments, under revolve, and under the schedule that computes least again in the "
        "memory of each: how far from the optimum are they, and do the predictions hold?"
    ),
    finding=N_(
        "√N segments peaked at {{sqrt.peak_bytes}} and computed {{sqrt.recompute_flops}} again; within that "
        "memory the optimum computed {{optimal.recompute_flops}}. Revolve peaked at {{revolve.peak_bytes}} "
        "and computed {{revolve.recompute_flops}} again; there the optimum computed "
        "{{tight.recompute_flops}}. Predicted and measured peaks were apart by "
        "{{prediction_error_bytes}} at most."
    ),
    params=Params,
    variants=(
        VariantSpec("plain", N_("Plain")),
        VariantSpec("sqrt", N_("√N segments")),
        VariantSpec("revolve", N_("Revolve")),
        VariantSpec("optimal", N_("Optimum in the memory of √N segments")),
        VariantSpec("tight", N_("Optimum in the memory of revolve")),
    ),
    metrics=(
        *step_metrics("plain", first=True),
        *(metric for variant in SCHEDULED for metric in step_metrics(variant)),
        *(metric for variant in SCHEDULED for metric in schedule_metrics(variant)),
        Metric("activation_bytes", "bytes", N_("One activation of full width")),
        Metric("segments", "count", N_("Segments")),
        Metric("optimal.flops_saving", "ratio", N_("Computed again by √N segments over the optimum")),
        Metric("tight.flops_saving", "ratio", N_("Computed again by revolve over the optimum")),
        Metric("optimal.is_proven", "boolean", N_("No schedule in the memory of √N segments computes less")),
        Metric("tight.is_proven", "boolean", N_("No schedule in the memory of revolve computes less")),
        Metric(
            "ilp.optimal_flops",
            "flops",
            N_("Integer program: computed again in the memory of √N segments (at most 8 layers, with SciPy)"),
        ),
        Metric(
            "ilp.tight_flops",
            "flops",
            N_("Integer program: computed again in the memory of revolve (at most 8 layers, with SciPy)"),
        ),
        Metric("prediction_error_bytes", "bytes", N_("Most between a predicted and a measured peak")),
    ),
    picture="curve",
)
