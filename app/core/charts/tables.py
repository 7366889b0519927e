"""Pictures that are tables: the op log by phase, a table of outcomes, and the numbers below a chart."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from app.core.charts.svg import Words, finite, known_phase, tag
from app.core.language import Language
from app.core.marking import N_

_BLANK = Markup("")


def data_table(head: Sequence[str], rows: Iterable[Sequence[str | Markup]], caption: str) -> Markup:
    """A table whose first column names the row; the others are right-aligned figures or words."""
    columns = _BLANK.join(tag("th", each, scope="col") for each in head)
    body = _BLANK.join(
        tag("tr", tag("th", row[0], scope="row") + _BLANK.join(tag("td", cell) for cell in row[1:]))
        for row in rows
        if row
    )
    table = tag(
        "table",
        tag("caption", caption, class_="visually-hidden")
        + tag("thead", tag("tr", columns))
        + tag("tbody", body),
    )
    return _scrollable(table, caption)


def draw_oplog(picture: Mapping[str, Any], words: Words, language: Language) -> Markup:
    """The operations that ran, one list a variant, side by side where there is room."""
    columns = [_oplog_column(column, language) for column in picture.get("columns") or []]
    if not columns:
        return tag("p", language.gettext(N_("Nothing was measured here.")), class_="muted")
    return tag("div", _BLANK.join(columns), class_="oplog", role="group", aria_label=words.title)


def draw_table(picture: Mapping[str, Any], words: Words, language: Language) -> Markup:
    """A table of outcomes: its words are msgids where the catalogue knows them."""
    head = [language.gettext(str(column)) for column in picture.get("columns") or []]
    rows = [[_cell(cell, language) for cell in row] for row in picture.get("rows") or []]
    if not rows:
        return tag("p", language.gettext(N_("Nothing was measured here.")), class_="muted")
    return data_table(head, rows, words.title)


def _oplog_column(column: Mapping[str, Any], language: Language) -> Markup:
    label = language.gettext(str(column.get("label") or column.get("id") or ""))
    rows = _BLANK.join(_oplog_row(row, language) for row in column.get("rows") or [])
    head = _BLANK.join(
        tag("th", language.gettext(each), scope="col")
        for each in (N_("phase"), N_("operation"), N_("memory"))
    )
    table = tag("table", tag("caption", label) + tag("thead", tag("tr", head)) + tag("tbody", rows))
    return _scrollable(table, label)


def _oplog_row(row: Mapping[str, Any], language: Language) -> Markup:
    phase = known_phase(row.get("phase"))
    number = finite(row.get("bytes"))
    size = language.quantity(None if number is None else int(number), "bytes")
    return tag(
        "tr",
        tag("td", tag("span", language.gettext(phase), class_=f"phase phase-{phase}"))
        + tag("th", tag("code", _breakable(str(row.get("op", ""))), translate="no"), scope="row")
        + tag("td", size),
    )


def _cell(cell: object, language: Language) -> str:
    if cell is None or isinstance(cell, bool | int | float):
        return language.quantity(cell, "number")
    return language.gettext(str(cell)) if cell else ""


def _breakable(name: str) -> Markup:
    """A long dotted name, with places where a narrow column may break it."""
    return Markup(re.sub(r"(?<=[._])(?=\w)", "<wbr/>", str(Markup.escape(name))))  # noqa: S704 - escaped before


def _scrollable(table: Markup, label: str) -> Markup:
    """Wider or longer than its place, it scrolls there, by keyboard too."""
    return tag("div", table, class_="scroll", role="region", aria_label=label, tabindex=0)
