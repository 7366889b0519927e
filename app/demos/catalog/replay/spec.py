from dataclasses import dataclass

from app.demos import spec
from app.demos.declare import step_metrics
from app.demos.spec import N_, Demo, Metric, VariantSpec, bounded


@dataclass(frozen=True, slots=True)
class Params(spec.Params):
    """The worst case, one layer of 512 by 512 at batch 256, computes 0.5 GFLOP and keeps 1 MiB a step."""

    width: int = bounded(128, low=16, high=512, label=N_("Width of a layer"))
    batch: int = bounded(64, low=8, high=256, label=N_("Batch size"))


DEMO = Demo(
    id="replay",
    title=N_("The forward pass runs again"),
    summary=N_(
        "A block with batch normalisation, plain and checkpointed, and every operation of one training step: "
        "what happens inside the region during the backward pass?"
    ),
    finding=N_(
        "The checkpointed block ran its forward function {{checkpointed.forward_calls}} times in one step, "
        "{{checkpointed.recompute_ops}} operations of it during the backward pass. Side effects were "
        "repeated with it: batch normalisation counted {{checkpointed.batches_tracked}} batches in place of "
        "{{plain.batches_tracked}}."
    ),
    params=Params,
    variants=(
        VariantSpec("plain", N_("Plain")),
        VariantSpec("checkpointed", N_("Checkpointed")),
        VariantSpec("mended", N_("Checkpointed, momentum mended")),
    ),
    metrics=(
        *step_metrics("plain", first=True),
        *step_metrics("checkpointed"),
        *step_metrics("mended"),
        Metric("plain.forward_calls", "count", N_("Calls of the forward function, plain")),
        Metric("checkpointed.forward_calls", "count", N_("Calls of the forward function, checkpointed")),
        Metric("plain.forward_ops", "count", N_("Operations in the forward pass, plain")),
        Metric("plain.recompute_ops", "count", N_("Operations run again, plain")),
        Metric("checkpointed.recompute_ops", "count", N_("Operations run again, checkpointed")),
        Metric("plain.batches_tracked", "count", N_("Batches counted, plain")),
        Metric("checkpointed.batches_tracked", "count", N_("Batches counted, checkpointed")),
        Metric("mended.batches_tracked", "count", N_("Batches counted, momentum mended")),
        Metric(
            "checkpointed.running_mean_difference", "number", N_("Error of the running mean, checkpointed")
        ),
        Metric("mended.running_mean_difference", "number", N_("Error of the running mean, momentum mended")),
    ),
    picture="oplog",
)
