from dataclasses import dataclass

from app.demos import spec
from app.demos.declare import step_metrics
from app.demos.spec import N_, Demo, Metric, VariantSpec, bounded


@dataclass(frozen=True, slots=True)
class Params(spec.Params):
    """The worst case, 32 layers of 512 by 512 at batch 128, computes 6 GFLOP and keeps 16 MiB a step."""

    depth: int = bounded(16, low=2, high=32, label=N_("Layers"))
    width: int = bounded(256, low=32, high=512, label=N_("Width of a layer"))
    batch: int = bounded(64, low=8, high=128, label=N_("Batch size"))


DEMO = Demo(
    id="saved-activations",
    title=N_("What the backward pass needs"),
    summary=N_(
        "The same multilayer perceptron with ReLU, with GELU, and with ReLU but no gradients: "
        "how many bytes are still held when the forward pass ends?"
    ),
    finding=N_(
        "With ReLU {{relu.saved_bytes}} stayed in memory after the forward pass, one activation of "
        "{{activation_bytes}} for each of {{layers}} layers; with GELU {{gelu.saved_bytes}} "
        "({{gelu.saved_ratio}} as much), because GELU needs its input and the next layer needs its output; "
        "without gradients only {{no_grad.saved_bytes}}, the loss."
    ),
    params=Params,
    variants=(
        VariantSpec("relu", N_("ReLU")),
        VariantSpec("gelu", N_("GELU")),
        VariantSpec("no_grad", N_("ReLU without gradients")),
    ),
    metrics=(
        *step_metrics("relu", first=True),
        *step_metrics("gelu", comparable=False),
        *step_metrics("no_grad", comparable=False),
        Metric("activation_bytes", "bytes", N_("One activation")),
        Metric("layers", "count", N_("Layers")),
        Metric("gelu.saved_ratio", "ratio", N_("Saved with GELU against ReLU")),
    ),
    picture="bars",
)
