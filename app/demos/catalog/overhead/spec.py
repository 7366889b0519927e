from collections.abc import Iterator
from dataclasses import dataclass

from app.demos import spec
from app.demos.declare import step_metrics
from app.demos.spec import N_, Demo, Metric, VariantSpec, bounded, choice

# What a block of each model runs, in its order; code, in every language the same
MODELS: dict[str, str] = {
    "relu_linear": "ReLU → Linear",
    "feed_forward": "LayerNorm → Linear → GELU → Linear",
    "attention": "LayerNorm → attention",
    "conv_norm": "Conv2d → BatchNorm2d → ReLU",
    "linear_relu": "Linear → ReLU",
}


@dataclass(frozen=True, slots=True)
class Params(spec.Params):
    """Every model is counted and timed; `model` is the one that goes through all passes.

    The worst case, width 256 at batch 256, computes 2 GFLOP and keeps 5 MiB in a step of one model.
    """

    model: str = choice("relu_linear", tuple(MODELS), label=N_("Model shown in full"))
    width: int = bounded(128, low=32, high=256, label=N_("Width of a layer"))
    batch: int = bounded(64, low=8, high=256, label=N_("Batch size"))


def model_metrics(model: str) -> Iterator[Metric]:
    """The price of checkpointing every block of a model; labels are the same, the ids name the model."""
    yield Metric(f"{model}.plain_flops", "flops", N_("Computation in the whole step, plain"))
    yield Metric(f"{model}.recompute_flops", "flops", N_("Computation done again"))
    yield Metric(f"{model}.flops_ratio", "ratio", N_("Computation, checkpointed against plain"))
    yield Metric(
        f"{model}.no_early_stop_flops_ratio", "ratio", N_("Computation, no early stop, against plain")
    )
    yield Metric(f"{model}.time_ratio", "ratio", N_("Time, checkpointed against plain"))
    yield Metric(f"{model}.gradients_equal", "boolean", N_("Gradients equal to the last bit"))


DEMO = Demo(
    id="overhead",
    title=N_("What recomputation costs"),
    summary=N_(
        "Five small models with every block checkpointed, and again with the recomputation not allowed to "
        "stop early: how much more computation and time does a step take than the plain one?"
    ),
    finding=N_(
        "The same technique brought the computation to anything from {{lowest_flops_ratio}} to "
        "{{highest_flops_ratio}} the plain step's, and its time to anything from {{lowest_time_ratio}} to "
        "{{highest_time_ratio}}. The order of two layers alone decided between {{relu_linear.flops_ratio}} "
        "and {{linear_relu.flops_ratio}}: where a block ends in a linear layer, nobody needs its product "
        "again, and the recomputation stops before it."
    ),
    params=Params,
    variants=(
        VariantSpec("plain", N_("Plain")),
        VariantSpec("checkpointed", N_("Every block checkpointed")),
        VariantSpec("no_early_stop", N_("Every block checkpointed, no early stop")),
    ),
    metrics=(
        *step_metrics("plain", first=True),
        *step_metrics("checkpointed"),
        *step_metrics("no_early_stop"),
        *(metric for model in MODELS for metric in model_metrics(model)),
        Metric("models", "count", N_("Models measured")),
        Metric("lowest_flops_ratio", "ratio", N_("Lowest ratio of computation")),
        Metric("highest_flops_ratio", "ratio", N_("Highest ratio of computation")),
        Metric("lowest_time_ratio", "ratio", N_("Lowest ratio of time")),
        Metric("highest_time_ratio", "ratio", N_("Highest ratio of time")),
        Metric("flops_ratio_spread", "ratio", N_("Highest over lowest ratio of computation")),
        Metric(
            "models_between_20_and_30_percent", "count", N_("Models that compute between 20 and 30 % more")
        ),
    ),
    picture="bars",
)
