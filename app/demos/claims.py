"""Claims: what an item says about a demo's metrics, and whether a measurement bears it out.

A claim is `{metric, is, value}` or `{metric, is, of, times}`: a metric stands in a relation to a value, or to
another metric (times a factor). Pure; standard library only.
"""

import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

Number = int | float | bool

RELATIONS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_EXACT = {"==", "!="}
_KEYS = {"metric", "is", "value", "of", "times"}


class ClaimError(ValueError):
    """A claim is malformed; the message says where."""


class Outcome(StrEnum):
    """What a measurement says of a claim."""

    HOLDS = "holds"
    FAILS = "does not hold"
    NOT_MEASURED = "not measured"


@dataclass(frozen=True, slots=True)
class Claim:
    """A metric in relation to a `value`, or to `times` the metric `of`: exactly one of the two is given."""

    metric: str
    relation: str
    value: Number | None = None
    of: str | None = None
    times: float = 1.0

    def __str__(self) -> str:
        if self.of is None:
            right = str(self.value).lower() if isinstance(self.value, bool) else f"{self.value}"
        else:
            right = self.of if self.times == 1 else f"{self.times:g} x {self.of}"
        return f"{self.metric} {self.relation} {right}"

    def evaluate(self, metrics: Mapping[str, Number | None]) -> "Finding":
        """Hold the claim against what was measured; a metric that is absent or None was not."""
        measured = metrics.get(self.metric)
        bound = self.value if self.of is None else _multiply(metrics.get(self.of), self.times)
        if measured is None or bound is None:
            return Finding(self, Outcome.NOT_MEASURED, measured, bound)
        if isinstance(measured, bool) is not isinstance(bound, bool):
            return Finding(self, Outcome.FAILS, measured, bound)  # True is 1 to Python, and to nobody else
        holds = RELATIONS[self.relation](measured, bound)
        return Finding(self, Outcome.HOLDS if holds else Outcome.FAILS, measured, bound)


@dataclass(frozen=True, slots=True)
class Finding:
    """A claim, its outcome, and the two numbers that were compared: the parts of a sentence about it."""

    claim: Claim
    outcome: Outcome
    measured: Number | None
    bound: Number | None

    def __str__(self) -> str:
        compared = f"{_show(self.measured)} {self.claim.relation} {_show(self.bound)}"
        return f"{self.claim}: {self.outcome.value} ({compared})"


def parse_claim(source: Mapping[str, object]) -> Claim:
    """A claim from YAML or JSON; raises ClaimError for what is missing, unknown, or of the wrong kind."""
    if unknown := sorted(str(key) for key in source.keys() - _KEYS):
        raise ClaimError(f"a claim has no {', '.join(unknown)}")
    metric, relation = source.get("metric"), source.get("is")
    value, of, times = source.get("value"), source.get("of"), source.get("times", 1.0)
    if not isinstance(metric, str) or not metric:
        raise ClaimError("metric: the id of a metric is missing")
    if not isinstance(relation, str) or relation not in RELATIONS:
        raise ClaimError(f"is: must be one of {' '.join(RELATIONS)}")
    if (value is None) == (of is None):
        raise ClaimError("give either value or of")
    if of is not None and (not isinstance(of, str) or not of):
        raise ClaimError("of: must be the id of a metric")
    if value is not None and not _is_number(value) and not isinstance(value, bool):
        raise ClaimError("value: must be a finite number, true or false")
    if isinstance(value, bool) and relation not in _EXACT:
        raise ClaimError("is: true and false can only be == or !=")
    if not _is_number(times):
        raise ClaimError("times: must be a finite number")
    if of is None and times != 1:
        raise ClaimError("times: only goes with of")
    return Claim(metric, relation, value, of, float(times))  # type: ignore[arg-type] # checked above


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _multiply(number: Number | None, times: float) -> Number | None:
    """`number` times `times`; by one it stays the integer or the truth value that it is."""
    return number if number is None or times == 1 else number * times


def _show(number: Number | None) -> str:
    if number is None:
        return "-"
    if isinstance(number, bool):
        return str(number).lower()
    return f"{number:.6g}" if isinstance(number, float) else str(number)
