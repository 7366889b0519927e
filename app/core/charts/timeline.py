"""Live memory over one training step: a line for each variant, its phases as a band below."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from typing import Any

from markupsafe import Markup

from app.core.charts.scales import Place, byte_ticks, linear, tick_labels
from app.core.charts.svg import (
    HEIGHT,
    LINES,
    PHASES,
    WIDTH,
    Words,
    chart_id,
    drawing,
    finite,
    known_phase,
    legend,
    line_entry,
    phase_entry,
    phase_fill,
    tag,
    text,
    unpaintable,
)
from app.core.charts.tables import data_table
from app.core.language import Language
from app.core.marking import N_

LEFT, RIGHT, TOP = 86, WIDTH - 8, 12
BAND, BAND_GAP, CAPTION = 12, 7, 28
COLUMN = 5  # units of the width that share one point of a line

Point = tuple[float, str, float]


def draw_timeline(variants: Sequence[Mapping[str, Any]], words: Words, language: Language) -> Markup:
    """SVG and key. The points are (operation, phase, live bytes), already thinned."""
    series = [(str(each.get("id")), _points(each)) for each in variants]
    series = [(variant, points) for variant, points in series if points]
    prefix = chart_id("timeline", series)
    if not series:
        return unpaintable(words, prefix, language)
    bottom = HEIGHT - CAPTION - len(series) * (BAND + BAND_GAP)
    last = max(points[-1][0] for _, points in series)
    ticks = byte_ticks(max(live for _, points in series for _, _, live in points))
    across, up = linear(0, last, LEFT, RIGHT), linear(ticks[0], ticks[-1], bottom, TOP)
    body = [*_grid(ticks, up, language)]
    for index, (_, points) in enumerate(series):
        body.append(tag("path", d=_path(points, across, up), class_=f"line line-{index % LINES}"))
        top = bottom + BAND_GAP + index * (BAND + BAND_GAP)
        middle = top + BAND / 2
        body.append(
            tag("line", x1=36, y1=middle, x2=LEFT - 8, y2=middle, class_=f"line line-{index % LINES}")
        )
        body.extend(_band(points, across, top, prefix))
    caption = language.gettext(N_("operations, in the order they ran"))
    body.append(text((LEFT + RIGHT) / 2, HEIGHT - 8, caption, "middle muted"))
    used = [phase for _, points in series for _, phase, _ in points]
    key = [line_entry(index, words.variant(variant)) for index, (variant, _) in enumerate(series)]
    key += [phase_entry(prefix, phase, language) for phase in PHASES if phase in used]
    return drawing(prefix, words, body, phases=used) + legend(key)


def timeline_table(variants: Sequence[Mapping[str, Any]], words: Words, language: Language) -> Markup:
    """The most that was live in each phase of each variant: the chart in numbers."""
    rows = []
    for each in variants:
        most: dict[str, float] = {}
        for _, phase, live in _points(each):
            most[phase] = max(live, most.get(phase, live))
        rows += [
            [words.variant(each.get("id")), language.gettext(phase), language.exact(int(live), "bytes")]
            for phase, live in most.items()
        ]
    head = [N_("variant"), N_("phase"), N_("most live memory")]
    return data_table([language.gettext(each) for each in head], rows, words.title)


def _points(variant: Mapping[str, Any]) -> list[Point]:
    found = []
    for point in variant.get("timeline") or []:
        operation, phase, live = point
        at, height = finite(operation), finite(live)
        if at is not None and height is not None:
            found.append((at, known_phase(phase), max(0.0, height)))
    return sorted(found, key=lambda each: each[0])


def _grid(ticks: Sequence[float], up: Place, language: Language) -> Iterator[Markup]:
    for tick, label in zip(ticks, tick_labels(ticks, "bytes", language), strict=True):
        yield tag("line", x1=LEFT, y1=up(tick), x2=RIGHT, y2=up(tick), class_="grid" if tick else "axis")
        yield text(LEFT - 8, up(tick) + 5, label, "end")


def _path(points: Sequence[Point], across: Place, up: Place) -> str:
    """The most that was live in each few units of the width: single operations would only be jags."""
    columns = groupby(points, key=lambda point: round(across(point[0]) / COLUMN))
    tops = ((column * COLUMN, max(live for _, _, live in held)) for column, held in columns)
    return "M" + "L".join(f"{x} {up(live):.0f}" for x, live in tops)


def _band(points: Sequence[Point], across: Place, top: float, prefix: str) -> Iterator[Markup]:
    """One rectangle for each run of a phase; it ends where the next begins."""
    runs = [(phase, [at for at, _, _ in run]) for phase, run in groupby(points, key=lambda point: point[1])]
    starts = [run[0] for _, run in runs] + [runs[-1][1][-1]]
    for (phase, _), (start, end) in zip(runs, pairwise(starts), strict=True):
        width = max(1.0, across(end) - across(start))
        yield tag(
            "rect",
            x=across(start),
            y=top,
            width=width,
            height=BAND,
            fill=phase_fill(prefix, phase),
            class_="band",
        )
