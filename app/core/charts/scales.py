"""Axes: which values get a tick, and where a value lies."""

import math
from collections.abc import Callable, Sequence

from app.core.language import Language

Place = Callable[[float], float]
_STEPS = (1, 2, 5, 10)
MOST = 1e300  # past this a span overflows; no measured number is near it


def linear(low: float, high: float, start: float, end: float) -> Place:
    """A value between `low` and `high` to a coordinate between `start` and `end`."""
    span = high - low or 1.0
    return lambda value: start + (value - low) / span * (end - start)


def logarithmic(low: float, high: float, start: float, end: float) -> Place:
    """The same by logarithm; every value is above zero."""
    place = linear(math.log(low), math.log(high), start, end)
    return lambda value: place(math.log(value))


def linear_ticks(high: float, *, most: int = 5) -> list[float]:
    """From 0 past `high` in steps of 1, 2 or 5 times a power of ten."""
    if not 1 / MOST < high < MOST:
        return [0.0, 1.0]
    base: float = 10.0 ** math.floor(math.log10(high / most))
    step = next(base * factor for factor in _STEPS if base * factor * most >= high)
    return _up_to(high, step)


def byte_ticks(high: float, *, most: int = 4) -> list[float]:
    """From 0 past `high` in steps of a power of two, so that each tick is a round binary number."""
    if not 1 / MOST < high < MOST:
        return [0.0, 1024.0]
    return _up_to(high, 2.0 ** math.ceil(math.log2(high / most)))


def log_ticks(low: float, high: float, *, most: int = 6) -> list[float]:
    """Powers of two between the two ends, every other one left out until they fit."""
    first, last = math.floor(math.log2(low)), math.ceil(math.log2(high))
    stride = max(1, math.ceil((last - first) / (most - 1)))
    return [2.0**power for power in range(first, last + stride, stride) if -1000 < power < 1000]  # noqa: PLR2004


def tick_labels(ticks: Sequence[float], unit: str, language: Language) -> list[str]:
    """What stands beside the ticks: units at each, whole numbers without decimals."""
    if unit in {"number", "count"}:
        return [language.number(int(tick) if tick.is_integer() and tick < 1e7 else tick) for tick in ticks]  # noqa: PLR2004
    return [language.quantity(int(tick) if tick.is_integer() else tick, unit) for tick in ticks]


def _up_to(high: float, step: float) -> list[float]:
    return [step * index for index in range(math.ceil(high / step - 1e-9) + 1)]
