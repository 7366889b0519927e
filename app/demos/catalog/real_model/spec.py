from collections.abc import Iterator
from dataclasses import dataclass

from app.demos import spec
from app.demos.declare import step_metrics
from app.demos.spec import N_, Demo, Metric, ParamError, VariantSpec, bounded

VARIANTS = (
    VariantSpec("textbook", N_("As in the formula")),
    VariantSpec("fused", N_("Fused attention (SDPA)")),
    VariantSpec("checkpointed", N_("Blocks checkpointed")),
    VariantSpec("checkpointed_kept", N_("Blocks checkpointed, attention scores kept")),
)
COMPARABLE = {"checkpointed", "checkpointed_kept"}  # fused attention computes another function: no dropout
# Counted and no more: by the id in metrics, and by what is done in code
RELATIVES: dict[str, str] = {
    "library_dropout": "torch.nn.functional.dropout",
    "frozen": "requires_grad_(False)",
    "kept": "scores.append(...)",
    "checkpointed_frozen": "checkpoint, requires_grad_(False)",
}


@dataclass(frozen=True, slots=True)
class Params(spec.Params):
    """The worst case, 2 blocks of width 256 at 4 by 128 tokens, computes 7 GFLOP and keeps 32 MiB a step."""

    sequence: int = bounded(64, low=16, high=128, label=N_("Sequence length"))
    batch: int = bounded(2, low=1, high=4, label=N_("Batch size"))
    hidden: int = bounded(64, low=32, high=256, label=N_("Width of the block"))
    heads: int = bounded(4, low=1, high=8, label=N_("Attention heads"))

    def __post_init__(self) -> None:
        if self.hidden % self.heads:
            raise ParamError(
                "hidden", N_("{name} must be a multiple of {heads}, the heads."), heads=self.heads
            )


def formula_metrics(variant: str) -> Iterator[Metric]:
    """What the formula says of a variant, and how much of that was measured."""
    yield Metric(f"{variant}.formula_bytes", "bytes", N_("Saved for the backward pass, by the formula"))
    yield Metric(f"{variant}.formula_ratio", "ratio", N_("Measured against the formula"))


DEMO = Demo(
    id="real-model",
    title=N_("The formula and the actual model"),
    summary=N_(
        "Two transformer blocks as a published formula has them, then with what real models add: fused "
        "attention, the library's dropout, frozen layers, tensors that somebody keeps. How far off is the "
        "formula?"
    ),
    finding=N_(
        "The formula was right for the model that it describes ({{textbook.formula_ratio}} the bytes), and "
        "wrong for its relatives: {{fused.formula_ratio}} with fused attention, "
        "{{library_dropout.formula_ratio}} with the library's dropout, {{frozen.formula_ratio}} with frozen "
        "layers, {{kept.formula_ratio}} with attention scores kept. With the blocks checkpointed, keeping "
        "those scores took {{checkpointed_kept.formula_ratio}} the bytes. Recomputation brought the work to "
        "{{checkpointed.flops_ratio}}, and to {{checkpointed_frozen.flops_ratio}} where layers are frozen."
    ),
    params=Params,
    variants=VARIANTS,
    metrics=(
        *(
            metric
            for number, variant in enumerate(VARIANTS)
            for metric in step_metrics(variant.id, first=number == 0, comparable=variant.id in COMPARABLE)
        ),
        *(Metric(f"{name}.saved_bytes", "bytes", N_("Saved for the backward pass")) for name in RELATIVES),
        *(metric for variant in VARIANTS for metric in formula_metrics(variant.id)),
        *(metric for name in RELATIVES for metric in formula_metrics(name)),
        Metric("checkpointed.flops_ratio", "ratio", N_("Computation, checkpointed against plain")),
        Metric(
            "checkpointed_frozen.flops_ratio",
            "ratio",
            N_("Computation, checkpointed against plain, layers frozen"),
        ),
        Metric("largest_miss", "ratio", N_("Measured against the formula, where it is furthest off")),
    ),
    picture="bars",
)
