"""What the pages need of a language. `app/i18n` fulfils it; core itself knows no language."""

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple, Protocol

Value = int | float | bool | None


class Quantity(NamedTuple):
    """A measured value with its unit (`app/demos/spec.py`, `Unit`); None was not measured."""

    value: Value
    unit: str


class Declared(Protocol):
    """A declared metric: which unit its value has."""

    @property
    def id(self) -> str: ...  # noqa: D102
    @property
    def unit(self) -> str: ...  # noqa: D102


class Language(Protocol):
    """One locale's words and number formats."""

    @property
    def code(self) -> str:
        """BCP 47 tag, for `<html lang>` and URLs."""

    @property
    def endonym(self) -> str:
        """The language's name in itself."""

    def gettext(self, msgid: str) -> str:
        """The wording of `msgid`; the msgid itself where there is none."""

    def ngettext(self, singular: str, plural: str, n: float) -> str:
        """The wording for `n` things."""

    def quantity(self, value: Value, unit: str) -> str:
        """A measured value with its unit; a dash for None."""

    def exact(self, value: Value, unit: str) -> str:
        """The same without rounding: "1,048,580 bytes"; a dash for None."""

    def spread(self, low_ms: float, high_ms: float) -> str:
        """From one duration to another, in one unit."""

    def number(self, value: float) -> str:
        """A plain number."""

    def elapsed(self, seconds: float) -> str:
        """A span of time as a person says it."""

    def moment(self, when: datetime) -> str:
        """A date and time, UTC."""

    def age(self, when: datetime) -> str:
        """How long ago, in words."""


def quantities(declared: tuple[Declared, ...], values: Mapping[str, Value] | None) -> dict[str, Quantity]:
    """Each declared metric with its measured value and unit; None where nothing was measured."""
    found = values or {}
    return {metric.id: Quantity(found.get(metric.id), metric.unit) for metric in declared}
