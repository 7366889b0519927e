"""Lines over a number, linear or log-log."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from app.core.charts.scales import (
    MOST,
    Place,
    byte_ticks,
    linear,
    linear_ticks,
    log_ticks,
    logarithmic,
    tick_labels,
)
from app.core.charts.svg import (
    HEIGHT,
    LINES,
    WIDTH,
    Words,
    chart_id,
    drawing,
    finite,
    legend,
    line_entry,
    tag,
    text,
    unpaintable,
)
from app.core.charts.tables import data_table
from app.core.language import Language
from app.core.marking import N_

LEFT, RIGHT, TOP, BOTTOM = 86, WIDTH - 16, 40, HEIGHT - 54

Points = list[tuple[float, float]]


def draw_curve(picture: Mapping[str, Any], words: Words, language: Language) -> Markup:
    """SVG and key. On logarithmic axes what is not above zero has no place and is left out."""
    is_log = bool(picture.get("log"))
    series = [
        (_label(each, language), _points(each, above_zero=is_log)) for each in picture.get("series") or []
    ]
    series = [(label, points) for label, points in series if points]
    prefix = chart_id("curve", picture)
    if not series:
        return unpaintable(words, prefix, language)
    xs = [x for _, points in series for x, _ in points]
    ys = [y for _, points in series for _, y in points]
    x_unit, y_unit = str(picture.get("x_unit") or "number"), str(picture.get("y_unit") or "number")
    x_ticks, y_ticks = _ticks(xs, x_unit, is_log=is_log), _ticks(ys, y_unit, is_log=is_log)
    scale = logarithmic if is_log else linear
    across = scale(x_ticks[0], x_ticks[-1], LEFT, RIGHT)
    up = scale(y_ticks[0], y_ticks[-1], BOTTOM, TOP)
    body = [*_axes(x_ticks, y_ticks, across, up, units=(x_unit, y_unit), language=language)]
    body.append(text(4, 20, language.gettext(str(picture.get("y", ""))), "muted"))
    body.append(text(RIGHT, HEIGHT - 8, language.gettext(str(picture.get("x", ""))), "end muted"))
    for index, (_, points) in enumerate(series):
        body += _line(index, points, across, up)
    key = [line_entry(index, label) for index, (label, _) in enumerate(series)]
    return drawing(prefix, words, body) + legend(key)


def curve_table(picture: Mapping[str, Any], words: Words, language: Language) -> Markup:
    """A row for each x, a column for each series."""
    series = [(_label(each, language), dict(_points(each))) for each in picture.get("series") or []]
    units = str(picture.get("x_unit") or "number"), str(picture.get("y_unit") or "number")
    rows = [
        [_cell(x, units[0], language), *(_cell(points.get(x), units[1], language) for _, points in series)]
        for x in sorted({x for _, points in series for x in points})
    ]
    head = [language.gettext(str(picture.get("x") or N_("x"))), *(label for label, _ in series)]
    return data_table(head, rows, words.title)


def _cell(value: float | None, unit: str, language: Language) -> str:
    return language.exact(int(value) if value is not None and value.is_integer() else value, unit)


def _label(series: Mapping[str, Any], language: Language) -> str:
    return language.gettext(str(series.get("label") or series.get("id") or ""))


def _points(series: Mapping[str, Any], *, above_zero: bool = False) -> Points:
    found = [(finite(x), finite(y)) for x, y in series.get("points") or []]
    kept = [(x, y) for x, y in found if x is not None and y is not None]
    return sorted((x, y) for x, y in kept if not above_zero or (min(x, y) > 1 / MOST and max(x, y) < MOST))


def _ticks(values: Sequence[float], unit: str, *, is_log: bool) -> list[float]:
    if is_log:
        ticks = log_ticks(min(values), max(values))
        return ticks if len(ticks) > 1 else [ticks[0] / 2, ticks[0], ticks[0] * 2]
    return byte_ticks(max(values)) if unit == "bytes" else linear_ticks(max(values))


def _axes(
    x_ticks: Sequence[float],
    y_ticks: Sequence[float],
    across: Place,
    up: Place,
    *,
    units: tuple[str, str],
    language: Language,
) -> Iterator[Markup]:
    for tick, label in zip(y_ticks, tick_labels(y_ticks, units[1], language), strict=True):
        y = up(tick)
        yield tag("line", x1=LEFT, y1=y, x2=RIGHT, y2=y, class_="axis" if tick == y_ticks[0] else "grid")
        yield text(LEFT - 8, y + 5, label, "end")
    for tick, label in zip(x_ticks, tick_labels(x_ticks, units[0], language), strict=True):
        yield tag("line", x1=across(tick), y1=BOTTOM, x2=across(tick), y2=BOTTOM + 5, class_="axis")
        yield text(across(tick), BOTTOM + 23, label, "middle")


def _line(index: int, points: Points, across: Place, up: Place) -> Iterator[Markup]:
    placed = [(across(x), up(y)) for x, y in points]
    path = "M" + "L".join(f"{x:.0f} {y:.0f}" for x, y in placed)
    yield tag("path", d=path, class_=f"line line-{index % LINES}")
    if len(placed) <= 24:  # noqa: PLR2004 - more marks than this hide the line
        for x, y in placed:
            yield tag("circle", cx=x, cy=y, r=4, class_=f"mark mark-{index % LINES}")
