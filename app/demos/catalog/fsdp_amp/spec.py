from dataclasses import dataclass

from app.demos import spec
from app.demos.declare import step_metrics
from app.demos.spec import N_, Demo, Metric, ParamError, VariantSpec, bounded

RANKS = 2  # the fewest that share anything


@dataclass(frozen=True, slots=True)
class Params(spec.Params):
    """The worst case, width 256 at batch 64, computes 1 GFLOP, which many a CPU does slowly in bf16."""

    width: int = bounded(128, low=32, high=256, label=N_("Width of the block"))
    batch: int = bounded(64, low=8, high=64, label=N_("Batch size"))

    def __post_init__(self) -> None:
        if self.width % RANKS:
            raise ParamError("width", N_("{name} must be a multiple of {ranks}, the ranks."), ranks=RANKS)


SHARDED = ("fsdp", "both")

DEMO = Demo(
    id="fsdp-amp",
    title=N_("Checkpointing with FSDP and mixed precision"),
    summary=N_(
        "Four checkpointed blocks and Adam: alone in fp32, sharded by FSDP over two processes, under bf16 "
        "autocast, and both together. Each saving is weighed apart."
    ),
    finding=N_(
        "On {{ranks}} ranks each held {{fsdp.parameter_bytes}} of parameters in place of "
        "{{plain.parameter_bytes}}, and gradients and optimizer state shrank alike, while the boundaries "
        "between blocks stayed at {{fsdp.boundary_bytes}}. Under bf16 autocast the boundaries took "
        "{{amp.boundary_bytes}}, and parameters stayed whole. Together: {{both.parameter_bytes}} of "
        "parameters and {{both.boundary_bytes}} of boundaries."
    ),
    params=Params,
    variants=(
        VariantSpec("plain", N_("One process, fp32")),
        VariantSpec("fsdp", N_("FSDP, fp32")),
        VariantSpec("amp", N_("One process, bf16 autocast")),
        VariantSpec("both", N_("FSDP and bf16 autocast")),
    ),
    metrics=(
        *step_metrics("plain", first=True),
        *step_metrics("amp", comparable=False),
        *(
            metric
            for variant in SHARDED
            for metric in (
                Metric(f"{variant}.saved_bytes", "bytes", N_("Saved for the backward pass")),
                Metric(f"{variant}.flops", "flops", N_("Computation in the whole step")),
                Metric(f"{variant}.recompute_flops", "flops", N_("Computation done again")),
                Metric(f"{variant}.step_ms", "ms", N_("Time of one step")),
            )
        ),
        Metric("fsdp.gradients_equal", "boolean", N_("Gradients equal to the last bit")),
        *(
            metric
            for variant in ("plain", "fsdp", "amp", "both")
            for metric in (
                Metric(f"{variant}.parameter_bytes", "bytes", N_("Bytes of parameters on one rank")),
                Metric(f"{variant}.gradient_bytes", "bytes", N_("Bytes of gradients on one rank")),
                Metric(f"{variant}.state_bytes", "bytes", N_("Bytes of optimizer state on one rank")),
                Metric(f"{variant}.boundary_bytes", "bytes", N_("Bytes of the boundaries between blocks")),
            )
        ),
        Metric("ranks", "count", N_("Ranks")),
        Metric("fsdp.parameter_share", "fraction", N_("Share of the parameters on one rank")),
        Metric("amp.boundary_share", "fraction", N_("Share of the boundaries' bytes in bf16")),
    ),
    picture="bars",
    expected_seconds=15,
)
