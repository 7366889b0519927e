"""Each demo measured once at its defaults, for all the tests that look at a whole result."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import torch

from app.demos.harness import measure
from app.demos.passes import Lab


@cache
def measured(demo_id: str) -> dict[str, Any]:
    return measure(demo_id, {})


def make_lab(*, threads: int = 1) -> Lab:
    """A lab as a run has it: its threads, and no search for garbage in what was imported before."""
    torch.set_num_threads(threads)
    gc.freeze()
    return Lab(torch.device("cpu"), lambda _fraction, _message: None)


@contextmanager
def default_dtype(dtype: torch.dtype) -> Iterator[None]:
    """New parameters and inputs of that type."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        yield
    finally:
        torch.set_default_dtype(before)
