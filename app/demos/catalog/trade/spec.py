from dataclasses import dataclass

from app.demos import spec
from app.demos.declare import step_metrics
from app.demos.spec import N_, Demo, Metric, VariantSpec, bounded


@dataclass(frozen=True, slots=True)
class Params(spec.Params):
    """The most segments are the fewest layers, so every combination in bounds can be cut.

    The worst case, 32 layers of 512 by 512 at batch 128, computes 8 GFLOP and keeps 8 MiB a step.
    """

    depth: int = bounded(16, low=8, high=32, label=N_("Layers"))
    width: int = bounded(256, low=32, high=512, label=N_("Width of a layer"))
    batch: int = bounded(64, low=8, high=128, label=N_("Batch size"))
    segments: int = bounded(4, low=2, high=8, label=N_("Segments"))


DEMO = Demo(
    id="trade",
    title=N_("Memory traded for computation"),
    summary=N_(
        "One chain of layers trained plainly, checkpointed as one whole, and checkpointed in segments: "
        "how much memory does each hold, and how much does each compute?"
    ),
    finding=N_(
        "In segments the peak fell from {{plain.peak_bytes}} to {{segments.peak_bytes}} "
        "({{segments.peak_saving}} less) for {{segments.flops_ratio}} the computation. Checkpointed as one "
        "whole the chain still peaked at {{whole.peak_bytes}}, and computed {{whole.flops_ratio}} as much."
    ),
    params=Params,
    variants=(
        VariantSpec("plain", N_("Plain")),
        VariantSpec("whole", N_("Checkpointed as one whole")),
        VariantSpec("segments", N_("Checkpointed in segments")),
    ),
    metrics=(
        *step_metrics("plain", first=True),
        *step_metrics("whole"),
        *step_metrics("segments"),
        Metric("activation_bytes", "bytes", N_("One activation")),
        Metric("whole.peak_saving", "ratio", N_("Plain peak over the peak of one whole")),
        Metric("whole.flops_ratio", "ratio", N_("Computation of one whole against plain")),
        Metric("segments.peak_saving", "ratio", N_("Plain peak over the peak in segments")),
        Metric("segments.flops_ratio", "ratio", N_("Computation in segments against plain")),
    ),
    picture="timeline",
)
