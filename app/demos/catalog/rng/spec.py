from dataclasses import dataclass

from app.demos import spec
from app.demos.declare import step_metrics
from app.demos.spec import N_, Demo, Metric, VariantSpec, bounded


@dataclass(frozen=True, slots=True)
class Params(spec.Params):
    """The worst case, two layers of 512 by 512 at batch 256, computes 1 GFLOP and keeps 2 MiB a step."""

    features: int = bounded(128, low=16, high=512, label=N_("Features"))
    batch: int = bounded(64, low=8, high=256, label=N_("Batch size"))


DEMO = Demo(
    id="rng",
    title=N_("Dropout and the random-number state"),
    summary=N_(
        "A block with dropout, plain and checkpointed, with the random-number state restored for the "
        "recomputation and without: is the same mask drawn again?"
    ),
    finding=N_(
        "With the random-number state preserved, a fraction of {{preserved.mask_agreement}} of the mask "
        "was drawn again as before; without it only {{not_preserved.mask_agreement}}, as chance would "
        "have it, and a gradient was off by as much as {{not_preserved.gradient_difference}}. No error "
        "was raised."
    ),
    params=Params,
    variants=(
        VariantSpec("plain", N_("Plain")),
        VariantSpec("preserved", N_("Checkpointed, random-number state preserved")),
        VariantSpec("not_preserved", N_("Checkpointed, random-number state not preserved")),
    ),
    metrics=(
        *step_metrics("plain", first=True),
        *step_metrics("preserved"),
        *step_metrics("not_preserved"),
        Metric("preserved.mask_agreement", "fraction", N_("Mask drawn again, state preserved")),
        Metric("not_preserved.mask_agreement", "fraction", N_("Mask drawn again, state not preserved")),
        Metric("preserved.gradient_difference", "number", N_("Largest gradient error, state preserved")),
        Metric(
            "not_preserved.gradient_difference", "number", N_("Largest gradient error, state not preserved")
        ),
        Metric("plain.gradient_largest", "number", N_("Largest gradient, plain")),
    ),
    picture="bars",
)
