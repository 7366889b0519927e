"""Charts as SVG in the page: pure functions from a run's result to markup, without script or style."""

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from app.core.charts.bars import bars_table, draw_bars
from app.core.charts.curve import curve_table, draw_curve
from app.core.charts.svg import Words
from app.core.charts.tables import draw_oplog, draw_table
from app.core.charts.timeline import draw_timeline, timeline_table
from app.core.language import Language

__all__ = ["Words", "draw", "draw_data"]


def draw(result: Mapping[str, Any], words: Words, language: Language) -> Markup:
    """The picture of a result, by its kind; nothing for a kind that is not known here."""
    picture = result.get("picture") or {}
    match picture.get("kind"):
        case "timeline":
            return draw_timeline(result.get("variants") or [], words, language)
        case "bars":
            return draw_bars(picture, words, language)
        case "curve":
            return draw_curve(picture, words, language)
        case "oplog":
            return draw_oplog(picture, words, language)
        case "table":
            return draw_table(picture, words, language)
        case _:
            return Markup("")


def draw_data(result: Mapping[str, Any], words: Words, language: Language) -> Markup:
    """The picture's numbers as a table; nothing where the picture is a table itself."""
    picture = result.get("picture") or {}
    match picture.get("kind"):
        case "timeline":
            return timeline_table(result.get("variants") or [], words, language)
        case "bars":
            return bars_table(picture, words, language)
        case "curve":
            return curve_table(picture, words, language)
        case _:
            return Markup("")
