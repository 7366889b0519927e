"""Checkpointing schedules of a chain of equal layers: pure arithmetic, to hold measurements against.

The schedule is that of `torch.utils.checkpoint.checkpoint_sequential`: `segments` stretches of
`layers // segments` layers, the last of which takes what remains and is not checkpointed. A unit is one
activation; the network's own input is counted nowhere. Source: Chen et al. 2016, "Training deep nets with
sublinear memory cost".
"""

import math
from collections.abc import Iterable


def sqrt_segments(layers: int) -> int:
    """The number of segments that keeps least, about √N."""
    return round(math.sqrt(layers))


def count_saved(layers: int, segments: int) -> int:
    """Activations kept for the backward pass by layers that each save their output: k + N/k - 1.

    Every checkpointed segment keeps its input, the first one's being the network's; the last segment keeps
    its input and all of its outputs.
    """
    last = layers - (segments - 1) * (layers // segments)
    return segments - 1 + last


def count_extra_forwards(layers: int, segments: int) -> int:
    """Layers that are computed again: N - N/k, all but those of the last segment."""
    return (segments - 1) * (layers // segments)


def spread_segments(layers: int, *, most: int = 8) -> list[int]:
    """At most `most` numbers of segments from 1 to `layers`, even on a logarithmic scale, √N among them."""
    steps = most - 2  # the ends belong to the scale, and √N comes extra
    scale = (round(layers ** (step / steps)) for step in range(steps + 1))
    return sorted({*scale, sqrt_segments(layers)})


def log_log_slope(points: Iterable[tuple[float, float]]) -> float:
    """The power p of the best fit y = c * x**p, by least squares on the logarithms."""
    logs = [(math.log(x), math.log(y)) for x, y in points]
    mean_x = sum(x for x, _ in logs) / len(logs)
    mean_y = sum(y for _, y in logs) / len(logs)
    covariance = sum((x - mean_x) * (y - mean_y) for x, y in logs)
    return covariance / sum((x - mean_x) ** 2 for x, _ in logs)
