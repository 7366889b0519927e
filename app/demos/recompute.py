# mypy: allow-untyped-calls
# (PyTorch types not all of its functions.)
"""Checkpointing that knows when it recomputes.

PyTorch does not say whether a function under `checkpoint` runs for the first time or again. Counting its
calls does: the first is the forward pass, each later one a recomputation. That holds for both variants of
`checkpoint`, with early stop and without, nested, and with selective policies.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ParamSpec, TypeVar

from torch.utils import checkpoint as torch_checkpoint

P = ParamSpec("P")
R = TypeVar("R")

_this_thread = threading.local()  # a CUDA backward pass recomputes in a thread of its own


def is_recomputing() -> bool:
    """Whether this thread is inside the second or a later call of a checkpointed function."""
    return _depth() > 0


@contextmanager
def recomputing() -> Iterator[None]:
    """What runs inside is recomputation."""
    _this_thread.depth = _depth() + 1
    try:  # early stop leaves a recomputation by an exception
        yield
    finally:
        _this_thread.depth -= 1


def replayable(function: Callable[P, R]) -> Callable[P, R]:
    """`function`, whose calls after the first are recomputation. Make a new one for each training step."""
    was_called = False

    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        nonlocal was_called
        if not was_called:
            was_called = True
            return function(*args, **kwargs)
        with recomputing():
            return function(*args, **kwargs)

    return run


def checkpoint(function: Callable[..., Any], *args: Any, use_reentrant: bool = False, **options: Any) -> Any:
    """`torch.utils.checkpoint.checkpoint`, with its recomputation marked."""
    return torch_checkpoint.checkpoint(replayable(function), *args, use_reentrant=use_reentrant, **options)


def checkpoint_sequential(layers: list[Callable[..., Any]], segments: int, x: Any) -> Any:
    """`torch.utils.checkpoint.checkpoint_sequential`, with its recomputation marked.

    The last of the `segments` is not checkpointed: its backward pass comes first.
    """
    marked = [replayable(layer) for layer in layers]
    return torch_checkpoint.checkpoint_sequential(marked, segments, x, use_reentrant=False)


def _depth() -> int:
    depth: int = getattr(_this_thread, "depth", 0)
    return depth
