"""What a demo declares about itself, in the standard library only: the web process reads it without torch.

Strings marked with `N_` are msgids: the web process translates them. A demo's folder is its id with
underscores for hyphens.
"""

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Any, ClassVar, Literal

from app.core.marking import N_ as N_  # noqa: PLC0414 - specs import it from here

HARNESS_VERSION = 1  # raised when a definition of a quantity changes: older measurements are then not "fresh"

DIGITS_LIMIT = 9  # of an integer parameter; no bound is near it

Unit = Literal["bytes", "count", "flops", "ratio", "ms", "fraction", "number", "boolean"]
Picture = Literal["timeline", "bars", "curve", "oplog", "table"]


class Phase(StrEnum):
    """The four phases of a training step; each has one colour and one pattern everywhere."""

    FORWARD = "forward"
    RECOMPUTE = "recompute"
    BACKWARD = "backward"
    OPTIMIZER = "optimizer"


@dataclass(frozen=True, slots=True)
class Metric:
    """One number that a demo measures; texts place it as `{{id}}`."""

    id: str
    unit: Unit
    label: str  # msgid


@dataclass(frozen=True, slots=True)
class VariantSpec:
    """One of the things a demo compares."""

    id: str
    label: str  # msgid


class ParamError(ValueError):
    """A parameter is unknown, malformed or out of bounds. `message` is a msgid with `{named}` fields."""

    def __init__(self, name: str, message: str, **values: object) -> None:
        super().__init__(f"{name}: {message.format(name=name, **values)}")
        self.name = name
        self.message = message
        self.values = {"name": name, **values}


def bounded(default: int, *, low: int, high: int, label: str, is_size: bool = True) -> Any:
    """An integer parameter with inclusive bounds; `label` is a msgid.

    `is_size`: more of it is more work, so a large device is given the most.
    """
    return field(default=default, metadata={"low": low, "high": high, "label": label, "is_size": is_size})


def choice(default: str, options: tuple[str, ...], *, label: str) -> Any:
    """A parameter that is one of a few words of code; `label` is a msgid."""
    return field(default=default, metadata={"options": options, "label": label})


@dataclass(frozen=True, slots=True)
class Params:
    """Base of every demo's parameters: frozen, hashable, bounded fields only."""

    def to_json(self) -> dict[str, int | str]:
        """Every field with its value, in declaration order."""
        return dataclasses.asdict(self)


@dataclass(frozen=True, slots=True)
class Demo:
    """A named, parameterised experiment, as the web process knows it."""

    id: str
    title: str  # msgid
    summary: str  # msgid: what is run and what is compared, one sentence
    finding: str  # msgid with {{metric}} placeholders: what was found, built from the numbers
    params: type[Params]
    variants: tuple[VariantSpec, ...]
    metrics: tuple[Metric, ...]
    picture: Picture
    expected_seconds: int = 3  # said in advance when longer than a learner expects

    KNOWN_UNITS: ClassVar[frozenset[str]] = frozenset(Unit.__args__)  # type: ignore[attr-defined]

    @property
    def package(self) -> str:
        """The folder in `app/demos/catalog`."""
        return self.id.replace("-", "_")

    def find_metric(self, metric_id: str) -> Metric | None:
        """The declared metric of that id, or None."""
        return next((metric for metric in self.metrics if metric.id == metric_id), None)

    def largest_params(self) -> Params:
        """Every size at its bound, where the parameters go together so; else the default ones."""
        sizes = {
            each.name: each.metadata["high"] for each in fields(self.params) if each.metadata.get("is_size")
        }
        try:
            return self.parse_params(sizes)
        except ParamError:
            return self.params()

    def parse_params(self, values: Mapping[str, object]) -> Params:
        """Parameters from a form, a query or YAML: integers may come as decimal digits.

        Raises ParamError for a name that is unknown, a value that is no integer or no listed word, or one out
        of bounds.
        """
        known = {each.name: each for each in fields(self.params)}
        for name in values:
            if name not in known:
                raise ParamError(str(name)[:40], N_("There is no parameter {name}."))
        return self.params(**{name: _parse(known[name], value) for name, value in values.items()})


def _parse(declared: "dataclasses.Field[Any]", value: object) -> int | str:
    name, meta = declared.name, declared.metadata
    if "options" in meta:
        if value not in meta["options"]:
            raise ParamError(
                name, N_("{name} must be one of: {options}."), options=", ".join(meta["options"])
            )
        return str(value)
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= DIGITS_LIMIT:
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        raise ParamError(name, N_("{name} must be a whole number."))
    if not meta["low"] <= value <= meta["high"]:
        raise ParamError(
            name, N_("{name} must be between {low} and {high}."), low=meta["low"], high=meta["high"]
        )
    return value


def params_hash(demo_id: str, params: Params) -> str:
    """A stable name for (demo, parameters): the same on every host and in every process."""
    canonical = json.dumps([demo_id, params.to_json()], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()[:32]
