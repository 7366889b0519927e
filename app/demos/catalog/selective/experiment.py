# ruff: noqa: N803 - tensors carry their shapes
"""Selective checkpointing: two transformer blocks, and four opinions on what is worth keeping.

tokens_BS are embedded to x_BSH, fp32 of e = 4 bytes, a heads; s, b, h are the sizes of S, B, H. A block
keeps, after Korthikanti et al. 2022, "Reducing activation recomputation in large transformer models" (who
count e = 2):

- none: sbh (16 e + 2) + a s^2 b (2 e + 1) + 16 sb. The 2 and the 1 are dropout's masks, of a byte an element;
  the last term is the norms' statistics.
- attention: the core between the query-key-value product and the projection runs under `checkpoint`, and the
  term in s^2 is gone.
- matmuls: selective activation checkpointing keeps the results of the linear layers (3 + 1 + 4 + 1 of sbh)
  and the block's input: 10 e sbh. The products inside attention, large and cheap, run again.
- full: the block's input, e sbh.

Each adds the loss, a mean, once.
"""

from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import CheckpointPolicy, create_selective_checkpoint_contexts

from app.demos.catalog.selective.spec import Params
from app.demos.models import VOCABULARY, RunBlock, Transformer, TransformerBlock, run_plainly
from app.demos.passes import Lab
from app.demos.recompute import checkpoint
from app.demos.results import Result, VariantResult
from app.demos.spec import Phase
from app.demos.steps import TrainingStep, Variant

BLOCKS = 2  # the fewest of which one is held while the other recomputes


def run(lab: Lab, params: Params) -> Result:
    """Measure the four policies; the picture is what each keeps and what it peaks at."""
    variants = lab.compare(
        Variant("none", partial(build, params, run_plainly)),
        Variant("attention", partial(build, params, run_plainly, recomputes_attention=True)),
        Variant("matmuls", partial(build, params, keep_matmuls)),
        Variant("full", partial(build, params, checkpoint)),
    )
    none = variants["none"]
    others = [variant for variant in variants.values() if variant is not none]
    return Result(
        variants,
        metrics={f"{each.id}.saved_saving": none.saved_bytes / each.saved_bytes for each in others}
        | {f"{each.id}.flops_ratio": each.flops / none.flops for each in others},
        picture={
            "kind": "bars",
            "unit": "bytes",
            "bars": [bar for each in variants.values() for bar in bars(each)],
        },
    )


def build(
    params: Params,
    run_block: RunBlock,
    *,
    recomputes_attention: bool = False,
) -> TrainingStep:
    """The transformer whose blocks `run_block` runs, and the mean of what comes out."""
    blocks = [
        TransformerBlock(params.hidden, params.heads, recomputes_attention=recomputes_attention)
        for _ in range(BLOCKS)
    ]
    model = Transformer(params.hidden, blocks, run_block)
    tokens_BS = torch.randint(VOCABULARY, (params.batch, params.sequence))
    return TrainingStep(model, (tokens_BS,), lambda: model(tokens_BS).mean())


def keep_matmuls(block: nn.Module, x_BSH: Tensor) -> Tensor:
    """Run a block under a policy that saves the dear and recomputes the cheap."""
    contexts = partial(create_selective_checkpoint_contexts, choose)
    out_BSH: Tensor = checkpoint(block, x_BSH, context_fn=contexts)
    return out_BSH


def choose(_context: Any, op: Any, *_args: Any, **_kwargs: Any) -> CheckpointPolicy:
    """Save what a linear layer made: `addmm` on its bias, its weight and its flattened input."""
    is_linear = op in {torch.ops.aten.addmm.default, torch.ops.aten.mm.default}
    return CheckpointPolicy.MUST_SAVE if is_linear else CheckpointPolicy.PREFER_RECOMPUTE


def bars(variant: VariantResult) -> list[dict[str, Any]]:
    """Two bars: what is kept when the forward pass ends, and the peak in the phase where it fell."""
    kept = {"label": "saved_bytes", "phase": Phase.FORWARD.value, "value": variant.saved_bytes}
    peak = {"label": "peak_bytes", "phase": variant.count.peak_phase.value, "value": variant.peak_bytes}
    return [{**bar, "group": variant.id} for bar in (kept, peak)]
