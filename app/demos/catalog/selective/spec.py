from dataclasses import dataclass

from app.demos import spec
from app.demos.declare import step_metrics
from app.demos.spec import N_, Demo, Metric, ParamError, VariantSpec, bounded


@dataclass(frozen=True, slots=True)
class Params(spec.Params):
    """The worst case, 2 blocks of width 256 at 4 by 128 tokens, computes 6 GFLOP and keeps 44 MiB a step."""

    sequence: int = bounded(64, low=16, high=128, label=N_("Sequence length"))
    batch: int = bounded(2, low=1, high=4, label=N_("Batch size"))
    hidden: int = bounded(64, low=32, high=256, label=N_("Width of the block"))
    heads: int = bounded(4, low=1, high=8, label=N_("Attention heads"))

    def __post_init__(self) -> None:
        if self.hidden % self.heads:
            raise ParamError(
                "hidden", N_("{name} must be a multiple of {heads}, the heads."), heads=self.heads
            )


DEMO = Demo(
    id="selective",
    title=N_("Selective checkpointing"),
    summary=N_(
        "A transformer block that keeps everything, recomputes only its attention core, keeps only the "
        "results of its linear layers, or recomputes everything: what does each keep, and what does each "
        "compute again?"
    ),
    finding=N_(
        "Recomputing the attention core alone kept {{attention.saved_bytes}} in place of "
        "{{none.saved_bytes}} ({{attention.saved_saving}} less) for {{attention.flops_ratio}} the "
        "computation; recomputing the whole block kept {{full.saved_bytes}} ({{full.saved_saving}} less) "
        "for {{full.flops_ratio}}."
    ),
    params=Params,
    variants=(
        VariantSpec("none", N_("Everything kept")),
        VariantSpec("attention", N_("Attention core recomputed")),
        VariantSpec("matmuls", N_("Results of linear layers kept")),
        VariantSpec("full", N_("Everything recomputed")),
    ),
    metrics=(
        *step_metrics("none", first=True),
        *step_metrics("attention"),
        *step_metrics("matmuls"),
        *step_metrics("full"),
        Metric("attention.saved_saving", "ratio", N_("Saved by none over attention core")),
        Metric("attention.flops_ratio", "ratio", N_("Computation, attention core against none")),
        Metric("matmuls.saved_saving", "ratio", N_("Saved by none over linear layers kept")),
        Metric("matmuls.flops_ratio", "ratio", N_("Computation, linear layers kept against none")),
        Metric("full.saved_saving", "ratio", N_("Saved by none over everything recomputed")),
        Metric("full.flops_ratio", "ratio", N_("Computation, everything recomputed against none")),
    ),
    picture="bars",
)
