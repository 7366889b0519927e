"""Which operators are recomputation: both variants, with early stop and without, nested, selective."""

from functools import partial
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.utils.checkpoint import create_selective_checkpoint_contexts, set_checkpoint_early_stop

from app.demos.meter import Count, Meter
from app.demos.recompute import checkpoint, checkpoint_sequential, is_recomputing, replayable
from app.demos.spec import Phase

LAYERS = 4


def make_layers(*, ends_with_linear: bool = False) -> list[nn.Module]:
    torch.manual_seed(0)
    pair: list[type[nn.Module]] = [nn.Tanh, nn.Linear] if ends_with_linear else [nn.Linear, nn.Tanh]
    return [
        nn.Sequential(*(each(8, 8, bias=False) if each is nn.Linear else each() for each in pair))
        for _ in range(LAYERS)
    ]


def run_all(layers: list[nn.Module], x: Tensor) -> Tensor:
    for layer in layers:
        x = layer(x)
    return x


def count_products(run: Any, layers: list[nn.Module]) -> dict[Phase, int]:
    """Matrix products by phase of one training step whose input needs a gradient too."""
    x = torch.ones(2, 8, requires_grad=True)
    with Meter() as meter:
        loss = run(layers, x).sum()
        meter.enter(Phase.BACKWARD)
        loss.backward()
    assert not is_recomputing()
    count: Count = meter.count()
    return {phase: sum(op.flops > 0 for op in count.list_ops(phase)) for phase in Phase}


def expect(recomputed: int) -> dict[Phase, int]:
    """Forward once, two products a layer backward, whatever is run again."""
    return {
        Phase.FORWARD: LAYERS,
        Phase.RECOMPUTE: recomputed,
        Phase.BACKWARD: 2 * LAYERS,
        Phase.OPTIMIZER: 0,
    }


def run_nested(layers: list[nn.Module], x: Tensor, *, use_reentrant: bool) -> Tensor:
    """Two levels: a checkpoint around two checkpoints of two layers each."""

    def outer(x: Tensor) -> Tensor:
        for inner in (layers[:2], layers[2:]):
            x = checkpoint(partial(run_all, inner), x, use_reentrant=use_reentrant)
        return x

    out: Tensor = checkpoint(outer, x, use_reentrant=use_reentrant)
    return out


def test_a_plain_step_recomputes_nothing() -> None:
    assert count_products(run_all, make_layers()) == expect(0)


@pytest.mark.parametrize("early_stop", [True, False])
@pytest.mark.parametrize("use_reentrant", [True, False])
class TestBothVariants:
    def test_a_region_runs_again_once(self, *, use_reentrant: bool, early_stop: bool) -> None:
        def run(layers: list[nn.Module], x: Tensor) -> Tensor:
            out: Tensor = checkpoint(partial(run_all, layers), x, use_reentrant=use_reentrant)
            return out

        with set_checkpoint_early_stop(early_stop):
            assert count_products(run, make_layers()) == expect(LAYERS)

    def test_early_stop_spares_a_last_product_that_nobody_needs(
        self, *, use_reentrant: bool, early_stop: bool
    ) -> None:
        def run(layers: list[nn.Module], x: Tensor) -> Tensor:
            out: Tensor = checkpoint(partial(run_all, layers), x, use_reentrant=use_reentrant)
            return out

        spares = early_stop and not use_reentrant  # the reentrant variant has no early stop
        with set_checkpoint_early_stop(early_stop):
            assert count_products(run, make_layers(ends_with_linear=True)) == expect(LAYERS - spares)

    # The outer reentrant region runs its forward without gradients, and the inner ones remark on that.
    @pytest.mark.filterwarnings("ignore:None of the inputs have requires_grad=True:UserWarning")
    def test_nested_regions_run_again_once_a_level(self, *, use_reentrant: bool, early_stop: bool) -> None:
        # Early stop ends the outer recomputation once the second inner region has its input: two layers less.
        spared = 2 if early_stop and not use_reentrant else 0
        with set_checkpoint_early_stop(early_stop):
            run = partial(run_nested, use_reentrant=use_reentrant)
            assert count_products(run, make_layers()) == expect(2 * LAYERS - spared)


def test_the_last_of_the_sequential_segments_does_not_run_again() -> None:
    def run(layers: list[nn.Module], x: Tensor) -> Tensor:
        out: Tensor = checkpoint_sequential(list(layers), 2, x)
        return out

    assert count_products(run, make_layers()) == expect(LAYERS // 2)


def test_a_selective_policy_runs_again_only_what_it_did_not_save() -> None:
    contexts = partial(create_selective_checkpoint_contexts, [torch.ops.aten.mm.default])

    def run(layers: list[nn.Module], x: Tensor) -> Tensor:
        out: Tensor = checkpoint(partial(run_all, layers), x, context_fn=contexts)
        return out

    assert count_products(run, make_layers()) == expect(0)


def test_an_exception_in_a_recomputation_leaves_no_mark() -> None:
    def fail_the_second_time(calls: list[bool]) -> None:
        calls.append(is_recomputing())
        if len(calls) > 1:
            raise ValueError("the second time")

    calls: list[bool] = []
    marked = replayable(fail_the_second_time)
    marked(calls)
    with pytest.raises(ValueError, match="the second time"):
        marked(calls)
    assert calls == [False, True]
    assert not is_recomputing()
