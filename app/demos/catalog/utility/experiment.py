# ruff: noqa: N803 - tensors carry their shapes
"""Two variants of `torch.utils.checkpoint`: what each gives in the ways in which people use it.

x_BW is batch by width, fp32. The measured step is stem, region and head: a Linear, two of Linear and ReLU
under the checkpoint, a Linear. The region keeps two activations, or none when it is checkpointed: the stem's
result is its input, and what the head needs is its output.

Each use in `cases` runs three times on a region of a few numbers, alike to the last bit: plainly, with
`use_reentrant=True`, and with False. It is right where every gradient equals that of the plain run, and one
is absent where that one is. Nothing is expected here: the table says what this version of PyTorch does.
Source of the uses: the notes on `torch.utils.checkpoint.checkpoint` in its documentation, and the issues that
the cases name.

The reentrant variant runs the region without a graph, and a custom autograd function makes one in the
backward pass. It therefore sees only tensors that are arguments themselves, and needs one that requires a
gradient.
"""

import warnings
from dataclasses import dataclass
from functools import partial
from typing import Literal

import torch
from torch import Tensor, nn
from torch.utils import checkpoint as torch_checkpoint

from app.demos.catalog.utility import cases
from app.demos.catalog.utility.cases import CALLS, Call, Gradients, Region
from app.demos.catalog.utility.spec import CASES, Params
from app.demos.passes import Lab
from app.demos.provenance import SEED
from app.demos.results import Number, Result
from app.demos.spec import N_
from app.demos.steps import TrainingStep, Variant

CHECKPOINTED = ("reentrant", "non_reentrant")
COMPARE_SHARE = 0.9  # of the run's time, as seen on a CPU
RAISED = {
    "ValueError": N_("raises ValueError"),
    "RuntimeError": N_("raises RuntimeError"),
    "CheckpointError": N_("raises CheckpointError"),
}
Kind = Literal["right", "silent", "raised"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a use: the plain gradients, others and no error, or an error. `words` is a msgid."""

    kind: Kind
    words: str


class Net(nn.Module):
    """Stem, region and head; `call` runs the region."""

    def __init__(self, width: int, call: Call) -> None:
        super().__init__()
        self.stem = nn.Linear(width, width)
        self.region = nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        self.head = nn.Linear(width, width)
        self.call = call

    def forward(self, x_BW: Tensor) -> Tensor:
        """The head's result, of the shape of x_BW."""
        out_BW: Tensor = self.head(self.call(self.region, self.stem(x_BW)))
        return out_BW


def run(lab: Lab, params: Params) -> Result:
    """Measure an ordinary step of the three, then try every use; the picture is the table of outcomes."""
    variants = lab.compare(
        *(Variant(name, partial(build, params, call)) for name, call in CALLS.items()), share=COMPARE_SHARE
    )
    lab.progress(COMPARE_SHARE, N_("Trying every use"))
    outcomes = {case: try_case(lab.device, case) for case in CASES}
    metrics: dict[str, Number] = {"cases": len(CASES), **try_default(lab.device)}
    for name in CHECKPOINTED:
        found = {case: outcome[name].kind for case, outcome in outcomes.items()}
        metrics |= {f"{name}.{case}": kind == "right" for case, kind in found.items()}
        metrics |= {f"{name}.{kind}": list(found.values()).count(kind) for kind in Kind.__args__}  # type: ignore[attr-defined]
    return Result(
        variants,
        metrics=metrics,
        picture={
            "kind": "table",
            "columns": [N_("Use"), "use_reentrant=True", "use_reentrant=False"],
            "rows": [
                [CASES[case], *(outcome[name].words for name in CHECKPOINTED)]
                for case, outcome in outcomes.items()
            ],
        },
    )


def build(params: Params, call: Call) -> TrainingStep:
    """The network, and the mean of what comes out."""
    net = Net(params.width, call)
    x_BW = torch.randn(params.batch, params.width)
    return TrainingStep(net, (x_BW,), lambda: net(x_BW).mean())


def try_case(device: torch.device, case: str) -> dict[str, Outcome]:
    """The outcome of a use in each checkpointed variant."""
    take_step = getattr(cases, case)
    plain = take_step(make_region(device), CALLS["plain"])
    found = {}
    for name in CHECKPOINTED:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            try:
                gradients = take_step(make_region(device), CALLS[name])
            except Exception as error:  # noqa: BLE001 - which one it is, is the result
                found[name] = Outcome("raised", RAISED.get(type(error).__name__, N_("raises an error")))
                continue
        found[name] = judge(gradients, plain, has_warned=bool(warned))
    return found


def judge(gradients: Gradients, plain: Gradients, *, has_warned: bool) -> Outcome:
    """What a use that raised nothing came to."""
    if is_same(gradients, plain):
        return Outcome("right", N_("right gradients"))
    if any(gradients[name] is None and each is not None for name, each in plain.items()):
        words = N_("gradients missing, with a warning") if has_warned else N_("gradients missing, no warning")
        return Outcome("silent", words)
    return Outcome("silent", N_("wrong gradients, no warning"))


def is_same(ours: Gradients, theirs: Gradients) -> bool:
    """Whether the same gradients are there, equal to the last bit."""
    return all(
        (our is None and their is None) or (our is not None and their is not None and torch.equal(our, their))
        for our, their in ((ours[name], theirs[name]) for name in theirs)
    )


def try_default(device: torch.device) -> dict[str, Number]:
    """What is called where `use_reentrant` is left out: the variant shows in the graph that it leaves."""
    region = make_region(device)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        out_RW = torch_checkpoint.checkpoint(region.compute, region.x_RW)
    made_by = type(out_RW.grad_fn).__name__
    return {
        "default.is_reentrant": made_by == f"{torch_checkpoint.CheckpointFunction.__name__}Backward",
        "default.warns": any("use_reentrant" in str(each.message) for each in warned),
    }


def make_region(device: torch.device) -> Region:
    """The same region every time."""
    torch.manual_seed(SEED)
    with device:
        return Region()
