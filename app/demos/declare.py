"""The metrics that every training step has, declared once for all demos; standard library only."""

from collections.abc import Iterator

from app.demos.spec import N_, Metric


def step_metrics(variant: str, *, first: bool = False, comparable: bool = True) -> Iterator[Metric]:
    """What is measured of one variant's training step.

    The `first` variant is what the others are held against. `comparable` is false where equal gradients have
    no meaning: the variant computes another function, or no gradient at all.
    """
    yield Metric(f"{variant}.saved_bytes", "bytes", N_("Saved for the backward pass"))
    yield Metric(f"{variant}.peak_bytes", "bytes", N_("Peak activation memory"))
    yield Metric(f"{variant}.flops", "flops", N_("Computation in the whole step"))
    yield Metric(f"{variant}.recompute_flops", "flops", N_("Computation done again"))
    yield Metric(f"{variant}.step_ms", "ms", N_("Time of one step"))
    if not first:
        yield Metric(f"{variant}.time_ratio", "ratio", N_("Time against the first variant"))
    if not first and comparable:
        yield Metric(f"{variant}.gradients_equal", "boolean", N_("Gradients equal to the last bit"))
