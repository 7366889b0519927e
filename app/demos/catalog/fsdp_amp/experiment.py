"""Savings that compose: four checkpointed blocks and Adam, sharded by FSDP, under bf16 autocast, and both.

x_BW is batch by width; u is the bytes of one boundary, 4 * B * W in fp32. With P parameters in T tensors on
R = 2 ranks:

- FSDP leaves each rank 1/R of parameters (4P), gradients (4P) and Adam's averages (8P); the step counts,
  4 bytes a tensor, stay whole. Boundaries are activations: each rank has those of its own batch.
- bf16 autocast halves the boundaries, 3u, and the loss. Parameters, gradients and state stay in fp32.
- checkpointing leaves the boundaries alone of all activations, whatever else is done.

The network's own input is nobody's saving, and left out. The ranks are two processes that talk over gloo on
a CPU, over NCCL on two GPUs. FSDP resizes storages, so on ranks the bytes are those that saved-tensor hooks
see, and the peak is the allocator's alone.

Source: Zhao et al. 2023, "PyTorch FSDP"; Micikevicius et al. 2018, "Mixed precision training".
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch

from app.demos.catalog.fsdp_amp.blocks import count_boundaries, make_step
from app.demos.catalog.fsdp_amp.ranks import run_ranks
from app.demos.catalog.fsdp_amp.spec import RANKS, SHARDED, Params
from app.demos.passes import Lab
from app.demos.results import Measured, Number, Result
from app.demos.spec import N_, Phase
from app.demos.steps import TrainingStep, Variant

RANKS_SHARE = 0.7  # of the run's time, as seen on a CPU


class TooFewDevicesError(RuntimeError):
    """NCCL wants a device for each rank."""


@dataclass(frozen=True, slots=True)
class RankResult:
    """One rank's step; its peak, its timeline and a paired time were not measured."""

    id: str
    answer: Mapping[str, Any]

    def metrics(self) -> dict[str, Number]:
        """What a rank measured, by its full ids."""
        flops = self.answer["flops"]
        names = (
            "saved_bytes",
            "gradients_equal",
            "parameter_bytes",
            "gradient_bytes",
            "state_bytes",
            "boundary_bytes",
        )
        values = {name: self.answer[name] for name in names} | {
            "flops": sum(flops.values()),
            "recompute_flops": flops[Phase.RECOMPUTE],
            "step_ms": self.answer["step_ms"]["median"],
        }
        return {f"{self.id}.{name}": value for name, value in values.items()}

    def to_json(self) -> dict[str, Any]:
        """The rank's part of a result."""
        own = {name: value for name, value in self.answer.items() if name != "boundary_bytes"}
        unmeasured: dict[str, Any] = {
            "peak_bytes": None,
            "time_ratio": None,
            "predicted": None,
            "timeline": [],
        }
        return {"id": self.id, **own, **unmeasured}


def run(lab: Lab, params: Params) -> Result:
    """Measure on ranks, then alone; the picture is every kind of byte that one rank holds."""
    if lab.device.type == "cuda" and torch.cuda.device_count() < RANKS:
        raise TooFewDevicesError(f"{RANKS} ranks need {RANKS} CUDA devices")
    lab.progress(0.0, N_("Two processes share the network"))
    order = {"device_class": lab.device.type, **params.to_json()}
    first_rank, *_ = run_ranks(order)
    builds = {
        "plain": partial(build, params, amp=False),
        "amp": partial(build, params, amp=True),
    }
    alone = after_ranks(lab).compare(
        Variant("plain", builds["plain"]), Variant("amp", builds["amp"], is_comparable=False)
    )
    variants: dict[str, Measured] = {
        name: alone[name] if name in alone else RankResult(name, first_rank[name])
        for name in ("plain", "fsdp", "amp", "both")
    }
    metrics: dict[str, Any] = {"ranks": RANKS}
    for name, each in alone.items():
        metrics |= {
            f"{name}.parameter_bytes": each.parameter_bytes,
            f"{name}.gradient_bytes": each.gradient_bytes,
            f"{name}.state_bytes": each.state_bytes,
            f"{name}.boundary_bytes": count_boundaries(lab.fresh(builds[name]))[0],
        }
    for name in SHARDED:
        metrics |= {f"{name}.{kind}_bytes": first_rank[name][f"{kind}_bytes"] for kind in KINDS}
    metrics["fsdp.parameter_share"] = metrics["fsdp.parameter_bytes"] / metrics["plain.parameter_bytes"]
    metrics["amp.boundary_share"] = metrics["amp.boundary_bytes"] / metrics["plain.boundary_bytes"]
    picture = {
        "kind": "bars",
        "unit": "bytes",
        "bars": [bar for name in variants for bar in bars(name, metrics)],
    }
    return Result(variants, metrics, picture)


KINDS = {
    "parameter": Phase.FORWARD,
    "gradient": Phase.BACKWARD,
    "state": Phase.OPTIMIZER,
    "boundary": Phase.FORWARD,
}


def build(params: Params, *, amp: bool) -> TrainingStep:
    """The whole network in this process."""
    return make_step(params.width, params.batch, amp=amp)


def after_ranks(lab: Lab) -> Lab:
    """The lab, whose progress goes on where the ranks left it."""
    return Lab(
        lab.device, lambda done, message: lab.progress(RANKS_SHARE + done * (1 - RANKS_SHARE), message)
    )


def bars(variant: str, metrics: Mapping[str, Any]) -> list[dict[str, Any]]:
    """One bar for each kind of byte, in the colour of the phase that first needs it."""
    return [
        {
            "label": f"{kind}_bytes",
            "group": variant,
            "phase": phase.value,
            "value": metrics[f"{variant}.{kind}_bytes"],
        }
        for kind, phase in KINDS.items()
    ]
