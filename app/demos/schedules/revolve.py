"""Revolve: the fewest extra forwards of equal layers with a number of checkpoints.

Source: Griewank and Walther 2000, "Algorithm 799: revolve, an implementation of checkpointing for the reverse
or adjoint mode of computational differentiation". The chain's own input is the first of the checkpoints.
"""

from functools import cache
from math import comb

from app.demos.schedules.tree import Item, Schedule, Segment


def revolve(layers: int, checkpoints: int) -> Schedule:
    """The binomial schedule of `layers` >= 1 with `checkpoints` >= 1, as a tree.

    A checkpoint more splits the chain: what comes before it is a segment with as many checkpoints as the
    whole, since it is reversed last; what comes after it has one less.
    """
    if layers < 1 or checkpoints < 1:
        raise ValueError("revolve needs a layer and a checkpoint")
    return Schedule(_reverse(0, layers, checkpoints))


@cache
def count_revolve_steps(layers: int, checkpoints: int) -> int:
    """How many layers run again: r * l - C(c + r, r - 1), with the least r for which C(c + r, c) >= l."""
    repeats = 0
    while comb(checkpoints + repeats, checkpoints) < layers:
        repeats += 1
    return repeats * layers - (comb(checkpoints + repeats, repeats - 1) if repeats else 0)


def _reverse(start: int, length: int, checkpoints: int) -> tuple[Item, ...]:
    if length == 1:
        return (start,)
    split = _best_split(length, checkpoints)
    before = Segment(_reverse(start, split, checkpoints))
    return (before, *_reverse(start + split, length - split, checkpoints - 1))


@cache
def _best_split(length: int, checkpoints: int) -> int:
    """Where the next checkpoint goes; the last one is spent just before the last layer."""
    if checkpoints == 1:
        return length - 1

    def steps(split: int) -> int:
        before = split + count_revolve_steps(split, checkpoints)
        return before + count_revolve_steps(length - split, checkpoints - 1)

    return min(range(1, length), key=steps)
