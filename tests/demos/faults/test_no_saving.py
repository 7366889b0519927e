"""Checkpointing that is called and saves nothing: a single segment, and results that somebody keeps."""

import torch
from torch import Tensor, nn

from app.demos.meter import Count
from app.demos.models import Chain
from app.demos.recompute import checkpoint
from app.demos.spec import Phase
from app.demos.steps import TrainingStep
from tests.demos.measured import make_lab

DEPTH, SEGMENTS, WIDTH, BATCH = 16, 4, 32, 8
U = 4 * BATCH * WIDTH
PRODUCT = 2 * BATCH * WIDTH**2
LOSS = 4


class Reporting(Chain):
    """A chain in checkpointed segments that returns every layer's result where `reports` says so.

    That is what `output_hidden_states=True` asks of a transformer.
    """

    def __init__(self, *, reports: bool) -> None:
        super().__init__(DEPTH, WIDTH, nn.Tanh, bias=False)
        self.reports = reports

    def run(self, x: Tensor, layers: list[nn.Module]) -> list[Tensor]:
        """The results of the layers, or the last one's alone."""
        results = []
        for layer in layers:
            x = layer(x)
            results.append(x)
        return results if self.reports else results[-1:]

    def run_segments(self, x: Tensor) -> list[Tensor]:
        """All segments under `checkpoint`; what they return, in order."""
        returned = [x]
        length = DEPTH // SEGMENTS
        for start in range(0, DEPTH, length):
            layers = list(self.layers)[start : start + length]
            results = checkpoint(self.run, returned[-1], layers)
            returned = [*returned, *results] if self.reports else results
        return returned


def count_segments(segments: int) -> Count:
    def build() -> TrainingStep:
        chain = Chain(DEPTH, WIDTH, nn.Tanh, bias=False)
        x = torch.randn(BATCH, WIDTH)
        return TrainingStep(chain, (x,), lambda: chain.run_in_segments(x, segments).sum())

    return make_lab().count(build)


def count_reporting(*, reports: bool) -> Count:
    """The model returns its layers' results beside the loss, and whoever called it holds them."""

    def build() -> TrainingStep:
        chain = Reporting(reports=reports)
        x = torch.randn(BATCH, WIDTH)
        held: list[Tensor] = []

        def loss() -> Tensor:
            held[:] = chain.run_segments(x)
            total = held[-1].sum()
            if not reports:
                held.clear()
            return total

        return TrainingStep(chain, (x,), loss)

    return make_lab().count(build)


class TestASingleSegment:
    def test_is_the_last_one_and_therefore_not_checkpointed(self) -> None:
        count = count_segments(1)
        assert count.saved_bytes == DEPTH * U + LOSS
        assert count.flops()[Phase.RECOMPUTE] == 0

    def test_two_are_needed_for_any_saving(self) -> None:
        count = count_segments(2)
        assert count.saved_bytes == (1 + DEPTH // 2) * U + LOSS
        assert count.flops()[Phase.RECOMPUTE] == DEPTH // 2 * PRODUCT


class TestHiddenStatesThatSomebodyKeeps:
    def test_without_them_the_boundaries_are_held(self) -> None:
        count = count_reporting(reports=False)
        assert count.saved_bytes == (SEGMENTS - 1) * U + LOSS

    def test_with_them_as_much_is_held_as_by_a_plain_chain(self) -> None:
        assert count_reporting(reports=True).saved_bytes == DEPTH * U + LOSS == count_segments(1).saved_bytes

    def test_and_the_recomputation_is_paid_for_all_the_same(self) -> None:
        kept, dropped = count_reporting(reports=True), count_reporting(reports=False)
        assert kept.flops() == dropped.flops()
        assert kept.flops()[Phase.RECOMPUTE] == DEPTH * PRODUCT

    def test_the_peak_is_then_above_that_of_a_plain_chain(self) -> None:
        plain = count_segments(1).peak_bytes
        assert count_reporting(reports=False).peak_bytes < plain
        assert count_reporting(reports=True).peak_bytes > plain
