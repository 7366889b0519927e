"""What a region does besides computing is done twice. Reported: pytorch issue 96136."""

import math

import pytest
import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

MOMENTUM = 0.1
FEATURES = 8


def step(*, momentum: float = MOMENTUM, checkpoints: bool, use_reentrant: bool = False) -> nn.BatchNorm1d:
    """Batch normalisation as one training step leaves it."""
    torch.manual_seed(0)
    norm = nn.BatchNorm1d(FEATURES, momentum=momentum)
    x = torch.randn(16, FEATURES, requires_grad=True)
    out: Tensor = checkpoint(norm, x, use_reentrant=use_reentrant) if checkpoints else norm(x)
    out.square().sum().backward()
    return norm


@pytest.mark.parametrize("use_reentrant", [True, False])
class TestBatchNormalisationUnderACheckpoint:
    def test_counts_the_batch_twice(self, *, use_reentrant: bool) -> None:
        assert step(checkpoints=False).get_buffer("num_batches_tracked") == 1
        norm = step(checkpoints=True, use_reentrant=use_reentrant)
        assert norm.get_buffer("num_batches_tracked") == 2

    def test_moves_its_statistics_twice(self, *, use_reentrant: bool) -> None:
        """(1 - m) of what is missing stays after one update, (1 - m)^2 after two."""
        once, twice = step(checkpoints=False), step(checkpoints=True, use_reentrant=use_reentrant)
        means = [norm.get_buffer("running_mean") for norm in (once, twice)]
        assert torch.allclose(means[1], means[0] * (1 + (1 - MOMENTUM)))

    def test_is_mended_by_a_smaller_momentum(self, *, use_reentrant: bool) -> None:
        mended_momentum = 1 - math.sqrt(1 - MOMENTUM)
        once = step(checkpoints=False)
        mended = step(momentum=mended_momentum, checkpoints=True, use_reentrant=use_reentrant)
        for name in ("running_mean", "running_var"):
            assert torch.allclose(mended.get_buffer(name), once.get_buffer(name), atol=1e-6)
        assert mended.get_buffer("num_batches_tracked") == 2  # the count is not mended

    def test_gives_the_plain_gradients_all_the_same(self, *, use_reentrant: bool) -> None:
        once, twice = step(checkpoints=False), step(checkpoints=True, use_reentrant=use_reentrant)
        for plain, checkpointed in zip(once.parameters(), twice.parameters(), strict=True):
            assert plain.grad is not None
            assert checkpointed.grad is not None
            assert torch.equal(plain.grad, checkpointed.grad)
