"""Selective checkpointing that saves nothing, or refuses. Reported: pytorch issues 176065, 191236."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.autograd.graph import save_on_cpu, saved_tensors_hooks
from torch.utils.checkpoint import CheckpointPolicy, create_selective_checkpoint_contexts

from app.demos.meter import Count, Meter
from app.demos.recompute import checkpoint
from app.demos.spec import Phase

aten = torch.ops.aten
WIDTH = 8
U = 4 * WIDTH * WIDTH  # bytes of one activation
PRODUCT = 2 * WIDTH**3
LOSS = 4
Policy = Callable[..., CheckpointPolicy]


def save(policy: CheckpointPolicy, *ops: object) -> Policy:
    """`policy` for the operators that are among `ops`, recomputation for all others."""

    def choose(_context: Any, op: Any, *_: Any, **__: Any) -> CheckpointPolicy:
        return policy if op in ops else CheckpointPolicy.PREFER_RECOMPUTE

    return choose


def leaves() -> tuple[Tensor, Tensor]:
    torch.manual_seed(0)
    x, weight = torch.randn(2, WIDTH, WIDTH).requires_grad_().unbind()
    return x.detach().requires_grad_(), weight.detach().requires_grad_()


def run(function: Any, x: Tensor, policy: Any, **options: Any) -> Tensor:
    contexts = partial(create_selective_checkpoint_contexts, policy, **options)
    out: Tensor = checkpoint(function, x, context_fn=contexts)
    return out


def count_step(policy: Any) -> Count:
    x, weight = leaves()
    with Meter() as meter:
        meter.leave_out((x, weight))
        loss = run(lambda x: torch.tanh(x @ weight), x, policy).sum()
        meter.enter(Phase.BACKWARD)
        loss.backward()
    return meter.count()


def recomputed(count: Count) -> int:
    return count.flops()[Phase.RECOMPUTE]


class TestAPolicyThatNamesNoOverload:
    def test_never_matches_and_everything_is_computed_again(self) -> None:
        count = count_step(save(CheckpointPolicy.MUST_SAVE, aten.mm))
        assert (count.saved_bytes, recomputed(count)) == (LOSS, PRODUCT)

    def test_matches_with_default(self) -> None:
        count = count_step(save(CheckpointPolicy.MUST_SAVE, aten.mm.default))
        assert (count.saved_bytes, recomputed(count)) == (U + LOSS, 0)

    def test_is_refused_in_a_list_of_operators_which_names_the_mistake(self) -> None:
        """Only a function fails in silence."""
        with pytest.raises(ValueError, match=r"change it to `torch.ops.aten.mm.default`"):
            create_selective_checkpoint_contexts([aten.mm])


class TestAnOperatorInPlace:
    @staticmethod
    def shift(weight: Tensor) -> Callable[[Tensor], Tensor]:
        def region(x: Tensor) -> Tensor:
            product = x @ weight
            product += 1.0
            return torch.tanh(product)

        return region

    def gradients(self, policy: Any, **options: Any) -> tuple[Tensor, Tensor]:
        """Of the weight, under the policy and plainly."""
        x, weight = leaves()
        ours = torch.autograd.grad(run(self.shift(weight), x, policy, **options).sum(), weight)
        theirs = torch.autograd.grad(self.shift(weight)(x).sum(), weight)
        return ours[0], theirs[0]

    def test_raises_where_it_changes_what_the_policy_saved(self) -> None:
        with pytest.raises(
            RuntimeError, match="cached during selective activation checkpoint has been mutated"
        ):
            self.gradients([aten.mm.default])

    def test_raises_where_its_own_result_is_saved(self) -> None:
        """The policy names the in-place operator itself, as `add_` of a number dispatches to."""
        with pytest.raises(RuntimeError, match="has been mutated"):
            self.gradients([aten.add_.Tensor])

    def test_is_fine_where_its_operand_is_computed_again(self) -> None:
        ours, theirs = self.gradients([aten.tanh.default])
        assert torch.equal(ours, theirs)

    def test_gives_wrong_gradients_in_silence_where_the_check_is_switched_off(self) -> None:
        ours, theirs = self.gradients([aten.mm.default], allow_cache_entry_mutation=True)
        assert (ours - theirs).abs().max() > 0.1


class TestOffloading:
    @pytest.mark.parametrize(
        "policy", [CheckpointPolicy.MUST_CPU_OFFLOAD, CheckpointPolicy.PREFER_CPU_OFFLOAD]
    )
    def test_a_policy_of_offloading_computes_again_in_eager(self, policy: CheckpointPolicy) -> None:
        """The documentation says saved, moved and brought back; nothing is kept anywhere."""
        count = count_step(save(policy, aten.mm.default))
        nothing_saved = count_step(save(CheckpointPolicy.PREFER_RECOMPUTE, aten.mm.default))
        assert count == nothing_saved
        assert (count.saved_bytes, recomputed(count)) == (LOSS, PRODUCT)

    @staticmethod
    def keep_elsewhere(moved_bytes: list[int]) -> saved_tensors_hooks:
        """Hooks as `save_on_cpu` has them, which a CPU can watch: what is moved leaves PyTorch's memory."""
        assert issubclass(save_on_cpu, saved_tensors_hooks)

        def pack(tensor: Tensor) -> tuple[torch.Size, list[float]]:
            moved_bytes.append(tensor.nbytes)
            return tensor.shape, tensor.flatten().tolist()

        return saved_tensors_hooks(pack, lambda packed: torch.tensor(packed[1]).view(packed[0]))

    def held_bytes(
        self, call: Callable[[Callable[[Tensor], Tensor], Tensor], Tensor]
    ) -> tuple[int, list[int]]:
        """What stays beside the region's result, and what the hooks were given."""
        x, weight = leaves()
        moved_bytes: list[int] = []
        with Meter() as meter:
            meter.leave_out((x, weight))
            with self.keep_elsewhere(moved_bytes):
                out = call(lambda x: torch.sin(torch.tanh(x @ weight)), x)
        assert out.requires_grad
        return meter.count().saved_bytes - out.nbytes, moved_bytes

    def test_hooks_that_offload_see_every_tensor_of_a_plain_region(self) -> None:
        assert self.held_bytes(lambda region, x: region(x)) == (0, [U, U, U, U])

    def test_and_the_input_of_a_checkpointed_one(self) -> None:
        assert self.held_bytes(checkpoint) == (0, [U])

    def test_but_not_what_a_selective_policy_saves(self) -> None:
        """The cache is no saved tensor of autograd: it stays on the device."""
        held, moved = self.held_bytes(lambda region, x: run(region, x, [aten.mm.default]))
        assert moved == [U]
        assert held == U
