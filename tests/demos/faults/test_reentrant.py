"""What the reentrant variant cannot do. Reported: transformers issue 23170, pytorch issue 79887."""

import warnings

import pytest
import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

NO_INPUT = "None of the inputs have requires_grad=True"


class TestNoInputRequiresAGradient:
    def test_reentrant_leaves_the_region_untrained_and_only_warns(self) -> None:
        """The layers after it train on, and the loss falls: nothing else tells."""
        region, head = nn.Linear(4, 4), nn.Linear(4, 4)
        with pytest.warns(UserWarning, match=NO_INPUT):
            hidden = checkpoint(region, torch.ones(2, 4), use_reentrant=True)
        head(hidden).sum().backward()
        assert region.weight.grad is None
        assert head.weight.grad is not None

    def test_reentrant_raises_where_nothing_after_it_trains(self) -> None:
        with pytest.warns(UserWarning, match=NO_INPUT):
            hidden = checkpoint(nn.Linear(4, 4), torch.ones(2, 4), use_reentrant=True)
        with pytest.raises(RuntimeError, match="does not require grad"):
            hidden.sum().backward()

    def test_an_input_that_requires_one_mends_it(self) -> None:
        """What `enable_input_require_grads` does in transformers."""
        region = nn.Linear(4, 4)
        checkpoint(region, torch.ones(2, 4, requires_grad=True), use_reentrant=True).sum().backward()
        assert region.weight.grad is not None

    def test_non_reentrant_needs_none(self) -> None:
        region = nn.Linear(4, 4)
        checkpoint(region, torch.ones(2, 4), use_reentrant=False).sum().backward()
        assert region.weight.grad is not None


class TestKeywordArguments:
    @staticmethod
    def scale(x: Tensor, *, by: float) -> Tensor:
        return torch.sin(x * by)

    def test_reentrant_raises(self) -> None:
        x = torch.ones(2, requires_grad=True)
        with pytest.raises(ValueError, match="Unexpected keyword arguments: by"):
            checkpoint(self.scale, x, by=2.0, use_reentrant=True)

    def test_non_reentrant_passes_them_on(self) -> None:
        x, plain = (torch.ones(2, requires_grad=True) for _ in range(2))
        checkpoint(self.scale, x, by=2.0, use_reentrant=False).sum().backward()
        self.scale(plain, by=2.0).sum().backward()
        assert x.grad is not None
        assert plain.grad is not None
        assert torch.equal(x.grad, plain.grad)

    def test_non_reentrant_takes_a_name_of_its_own_for_itself(self) -> None:
        """A keyword that `checkpoint` has too never reaches the region."""

        def region(x: Tensor, *, debug: bool = True) -> Tensor:
            assert debug
            return torch.sin(x)

        checkpoint(region, torch.ones(2, requires_grad=True), debug=False, use_reentrant=False)


def test_left_out_use_reentrant_warns_that_this_will_be_an_error_and_means_true() -> None:
    """The warning names 2.9; in 2.13 it is still a warning."""
    with pytest.warns(UserWarning, match="Starting in PyTorch 2.9"):
        out = checkpoint(torch.sin, torch.ones(2, requires_grad=True))
    assert "CheckpointFunction" in type(out.grad_fn).__name__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        out = checkpoint(torch.sin, torch.ones(2, requires_grad=True), use_reentrant=False)
    assert "CheckpointFunction" not in type(out.grad_fn).__name__
