"""The schedules that need no search.

Source of the even cuts: Chen et al. 2016, "Training deep nets with sublinear memory cost".
"""

from app.demos.schedules.even import sqrt_segments
from app.demos.schedules.tree import Schedule, Segment


def keep_everything(layers: int) -> Schedule:
    """No checkpoint at all."""
    return Schedule(tuple(range(layers)))


def recompute_every_layer(layers: int) -> Schedule:
    """Each layer under a checkpoint of its own, the last one too, as libraries wrap their blocks."""
    return Schedule(tuple(Segment((layer,)) for layer in range(layers)))


def cut_evenly(layers: int, segments: int) -> Schedule:
    """`torch.utils.checkpoint.checkpoint_sequential`: the last of `segments` takes the rest and keeps it."""
    length = layers // segments
    if not 1 <= segments <= layers:
        raise ValueError(f"{layers} layers cannot be cut into {segments} segments")
    last = (segments - 1) * length
    cut = (Segment(tuple(range(start, start + length))) for start in range(0, last, length))
    return Schedule((*cut, *range(last, layers)))


def cut_sqrt(layers: int) -> Schedule:
    """About √N even segments."""
    return cut_evenly(layers, sqrt_segments(layers))
