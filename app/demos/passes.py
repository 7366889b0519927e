"""The lab: the four passes of one run.

An instrument changes what it watches, so a run never measures everything at once: time with no instrument,
then the count, then the allocator, then the gradients. Before them, the count is predicted on fake tensors.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode  # documented, in spite of the underscore

from app.demos.allocator import Allocation, measure_allocation
from app.demos.meter import Count, Meter, unique_bytes
from app.demos.provenance import SEED
from app.demos.results import Prediction, VariantResult
from app.demos.spec import N_
from app.demos.steps import TrainingStep, Variant, garbage_kept_out
from app.demos.timing import Spread, time_interleaved

FakeTensorMode()  # at its first use PyTorch imports for two seconds: the parent of all runs pays that, once

Progress = Callable[[float, str], None]
Build = Callable[[], TrainingStep]

# How much of a comparison each pass takes, as seen on a CPU; only the bar on the page knows.
PREDICT_UNTIL, TIME_UNTIL, COUNT_UNTIL, ALLOCATE_UNTIL = 0.15, 0.75, 0.85, 0.95


@dataclass(frozen=True, slots=True)
class Sizes:
    """Bytes of what the count leaves out, each exact."""

    parameter_bytes: int
    gradient_bytes: int
    state_bytes: int


class Lab:
    """What an experiment measures with, on one device."""

    def __init__(self, device: torch.device, progress: Progress) -> None:
        self.device = device
        self.progress = progress

    def compare(self, *variants: Variant, share: float = 1.0) -> dict[str, VariantResult]:
        """Put every variant through the passes; the first is what the others are held against.

        `share` is how much of the whole run this is, for its progress.
        """

        def report(fraction: float, message: str) -> None:
            self.progress(fraction * share, message)

        report(0.0, N_("Predicting"))
        predicted = [self.predict(variant.build) for variant in variants]
        report(PREDICT_UNTIL, N_("Timing"))
        times_ms = self._time(variants, report)
        report(TIME_UNTIL, N_("Counting bytes and operations"))
        counted = [self._count(variant.build) for variant in variants]
        report(COUNT_UNTIL, N_("Asking the allocator"))
        allocated = [self._allocate(variant.build) for variant in variants]
        report(ALLOCATE_UNTIL, N_("Comparing gradients"))
        equal = self.compare_gradients(*variants)
        report(1.0, N_("Summing up"))
        return {
            variant.id: VariantResult(
                id=variant.id,
                count=count,
                parameter_bytes=sizes.parameter_bytes,
                gradient_bytes=sizes.gradient_bytes,
                state_bytes=sizes.state_bytes,
                allocation=allocation,
                step_ms=Spread.of(own_ms),
                time_ratio=_paired_ratio(own_ms, times_ms[0]) if own_ms is not times_ms[0] else None,
                gradients_equal=is_equal,
                predicted=prediction,
            )
            for variant, (count, sizes), allocation, own_ms, is_equal, prediction in zip(
                variants, counted, allocated, times_ms, equal, predicted, strict=True
            )
        }

    def fresh(self, build: Build) -> TrainingStep:
        """A step from the same seed as every other."""
        torch.manual_seed(SEED)
        with self.device:
            step = build()
        torch.manual_seed(SEED)  # a variant may have drawn more to build itself; the step draws the same
        return step

    def count(self, build: Build) -> Count:
        """The count pass alone."""
        return self._count(build)[0]

    def predict(self, build: Build) -> Prediction:
        """The count on fake tensors: the same integers, and nothing is computed or allocated."""
        with FakeTensorMode():
            count = self.count(build)
        return Prediction(count.saved_bytes, count.peak_bytes)

    def gradients(self, build: Build) -> dict[str, Tensor]:
        """The gradients by name that one step gives."""
        step = self.fresh(build)
        step.run()
        return step.gradients()

    def compare_gradients(self, *variants: Variant) -> list[bool | None]:
        """Whether each variant's gradients are those of the first, which itself has None."""
        reference = self.gradients(variants[0].build)
        return [
            None
            if number == 0 or not variant.is_comparable
            else _is_equal(self.gradients(variant.build), reference)
            for number, variant in enumerate(variants)
        ]

    def time_ratios(self, *variants: Variant) -> list[Spread]:
        """The time pass alone: each variant but the first against the first, paired."""
        first_ms, *others_ms = self._time(variants, lambda _, __: None)
        return [_paired_ratio(own_ms, first_ms) for own_ms in others_ms]

    def _time(self, variants: tuple[Variant, ...], report: Progress) -> list[list[float]]:
        steps: list[Callable[[], None]] = [self.fresh(variant.build).run for variant in variants]

        def report_rounds(fraction: float) -> None:
            report(PREDICT_UNTIL + fraction * (TIME_UNTIL - PREDICT_UNTIL), N_("Timing"))

        return time_interleaved(steps, self.device, report_rounds)

    def _count(self, build: Build) -> tuple[Count, Sizes]:
        step = self._warm(build)
        with garbage_kept_out(), Meter() as meter:
            meter.leave_out(step.model.parameters())
            meter.leave_out(step.model.buffers())
            meter.leave_out(step.inputs)
            meter.leave_out(step.state())
            step.run(enter=meter.enter)
            meter.leave_out(step.gradients().values())
            meter.leave_out(step.elsewhere())
            sizes = Sizes(
                parameter_bytes=unique_bytes(step.model.parameters()),
                gradient_bytes=unique_bytes(step.gradients().values()),
                state_bytes=unique_bytes(step.state()),
            )
        return meter.count(), sizes

    def _allocate(self, build: Build) -> Allocation:
        step = self._warm(build)
        step.model.zero_grad(set_to_none=True)
        with garbage_kept_out():
            return measure_allocation(step.run, self.device)

    def _warm(self, build: Build) -> TrainingStep:
        """A fresh step; with an optimizer, one whose state was made by a step that nobody counts."""
        step = self.fresh(build)
        if step.optimizer is not None:
            step.run()
        return step


def _is_equal(ours: dict[str, Tensor], theirs: dict[str, Tensor]) -> bool:
    """Whether the gradients are the same to the last bit."""
    return ours.keys() == theirs.keys() and all(torch.equal(ours[name], theirs[name]) for name in ours)


def _paired_ratio(own_ms: list[float], first_ms: list[float]) -> Spread:
    return Spread.of([own / first for own, first in zip(own_ms, first_ms, strict=True)])
