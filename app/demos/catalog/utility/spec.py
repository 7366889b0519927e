from dataclasses import dataclass

from app.demos import spec
from app.demos.declare import step_metrics
from app.demos.spec import N_, Demo, Metric, VariantSpec, bounded


@dataclass(frozen=True, slots=True)
class Params(spec.Params):
    """The worst case, four layers of 512 by 512 at batch 256, computes 2 GFLOP and keeps 2 MiB a step."""

    width: int = bounded(128, low=16, high=512, label=N_("Width of a layer"))
    batch: int = bounded(64, low=8, high=256, label=N_("Batch size"))


# What is done with a checkpointed region, by its id; every case is tried with both variants.
CASES: dict[str, str] = {
    "usual": N_("A tensor in, a tensor out, backward once"),
    "input_without_grad": N_("No input requires a gradient"),
    "keyword_argument": N_("A keyword argument of the region"),
    "dict_output": N_("The region returns a dict"),
    "nested_input": N_("The input is inside a dict"),
    "autograd_grad": N_("Gradients by torch.autograd.grad"),
    "backward_inputs": N_("Backward with inputs given"),
    "second_order": N_("A gradient of a gradient"),
    "inner_gradient": N_("A gradient taken inside the region"),
    "detached_output": N_("One of two outputs is detached"),
    "backward_twice": N_("Backward twice, the graph retained"),
    "selective_policy": N_("A selective policy"),
    "saved_then_changed": N_("A selective policy saves a tensor that is changed in place"),
    "changed_value": N_("A global value changes before backward"),
    "changed_shape": N_("A shape changes before backward"),
}


DEMO = Demo(
    id="utility",
    title=N_("Two variants of one utility"),
    summary=N_(
        "The same region called through torch.utils.checkpoint with use_reentrant=True and with "
        "use_reentrant=False, in every way that people report: which gives the gradients of a plain run?"
    ),
    finding=N_(
        "Of {{cases}} uses, the reentrant variant gave the plain gradients in {{reentrant.right}}, went "
        "wrong without an error in {{reentrant.silent}} and raised one in {{reentrant.raised}}; the "
        "non-reentrant variant gave them in {{non_reentrant.right}}, went wrong without an error in "
        "{{non_reentrant.silent}} and raised one in {{non_reentrant.raised}}."
    ),
    params=Params,
    variants=(
        VariantSpec("plain", N_("Plain")),
        VariantSpec("reentrant", N_("Reentrant")),
        VariantSpec("non_reentrant", N_("Non-reentrant")),
    ),
    metrics=(
        *step_metrics("plain", first=True),
        *step_metrics("reentrant"),
        *step_metrics("non_reentrant"),
        Metric("cases", "count", N_("Uses tried")),
        Metric("reentrant.right", "count", N_("Uses that gave the plain gradients, reentrant")),
        Metric("reentrant.silent", "count", N_("Uses that went wrong without an error, reentrant")),
        Metric("reentrant.raised", "count", N_("Uses that raised an error, reentrant")),
        Metric("non_reentrant.right", "count", N_("Uses that gave the plain gradients, non-reentrant")),
        Metric("non_reentrant.silent", "count", N_("Uses that went wrong without an error, non-reentrant")),
        Metric("non_reentrant.raised", "count", N_("Uses that raised an error, non-reentrant")),
        *(Metric(f"reentrant.{case}", "boolean", label) for case, label in CASES.items()),
        *(Metric(f"non_reentrant.{case}", "boolean", label) for case, label in CASES.items()),
        Metric("default.is_reentrant", "boolean", N_("Reentrant where use_reentrant is left out")),
        Metric("default.warns", "boolean", N_("A warning where use_reentrant is left out")),
    ),
    picture="table",
)
