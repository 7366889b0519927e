from dataclasses import dataclass

from app.demos import spec
from app.demos.declare import step_metrics
from app.demos.spec import N_, Demo, Metric, VariantSpec, bounded


@dataclass(frozen=True, slots=True)
class Params(spec.Params):
    """The worst case, width 256 with 256 tokens, computes 9 GFLOP and keeps 21 MiB a step."""

    budget: int = bounded(50, low=0, high=100, label=N_("Budget in percent"))
    width: int = bounded(64, low=32, high=256, label=N_("Width of the block"))
    tokens: int = bounded(64, low=16, high=256, label=N_("Tokens"))


DEMO = Demo(
    id="budget",
    title=N_("The compiler's memory budget"),
    summary=N_(
        "Eight feed-forward blocks compiled with a budget for the activations that they may keep: all, a "
        "part, and nothing. The compiler chooses by itself what to recompute."
    ),
    finding=N_(
        "With {{chosen.budget}} of the memory as its budget the compiler kept {{chosen.saved_bytes}} in "
        "place of {{full.saved_bytes}} (a share of {{chosen.saved_share}}) for {{chosen.flops_ratio}} the "
        "computation. With a budget of nothing it kept {{none.saved_bytes}} for {{none.flops_ratio}} the "
        "computation, and still peaked at {{none.peak_bytes}}: the budget caps what is kept, not the peak."
    ),
    params=Params,
    variants=(
        VariantSpec("full", N_("Budget of everything")),
        VariantSpec("chosen", N_("Chosen budget")),
        VariantSpec("none", N_("Budget of nothing")),
    ),
    metrics=(
        *step_metrics("full", first=True),
        *step_metrics("chosen"),
        *step_metrics("none"),
        Metric("chosen.budget", "fraction", N_("Chosen budget")),
        Metric("chosen.saved_share", "fraction", N_("Share kept with the chosen budget")),
        Metric("chosen.flops_ratio", "ratio", N_("Computation, chosen budget against everything")),
        Metric("none.flops_ratio", "ratio", N_("Computation, budget of nothing against everything")),
        Metric("none.peak_share", "fraction", N_("Share of the peak with a budget of nothing")),
        Metric("stairs", "count", N_("Different amounts kept over all budgets")),
    ),
    picture="curve",
    expected_seconds=15,
)
