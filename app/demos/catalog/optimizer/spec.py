from dataclasses import dataclass

from app.demos import spec
from app.demos.declare import step_metrics
from app.demos.spec import N_, Demo, Metric, VariantSpec, bounded


@dataclass(frozen=True, slots=True)
class Params(spec.Params):
    """The worst case, 32 layers of 512 by 512 at batch 128, computes 8 GFLOP and holds 144 MiB."""

    depth: int = bounded(16, low=4, high=32, label=N_("Layers"))
    width: int = bounded(256, low=32, high=512, label=N_("Width of a layer"))
    batch: int = bounded(64, low=8, high=128, label=N_("Batch size"))


DEMO = Demo(
    id="optimizer",
    title=N_("What checkpointing cannot shrink"),
    summary=N_(
        "A multilayer perceptron trained by Adam, plain and checkpointed: parameters, gradients, optimizer "
        "state and activations are weighed apart."
    ),
    finding=N_(
        "Parameters, gradients and optimizer state took {{floor_bytes}} with checkpointing and without, "
        "{{state_bytes}} of it Adam's state. Checkpointing kept {{checkpointed.saved_saving}} less for the "
        "backward pass, yet the whole step needed only {{checkpointed.total_saving}} less."
    ),
    params=Params,
    variants=(
        VariantSpec("plain", N_("Plain")),
        VariantSpec("checkpointed", N_("Checkpointed")),
    ),
    metrics=(
        *step_metrics("plain", first=True),
        *step_metrics("checkpointed"),
        Metric("parameters", "count", N_("Parameters")),
        Metric("parameter_bytes", "bytes", N_("Bytes of parameters")),
        Metric("gradient_bytes", "bytes", N_("Bytes of gradients")),
        Metric("state_bytes", "bytes", N_("Bytes of optimizer state")),
        Metric("state_bytes_per_parameter", "number", N_("Bytes of optimizer state for each parameter")),
        Metric("floor_bytes", "bytes", N_("Parameters, gradients and optimizer state")),
        Metric("plain.total_bytes", "bytes", N_("The whole step, plain")),
        Metric("checkpointed.total_bytes", "bytes", N_("The whole step, checkpointed")),
        Metric("checkpointed.saved_saving", "ratio", N_("Saved plainly over saved with checkpointing")),
        Metric("checkpointed.total_saving", "ratio", N_("Whole step, plain over checkpointed")),
    ),
    picture="bars",
)
