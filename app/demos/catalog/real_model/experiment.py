# ruff: noqa: N803 - tensors carry their shapes
"""The formula and the actual model: two transformer blocks, and what a formula does not know of them.

tokens_BS are embedded to x_BSH, fp32 of e = 4 bytes, a heads; s, b, h are the sizes of S, B, H. For a block
Korthikanti et al. 2022, "Reducing activation recomputation in large transformer models", count (with e = 2)

    sbh (16 e + 2) + a s^2 b (2 e + 1)        bytes kept, and e sbh where the whole block is checkpointed.

`textbook` is the model they describe. It keeps 4 e sb more, the statistics of two norms. Each variant changes
one thing of it, and the formula stays what it is. A block then keeps, against `textbook`:

- fused: `scaled_dot_product_attention` never writes the scores down: 4 asb, the logarithms of the softmax's
  sums, in place of a s^2 b (2 e + 1). It drops nothing out inside, as that kernel on a CPU cannot.
- library_dropout: `torch.nn.functional.dropout` keeps its mask in the type of x on a CPU:
  (e - 1)(2 sbh + a s^2 b) more. On CUDA it is one byte, and this miss is not there.
- frozen: a Linear whose weight is not trained drops its input. The norm's output and GELU's, 5 e sbh, go.
- kept: somebody holds the scores before the softmax, which no backward pass needs: e a s^2 b more.
- checkpointed: e sbh, as the formula says; with scores kept it is e sbh + e a s^2 b.

The loss, a mean, adds its own e bytes once. A frozen model spares products in backward and none of the
recomputation, which therefore weighs more.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.attention import SDPBackend, sdpa_kernel

from app.demos.catalog.real_model.spec import COMPARABLE, RELATIVES, VARIANTS, Params
from app.demos.models import (
    DROPOUT,
    VOCABULARY,
    RunBlock,
    Transformer,
    TransformerBlock,
    run_plainly,
)
from app.demos.passes import Build, Lab
from app.demos.recompute import checkpoint
from app.demos.results import Number, Result
from app.demos.spec import N_, Phase
from app.demos.steps import TrainingStep, Variant

BLOCKS = 2  # the fewest of which one is held while the other recomputes
ELEMENT_BYTES = 4  # fp32
FUSED = [SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION]  # on CUDA only the second takes fp32
COMPARE_SHARE = 0.9  # of the run's time, as seen on a CPU
LIKE = {
    "library_dropout": "textbook",
    "frozen": "textbook",
    "kept": "textbook",
    "checkpointed_frozen": "checkpointed",
}
MakeBlock = Callable[[Params], TransformerBlock]


class FusedBlock(TransformerBlock):
    """A block whose attention core is one operator."""

    def attend(self, qkv_BS3H: Tensor) -> Tensor:
        """The attention core, without its dropout and without scores in memory."""
        B, S, H = *qkv_BS3H.shape[:2], qkv_BS3H.shape[2] // 3
        query_BASD, key_BASD, value_BASD = (
            part.view(B, S, self.heads, H // self.heads).transpose(1, 2)
            for part in torch.split(qkv_BS3H, H, dim=2)
        )
        with sdpa_kernel(FUSED):
            out_BASD = nn.functional.scaled_dot_product_attention(query_BASD, key_BASD, value_BASD)
        return out_BASD.transpose(1, 2).reshape(B, S, H)


class WatchedBlock(TransformerBlock):
    """A block whose scores somebody keeps, to plot them after the step; the last step's are then let go."""

    def __init__(self, hidden: int, heads: int) -> None:
        super().__init__(hidden, heads)
        self.kept_NSS: list[Tensor] = []

    def score(self, query_NSD: Tensor, key_NSD: Tensor) -> Tensor:
        """The scores, of which a reference stays behind; a recomputation leaves one more."""
        scores_NSS = super().score(query_NSD, key_NSD)
        self.kept_NSS.append(scores_NSS)
        return scores_NSS


def run(lab: Lab, params: Params) -> Result:
    """Measure the variants, count their relatives; the picture is what each keeps beside the formula."""
    builds = list_builds(params)
    variants = lab.compare(
        *(Variant(each.id, builds[each.id], is_comparable=each.id in COMPARABLE) for each in VARIANTS),
        share=COMPARE_SHARE,
    )
    lab.progress(COMPARE_SHARE, N_("Counting the model's relatives"))
    relatives = {name: lab.count(builds[name]) for name in RELATIVES}
    saved = {name: each.saved_bytes for name, each in (variants | relatives).items()}
    formula = {name: apply_formula(params, name) for name in saved}
    ratios = {name: saved[name] / formula[name] for name in saved}
    metrics: dict[str, Number] = {f"{name}.saved_bytes": saved[name] for name in RELATIVES}
    metrics |= {f"{name}.formula_bytes": nbytes for name, nbytes in formula.items()}
    metrics |= {f"{name}.formula_ratio": ratio for name, ratio in ratios.items()}
    frozen_flops, recomputed_flops = (
        sum(relatives[name].flops().values()) for name in ("frozen", "checkpointed_frozen")
    )
    metrics |= {
        "checkpointed.flops_ratio": variants["checkpointed"].flops / variants["textbook"].flops,
        "checkpointed_frozen.flops_ratio": recomputed_flops / frozen_flops,
        "largest_miss": max(ratios.values(), key=lambda ratio: max(ratio, 1 / ratio)),
    }
    return Result(variants, metrics, {"kind": "bars", "unit": "bytes", "bars": bars(saved, formula)})


def list_builds(params: Params) -> dict[str, Build]:
    """How each variant and each relative is built."""
    ways: dict[str, tuple[MakeBlock, RunBlock]] = {
        "textbook": (make_block, run_plainly),
        "fused": (partial(make_block, kind=FusedBlock), run_plainly),
        "library_dropout": (
            partial(make_block, drop_out=partial(nn.functional.dropout, p=DROPOUT)),
            run_plainly,
        ),
        "frozen": (make_frozen, run_plainly),
        "kept": (partial(make_block, kind=WatchedBlock), run_plainly),
        "checkpointed": (make_block, checkpoint),
        "checkpointed_frozen": (make_frozen, checkpoint),
        "checkpointed_kept": (partial(make_block, kind=WatchedBlock), checkpoint),
    }
    return {name: partial(build, params, *way) for name, way in ways.items()}


def build(params: Params, make: MakeBlock, run_block: RunBlock) -> TrainingStep:
    """The transformer of such blocks, each run by `run_block`, and the mean of what comes out."""
    model = Transformer(params.hidden, [make(params) for _ in range(BLOCKS)], run_block)
    tokens_BS = torch.randint(VOCABULARY, (params.batch, params.sequence))

    def loss() -> Tensor:
        for block in model.blocks:
            if isinstance(block, WatchedBlock):
                block.kept_NSS.clear()
        mean: Tensor = model(tokens_BS).mean()
        return mean

    return TrainingStep(model, (tokens_BS,), loss)


def make_block(
    params: Params, kind: type[TransformerBlock] = TransformerBlock, **options: Any
) -> TransformerBlock:
    """A block all of which is trained."""
    return kind(params.hidden, params.heads, **options)


def make_frozen(params: Params) -> TransformerBlock:
    """A block whose two feed-forward layers are not trained."""
    block = make_block(params)
    for linear in (block.up, block.down):
        linear.requires_grad_(requires_grad=False)
    return block


def apply_formula(params: Params, variant: str) -> int:
    """Bytes that the published formula lets all blocks keep; it knows checkpointing and nothing else."""
    e, sbh = ELEMENT_BYTES, params.sequence * params.batch * params.hidden
    if variant.startswith("checkpointed"):
        return BLOCKS * e * sbh
    as2b = params.heads * params.sequence**2 * params.batch
    return BLOCKS * (sbh * (16 * e + 2) + as2b * (2 * e + 1))


def bars(saved: dict[str, int], formula: dict[str, int]) -> list[dict[str, Any]]:
    """Under each variant what the formula says and what was kept; its relatives stand under their like."""
    rows = [
        row
        for variant in VARIANTS
        for row in (
            (variant.id, "formula", formula[variant.id]),
            (variant.id, "saved_bytes", saved[variant.id]),
            *((variant.id, RELATIVES[name], saved[name]) for name in RELATIVES if LIKE[name] == variant.id),
        )
    ]
    return [
        {"label": label, "group": group, "phase": Phase.FORWARD.value, "value": value}
        for group, label, value in rows
    ]
