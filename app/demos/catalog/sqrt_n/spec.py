from dataclasses import dataclass

from app.demos import spec
from app.demos.declare import step_metrics
from app.demos.spec import N_, Demo, Metric, VariantSpec, bounded


@dataclass(frozen=True, slots=True)
class Params(spec.Params):
    """The worst case, 256 layers of 128 by 128 at batch 64, computes 2 GFLOP and keeps 8 MiB a step."""

    layers: int = bounded(64, low=16, high=256, label=N_("Layers"))
    width: int = bounded(64, low=16, high=128, label=N_("Width of a layer"))
    batch: int = bounded(32, low=8, high=64, label=N_("Batch size"))


DEMO = Demo(
    id="sqrt-n",
    title=N_("The square-root schedule"),
    summary=N_(
        "A chain of N layers trained plainly and in about √N checkpointed segments, then every kind of cut, "
        "then longer chains: how does the memory grow?"
    ),
    finding=N_(
        "In {{segments}} segments the chain kept {{sqrt.saved_activations}} activations in place of "
        "{{plain.saved_activations}}, and its peak was {{sqrt.peak_saving}} lower, for "
        "{{sqrt.extra_forwards}} layers computed again. As chains grow the plain peak rises like N to the "
        "power {{plain.slope}}, the peak of √N segments like N to the power {{sqrt.slope}}."
    ),
    params=Params,
    variants=(
        VariantSpec("plain", N_("Plain")),
        VariantSpec("sqrt", N_("√N segments")),
    ),
    metrics=(
        *step_metrics("plain", first=True),
        *step_metrics("sqrt"),
        Metric("activation_bytes", "bytes", N_("One activation")),
        Metric("segments", "count", N_("Segments")),
        Metric("plain.saved_activations", "count", N_("Activations saved, plain")),
        Metric("sqrt.saved_activations", "count", N_("Activations saved, √N segments")),
        Metric("sqrt.extra_forwards", "count", N_("Layers computed again")),
        Metric("sqrt.saved_saving", "ratio", N_("Saved plainly over saved in √N segments")),
        Metric("sqrt.peak_saving", "ratio", N_("Plain peak over the peak of √N segments")),
        Metric("sqrt.flops_ratio", "ratio", N_("Computation in √N segments against plain")),
        Metric("plain.slope", "number", N_("Power of N in the plain peak")),
        Metric("sqrt.slope", "number", N_("Power of N in the peak of √N segments")),
    ),
    picture="curve",
)
