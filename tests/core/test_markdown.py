"""Authors' Markdown: what a page shows of it, and what it never shows."""

from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.language import Quantity
from app.core.markdown import (
    TAGS,
    fill_in,
    measured_number,
    render_markdown,
    render_markdown_inline,
)
from app.i18n.language import get_language
from app.i18n.locales import Locale

EN, HI, VI = (get_language(locale) for locale in Locale)
NUMBERS = {
    "plain.peak_bytes": Quantity(1_048_580, "bytes"),
    "saving": Quantity(2.0, "ratio"),
    "gone": Quantity(None, "bytes"),
}


def parse(html: str) -> ET.Element:
    """The HTML as XML, which is stricter: what does not close is an error."""
    closed = html.replace("<br>", "<br/>").replace("<hr>", "<hr/>").replace("&nbsp;", " ")
    return ET.fromstring(f"<body>{closed}</body>")  # noqa: S314 - our own markup


class TestPlaceholders:
    def test_becomes_the_measured_number_with_its_exact_value(self) -> None:
        html = render_markdown("It was {{plain.peak_bytes}}.", EN, NUMBERS)
        data = parse(html).find("p/data")
        assert data is not None
        assert data.attrib == {"class": "measured", "value": "1048580", "title": "1,048,580 bytes"}
        assert data.text == "1.00\xa0MiB"

    def test_is_written_as_the_reader_writes_numbers(self) -> None:
        assert ">1,00\xa0MiB<" in render_markdown("{{plain.peak_bytes}}", VI, NUMBERS)
        assert 'title="10,48,580 बाइट"' in render_markdown("{{plain.peak_bytes}}", HI, NUMBERS)

    def test_may_have_spaces_inside_and_stand_in_emphasis(self) -> None:
        assert ">2.0×</data></em>" in render_markdown("*{{ saving }}*", EN, NUMBERS)

    @pytest.mark.parametrize("name", ["gone", "unknown.metric"])
    def test_without_a_measurement_says_so(self, name: str) -> None:
        html = render_markdown(f"It was {{{{{name}}}}}.", HI, NUMBERS)
        assert '<span class="unmeasured">अभी तक नहीं मापा गया</span>' in html

    def test_stays_literal_in_code_because_code_is_code(self) -> None:
        html = render_markdown("`{{saving}}`\n\n```\n{{saving}}\n```", EN, NUMBERS)
        assert html.count("{{saving}}") == 2
        assert "<data" not in html

    def test_stays_literal_when_escaped(self) -> None:
        assert "{{saving}}" in render_markdown(r"\{{saving}}", EN, NUMBERS)

    def test_is_ordinary_text_where_no_numbers_are_allowed(self) -> None:
        assert render_markdown_inline("{{saving}}", EN) == "{{saving}}"

    def test_fills_plain_text_for_descriptions(self) -> None:
        assert fill_in("{{saving}} less, {{gone}}", VI, NUMBERS) == "2,0× less, chưa đo"

    def test_a_hostile_unit_or_value_is_escaped(self) -> None:
        assert "<script" not in measured_number(Quantity(1.5, '"><script>'), EN)


class TestSanitising:
    @pytest.mark.parametrize(
        "hostile",
        [
            "<script>alert(1)</script>",
            "<img src=x onerror=alert(1)>",
            "[x](javascript:alert(1))",
            "[x](JaVaScRiPt:alert(1))",
            "[x](data:text/html;base64,PHNjcmlwdD4=)",
            "[x](vbscript:x)",
            "<javascript:alert(1)>",
            "![x](https://elsewhere.example/x.png)",
            '<a href="#" onclick="x()">x</a>',
            "<style>*{display:none}</style>",
            "<svg onload=alert(1)>",
            '[x](https://a.example "onmouseover=alert(1)")',
            "`<script>`",
            "```html\n<script>alert(1)</script>\n```",
            "<!-- <script> -->",
            "&lt;script&gt;",
            "| a |\n| --- |\n| <script> |",
        ],
    )
    def test_nothing_that_runs_or_loads_survives(self, hostile: str) -> None:
        for html in (render_markdown(hostile, EN, NUMBERS), render_markdown_inline(hostile, EN, NUMBERS)):
            tree = parse(html)
            for element in tree.iter():
                assert element.tag in TAGS | {"body"}
                assert not {name for name in element.attrib if name.startswith("on") or name == "style"}
                assert element.attrib.get("href", "https:").startswith(("https:", "http:", "mailto:"))

    def test_characters_that_reorder_the_text_are_taken_out(self) -> None:
        html = render_markdown("safe \u202e\u2066\u200fevil", EN)
        assert html == "<p>safe evil</p>\n"

    def test_the_joiners_of_devanagari_stay(self) -> None:
        assert "क्\u200dष" in render_markdown("क्\u200dष", HI)

    def test_links_cannot_reach_back(self) -> None:
        assert 'rel="noopener noreferrer"' in render_markdown("[x](https://a.example)", EN)

    def test_code_is_kept_from_translators(self) -> None:
        assert render_markdown_inline("`torch.utils`", EN) == '<code translate="no">torch.utils</code>'

    @given(st.text(alphabet=st.sampled_from("<>&\"'`*_[](){}!|\\#-:/ax\n "), max_size=60))
    def test_whatever_is_written_the_page_stays_well_formed(self, text: str) -> None:
        tree = parse(render_markdown(text, EN, NUMBERS))
        assert {element.tag for element in tree.iter()} <= TAGS | {"body"}
