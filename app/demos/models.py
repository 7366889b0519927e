# ruff: noqa: N803, N806 - tensors carry their shapes
# mypy: allow-untyped-calls
# (PyTorch types not all of its functions.)
"""Small networks to measure. Tensors carry their shape: x_BW is batch by width.

B batch, W width, S sequence, H hidden, A heads, D = H / A, N = B * A.
"""

from collections.abc import Callable, Iterable

import torch
from torch import Tensor, nn

from app.demos.recompute import checkpoint, checkpoint_sequential

VOCABULARY = 64  # tokens that exist; their embedding is a parameter and weighs nothing in the counts
DROPOUT = 0.1  # as the transformer papers have it; any rate keeps the same bytes
RunBlock = Callable[[nn.Module, Tensor], Tensor]
Drop = Callable[[Tensor], Tensor]

UP = 4  # a transformer's feed-forward layer is four times as wide as its block


class Chain(nn.Module):
    """`depth` equal layers, each Linear (W to W) and an activation, which is called a layer's output."""

    def __init__(self, depth: int, width: int, activation: type[nn.Module], *, bias: bool) -> None:
        super().__init__()
        self.layers = nn.ModuleList(
            nn.Sequential(nn.Linear(width, width, bias=bias), activation()) for _ in range(depth)
        )
        # Neither grows nor fades over hundreds of layers: PyTorch's own start would, down to denormal
        # numbers, which a CPU computes slowly. ReLU and GELU halve the variance, tanh does not.
        variance = (1.0 if activation is nn.Tanh else 2.0) / width
        for name, parameter in self.named_parameters():
            if name.endswith("weight"):
                nn.init.normal_(parameter, std=variance**0.5)

    def forward(self, x_BW: Tensor) -> Tensor:
        """Run the layers plainly."""
        for layer in self.layers:
            x_BW = layer(x_BW)
        return x_BW

    def run_in_segments(self, x_BW: Tensor, segments: int) -> Tensor:
        """Run the layers in checkpointed segments; the last one is not checkpointed."""
        out_BW: Tensor = checkpoint_sequential(list(self.layers), segments, x_BW)
        return out_BW


class TransformerBlock(nn.Module):
    """A pre-norm transformer block with explicit attention, dropout and GELU.

    It keeps for the backward pass what Korthikanti et al. 2022, "Reducing activation recomputation in large
    transformer models", count: 34 sbh + 5 a s^2 b bytes in 16 bits, plus the statistics of its two norms.
    Dropout is `drop` below, whose mask takes one byte an element on every device, unless another is given.
    """

    def __init__(
        self, hidden: int, heads: int, *, recomputes_attention: bool = False, drop_out: Drop | None = None
    ) -> None:
        super().__init__()
        self.heads = heads
        self.recomputes_attention = recomputes_attention
        self.drop_out = drop_out or drop
        self.attention_norm = nn.LayerNorm(hidden)
        self.query_key_value = nn.Linear(hidden, 3 * hidden)
        self.project = nn.Linear(hidden, hidden)
        self.feed_norm = nn.LayerNorm(hidden)
        self.up = nn.Linear(hidden, UP * hidden)
        self.gelu = nn.GELU()
        self.down = nn.Linear(UP * hidden, hidden)

    def forward(self, x_BSH: Tensor) -> Tensor:
        """One block; the result has the shape of x_BSH."""
        qkv_BS3H = self.query_key_value(self.attention_norm(x_BSH))
        if self.recomputes_attention:
            attended_BSH = checkpoint(self.attend, qkv_BS3H)
        else:
            attended_BSH = self.attend(qkv_BS3H)
        x_BSH = x_BSH + self.drop_out(self.project(attended_BSH))
        return x_BSH + self.drop_out(self.down(self.gelu(self.up(self.feed_norm(x_BSH)))))

    def attend(self, qkv_BS3H: Tensor) -> Tensor:
        """The attention core: the part that has no parameters and grows with the square of S."""
        B, S, H = *qkv_BS3H.shape[:2], qkv_BS3H.shape[2] // 3
        D = H // self.heads
        query_NSD, key_NSD, value_NSD = (
            part.view(B, S, self.heads, D).transpose(1, 2).reshape(B * self.heads, S, D)
            for part in torch.split(qkv_BS3H, H, dim=2)
        )
        scores_NSS = self.score(query_NSD * D**-0.5, key_NSD)
        out_NSD = torch.bmm(self.drop_out(scores_NSS.softmax(dim=-1)), value_NSD)
        attended_BSH: Tensor = out_NSD.view(B, self.heads, S, D).transpose(1, 2).reshape(B, S, H)
        return attended_BSH

    def score(self, query_NSD: Tensor, key_NSD: Tensor) -> Tensor:
        """How much each token attends to each other, scores_NSS, before the softmax."""
        return torch.bmm(query_NSD, key_NSD.transpose(1, 2))


class Transformer(nn.Module):
    """Embedded tokens through blocks, each run by `run_block`: plainly, or checkpointed in some way."""

    def __init__(self, hidden: int, blocks: Iterable[TransformerBlock], run_block: RunBlock) -> None:
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, hidden)
        self.blocks = nn.ModuleList(blocks)
        self.run_block = run_block

    def forward(self, tokens_BS: Tensor) -> Tensor:
        """The last block's result, x_BSH."""
        x_BSH: Tensor = self.embedding(tokens_BS)
        for block in self.blocks:
            x_BSH = self.run_block(block, x_BSH)
        return x_BSH


def drop(x: Tensor) -> Tensor:
    """Dropout with a mask of one byte an element; `F.dropout` on a CPU keeps a mask in the type of `x`."""
    dropped: Tensor = torch.native_dropout(x, DROPOUT, train=True)[0]
    return dropped


def run_plainly(block: nn.Module, x: Tensor) -> Tensor:
    """A block's result, with everything kept."""
    out: Tensor = block(x)
    return out


class FeedForward(nn.Module):
    """The half of a pre-norm transformer block that sees each token alone: x + down(gelu(up(norm(x))))."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.up = nn.Linear(width, UP * width)
        self.gelu = nn.GELU()
        self.down = nn.Linear(UP * width, width)

    def forward(self, x_BW: Tensor) -> Tensor:
        """The result has the shape of x_BW."""
        out_BW: Tensor = x_BW + self.down(self.gelu(self.up(self.norm(x_BW))))
        return out_BW
