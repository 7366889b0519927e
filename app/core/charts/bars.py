"""Horizontal bars, grouped by variant, coloured by phase: the name and the value stand above each bar."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from markupsafe import Markup

from app.core.charts.svg import (
    HEIGHT,
    PHASES,
    WIDTH,
    Words,
    chart_id,
    drawing,
    finite,
    known_phase,
    legend,
    phase_entry,
    phase_fill,
    tag,
    text,
    unpaintable,
)
from app.core.charts.tables import data_table
from app.core.language import Language, Value
from app.core.marking import N_

EDGE = 4
GROUP, ROW, THICK = 30, 38, 14
LABEL_LIMIT = 34  # characters of 16-unit text beside a value


def draw_bars(picture: Mapping[str, Any], words: Words, language: Language) -> Markup:
    """SVG and key. A bar without a value keeps its row and says so."""
    bars = list(picture.get("bars") or [])
    unit = str(picture.get("unit") or "number")
    prefix = chart_id("bars", bars)
    if not bars:
        return unpaintable(words, prefix, language)
    most = max((abs(finite(bar.get("value")) or 0.0) for bar in bars), default=0.0) or 1.0
    body, top = [], 0.0
    for group, members in groupby(bars, key=lambda bar: bar.get("group")):
        if group is not None:
            body.append(text(EDGE, top + 21, words.variant(group), "group"))
            top += GROUP
        for bar in members:
            body += _bar(bar, top, unit=unit, most=most, prefix=prefix, language=language)
            top += ROW
    used = {known_phase(bar.get("phase")) for bar in bars}
    phases = [phase for phase in PHASES if phase in used]
    key = [phase_entry(prefix, phase, language) for phase in phases]
    return drawing(prefix, words, body, height=max(HEIGHT / 2, top), phases=phases) + legend(key)


def bars_table(picture: Mapping[str, Any], words: Words, language: Language) -> Markup:
    """Every bar with its exact value."""
    unit = str(picture.get("unit") or "number")
    rows: list[Sequence[str]] = [
        [
            words.variant(bar["group"]) if bar.get("group") is not None else "",
            str(bar.get("label", "")),
            language.gettext(known_phase(bar.get("phase"))),
            language.exact(_value(bar), unit),
        ]
        for bar in picture.get("bars") or []
    ]
    head = [N_("variant"), N_("what"), N_("phase"), N_("value")]
    return data_table([language.gettext(each) for each in head], rows, words.title)


def _bar(
    bar: Mapping[str, Any], top: float, *, unit: str, most: float, prefix: str, language: Language
) -> list[Markup]:
    label = str(bar.get("label", ""))
    shown = label if len(label) <= LABEL_LIMIT else label[: LABEL_LIMIT - 1] + "…"
    value = finite(bar.get("value"))
    number = (
        language.gettext(N_("not yet measured")) if value is None else language.quantity(_value(bar), unit)
    )
    parts = [text(EDGE, top + 15, shown, "code"), text(WIDTH - EDGE, top + 15, number, "end")]
    width = abs(value or 0.0) / most * (WIDTH - 2 * EDGE)
    if width > 0:
        fill = phase_fill(prefix, known_phase(bar.get("phase")))
        parts.append(
            tag("rect", x=EDGE, y=top + 20, width=max(1.0, width), height=THICK, fill=fill, class_="band")
        )
    return parts


def _value(bar: Mapping[str, Any]) -> Value:
    value = bar.get("value")
    return value if isinstance(value, int | float) and finite(value) is not None else None
