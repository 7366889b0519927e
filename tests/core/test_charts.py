"""Charts: well-formed, named, without style or script, the same for the same data, whatever the data is."""

import re
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core import charts
from app.core.charts.scales import byte_ticks, linear_ticks, log_ticks
from app.i18n.language import get_language
from app.i18n.locales import Locale
from tests.core.samples import PICTURES, RESULT, UNIT

EN, HI, VI = (get_language(locale) for locale in Locale)
WORDS = charts.Words("Memory", "The peak fell from 1.13 MiB to 576 KiB.", {"plain": "Plain"})
DRAWN = ("timeline", "bars", "curve")
HOSTILE = '"><script>alert(1)</script>\x27&\u202e'


def draw(kind: str, **changes: Any) -> ET.Element:
    result = RESULT | {"picture": PICTURES[kind] | changes}
    return parse(charts.draw(result, WORDS, EN))


def parse(markup: str) -> ET.Element:
    return ET.fromstring(f"<div>{markup}</div>")  # noqa: S314 - our own markup


@pytest.mark.parametrize("kind", PICTURES)
class TestEveryPicture:
    def test_is_well_formed_without_style_or_script(self, kind: str) -> None:
        for element in draw(kind).iter():
            assert element.tag not in {"style", "script", "foreignObject"}
            assert not {name for name in element.attrib if name == "style" or name.startswith("on")}

    def test_is_the_same_for_the_same_data(self, kind: str) -> None:
        result = RESULT | {"picture": PICTURES[kind]}
        assert charts.draw(result, WORDS, HI) == charts.draw(result, WORDS, HI)

    def test_writes_numbers_as_the_reader_does(self, kind: str) -> None:
        result = RESULT | {"picture": PICTURES[kind]}
        shown = charts.draw(result, charts.Words("Bộ nhớ", "Đỉnh đã giảm."), VI)
        assert not re.search(r"\d\.\d+[\s\xa0](MiB|KiB)", shown)

    def test_of_nothing_says_so(self, kind: str) -> None:
        empty = {"kind": kind, "bars": [], "series": [], "columns": [], "rows": []}
        drawn = parse(charts.draw({"variants": [], "picture": empty}, WORDS, EN))
        assert "Nothing was measured here." in "".join(drawn.itertext())

    def test_escapes_hostile_labels(self, kind: str) -> None:
        hostile = {
            "kind": kind,
            "bars": [{"label": HOSTILE, "group": HOSTILE, "phase": HOSTILE, "value": 1}],
            "series": [{"id": HOSTILE, "label": HOSTILE, "points": [[1, 1]]}],
            "columns": [HOSTILE]
            if kind == "table"
            else [{"id": "x", "label": HOSTILE, "rows": [{"phase": HOSTILE, "op": HOSTILE, "bytes": 1}]}],
            "rows": [[HOSTILE, None]],
            "x": HOSTILE,
            "y": HOSTILE,
        }
        variants = [{"id": HOSTILE, "timeline": [[0, HOSTILE, 5], [1, "backward", 9]]}]
        result = {"variants": variants, "picture": hostile}
        words = charts.Words(HOSTILE, HOSTILE)
        for markup in (charts.draw(result, words, EN), charts.draw_data(result, words, EN)):
            assert "<script" not in markup
            parse(markup)


@pytest.mark.parametrize("kind", DRAWN)
class TestEveryDrawing:
    def test_has_a_role_a_name_and_the_finding_in_words(self, kind: str) -> None:
        svg = draw(kind).find("svg")
        assert svg is not None
        assert svg.attrib["role"] == "img"
        assert svg.attrib["viewBox"].startswith("0 0 480 ")
        title, description = svg.find("title"), svg.find("desc")
        assert title is not None
        assert description is not None
        assert (title.text, description.text) == (WORDS.title, WORDS.finding)
        assert svg.attrib["aria-labelledby"] == title.attrib["id"]
        assert svg.attrib["aria-describedby"] == description.attrib["id"]

    def test_has_every_paint_that_it_refers_to(self, kind: str) -> None:
        drawn = draw(kind)
        ids = {element.attrib["id"] for element in drawn.iter() if "id" in element.attrib}
        paints = re.findall(r"url\(#([^)]+)\)", ET.tostring(drawn, encoding="unicode"))
        assert set(paints) <= ids

    def test_comes_with_its_numbers_as_a_table(self, kind: str) -> None:
        result = RESULT | {"picture": PICTURES[kind]}
        table = parse(charts.draw_data(result, WORDS, EN))
        assert len(table.findall(".//tbody/tr")) >= 2


class TestTimeline:
    def test_marks_each_variant_by_dash_and_each_phase_by_pattern(self) -> None:
        drawn = draw("timeline")
        classes = [element.attrib.get("class", "") for element in drawn.iter("path")]
        assert {"line line-0", "line line-1", "line line-2"} <= set(classes)
        assert len(drawn.findall(".//pattern")) == 4

    def test_table_has_the_most_live_memory_of_each_phase_exactly(self) -> None:
        table = charts.draw_data(RESULT, WORDS, EN)
        assert f"<td>{17 * UNIT:,} bytes</td>" in table

    @pytest.mark.parametrize("live", [0, 1, None, float("nan"), float("inf"), 10**400, 1e308, -5])
    def test_draws_any_number_or_leaves_it_out(self, live: object) -> None:
        variants = [{"id": "plain", "timeline": [[0, "forward", live], [1, "backward", 4]]}]
        parse(charts.draw({"variants": variants, "picture": {"kind": "timeline"}}, WORDS, EN))


class TestBars:
    def test_a_bar_without_a_value_says_so_and_has_no_length(self) -> None:
        bars = [{"label": "aten.gelu", "group": "plain", "phase": "forward", "value": None}]
        drawn = draw("bars", bars=bars)
        assert "not yet measured" in "".join(drawn.itertext())
        assert not [each for each in drawn.iter("rect") if each.attrib.get("class") == "band"]

    def test_the_longest_bar_has_the_whole_width_and_others_their_share(self) -> None:
        bars = [{"label": "x", "group": None, "phase": "forward", "value": value} for value in (400, 100)]
        widths = [
            float(each.attrib["width"])
            for each in draw("bars", bars=bars).iter("rect")
            if each.attrib.get("class") == "band"
        ]
        assert widths == [472, 118]


class TestCurve:
    def test_on_logarithmic_axes_leaves_out_what_is_not_above_zero(self) -> None:
        series = [{"id": "a", "label": "a", "points": [[0, 5], [1, 0], [2, 8], [4, -1], [8, 16]]}]
        assert len(draw("curve", log=True, series=series).findall(".//circle")) == 2

    @given(st.lists(st.tuples(*[st.floats() | st.integers() | st.none()] * 2), max_size=5), st.booleans())
    def test_draws_whatever_points_it_gets(self, points: list[tuple[Any, Any]], log: bool) -> None:
        series = [{"id": "a", "label": "a", "points": [list(point) for point in points]}]
        draw("curve", log=log, series=series)


class TestTicks:
    @given(st.floats(min_value=1e-300, max_value=1e299))
    def test_linear_ones_start_at_zero_reach_the_value_and_are_few(self, high: float) -> None:
        ticks = linear_ticks(high)
        assert ticks[0] == 0
        assert ticks[-1] >= high * (1 - 1e-6)
        assert 2 <= len(ticks) <= 7

    def test_bytes_are_cut_at_powers_of_two(self) -> None:
        assert byte_ticks(18 * UNIT) == [0, 512 * 1024, 1024 * 1024, 1536 * 1024]

    def test_logarithmic_ones_are_powers_of_two_around_the_values(self) -> None:
        assert log_ticks(16, 400) == [16, 32, 64, 128, 256, 512]
